// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
    import LinuxInterfaces
#elseif canImport(Musl)
    import LinuxInterfaces
    import Musl
#endif

/// An LE credit-based channel, as a socket of the kernel's L2CAP layer. It needs no privileges.
/// Each packet of the socket is one SDU.
package struct ChannelSocket: Sendable {
    /// The socket, for `PacketSocket`.
    package let descriptor: PassedDescriptor
    /// The peer's address.
    package let peer: DeviceAddress
    /// The maximum length in bytes of an SDU that the peer accepts.
    package let sendMTU: Int
    /// The maximum length in bytes of an SDU that the peer may send.
    package let receiveMTU: Int
}

/// The failure of a channel that could not be opened.
package enum ChannelSocketError: Error, Hashable, Sendable {
    /// The system has no L2CAP sockets, or does not permit this process to use them.
    case unsupported
    /// The peer has no listener, or no resources for another channel.
    case refused
    /// The peer requires a link with more security.
    case notSecure
    /// Another error of the system, in words.
    case other(String)
}

#if os(Linux)
    extension ChannelSocket {
        /// Whether this process can create L2CAP sockets of the kernel.
        package static var isAvailable: Bool { (try? makeSocket()) != nil }

        /// Opens a channel on the link to a peer.
        ///
        /// - Parameters:
        ///   - peer: The address of the link.
        ///   - own: The address of the adapter.
        ///   - psm: The PSM of the peer's listener.
        ///   - receiveMTU: The maximum length in bytes of an SDU to receive.
        ///   - executor: The executor that calls `opened`, once and after this method has returned.
        package static func connect(
            to peer: DeviceAddress,
            from own: DeviceAddress,
            psm: UInt16,
            receiveMTU: Int,
            executor: AdapterExecutor,
            then opened: @escaping @Sendable (Result<ChannelSocket, ChannelSocketError>) -> Void
        ) {
            do throws(SystemError) {
                let socket = try makeSocket()
                try socket.call(own, psm: 0) { bind($0, $1, $2) }
                socket.set(LINUX_BT_RCVMTU, UInt16(clamping: receiveMTU))
                try socket.beginConnecting(to: peer, psm: psm)
                let attempt = Attempt(socket, to: peer, executor: executor, opened)
                executor.loop.watch(socket, readable: false, writable: true, attempt)
            } catch {
                let failure = ChannelSocketError(error)
                executor.perform { opened(.failure(failure)) }
            }
        }

        /// Creates a socket that is neither bound nor blocking.
        fileprivate static func makeSocket() throws(SystemError) -> Descriptor {
            let descriptor = try Descriptor.makeSocket(
                family: LINUX_AF_BLUETOOTH,
                kind: SocketKind.packets,
                protocolNumber: LINUX_BTPROTO_L2CAP
            )
            descriptor.makeNonBlocking()
            return descriptor
        }

        /// Creates the channel of an open socket.
        fileprivate init(_ socket: Descriptor, to peer: DeviceAddress) {
            descriptor = PassedDescriptor(socket)
            self.peer = peer
            sendMTU = socket.option(LINUX_BT_SNDMTU)
            receiveMTU = socket.option(LINUX_BT_RCVMTU)
        }
    }

    /// A socket that is being connected. The event loop retains the object until the attempt ends.
    ///
    /// The conformance is unchecked: only the executor's thread uses the object, which the calls of
    /// `executor.loop` check.
    private final class Attempt: DescriptorHandler, @unchecked Sendable {
        private let socket: Descriptor
        private let peer: DeviceAddress
        private let executor: AdapterExecutor
        private var opened: (@Sendable (Result<ChannelSocket, ChannelSocketError>) -> Void)?

        init(
            _ socket: Descriptor,
            to peer: DeviceAddress,
            executor: AdapterExecutor,
            _ opened: @escaping @Sendable (Result<ChannelSocket, ChannelSocketError>) -> Void
        ) {
            (self.socket, self.peer, self.executor, self.opened) = (socket, peer, executor, opened)
        }

        func descriptorReady(readable: Bool, writable: Bool) {
            executor.loop.unwatch(socket)
            if let error = socket.connectionError { return finish(.failure(.init(error))) }
            finish(.success(ChannelSocket(socket, to: peer)))
        }

        func loopEnded() { finish(.failure(.unsupported)) }

        private func finish(_ result: Result<ChannelSocket, ChannelSocketError>) {
            let opened = opened
            self.opened = nil
            opened?(result)
        }
    }

    /// A listener for channels, on a PSM that the kernel chooses.
    package final class ChannelSocketListener: Sendable {
        /// The maximum number of channels that the kernel keeps until they are accepted.
        private static let backlog: Int32 = 8

        /// The PSM to which peers open channels.
        package let psm: UInt16
        private let listener: SocketListener

        /// Listens at the adapter with an address, until `close()`.
        ///
        /// - Parameters:
        ///   - own: The address of the adapter.
        ///   - requiresEncryption: Whether the link of a channel must be encrypted.
        ///   - receiveMTU: The maximum length in bytes of an SDU to receive.
        ///   - executor: The executor that calls `accepted`, with the PSM and the channel.
        package init(
            at own: DeviceAddress,
            requiresEncryption: Bool,
            receiveMTU: Int,
            executor: AdapterExecutor,
            accepted: @escaping @Sendable (UInt16, ChannelSocket) -> Void
        ) throws(ChannelSocketError) {
            do throws(SystemError) {
                let socket = try ChannelSocket.makeSocket()
                try socket.call(own, psm: 0) { bind($0, $1, $2) }
                if requiresEncryption { try socket.requireEncryption() }
                socket.set(LINUX_BT_RCVMTU, UInt16(clamping: receiveMTU))
                guard listen(socket.number, Self.backlog) == 0 else { throw .last }
                let psm = try socket.boundPSM()
                self.psm = psm
                listener = SocketListener(socket, executor: executor) {
                    socket throws(SystemError) in accepted(psm, try socket.acceptChannel())
                }
            } catch {
                throw ChannelSocketError(error)
            }
            listener.listen()
        }

        /// Ends the listener. Its channels stay open.
        package func close() { listener.close() }
    }

    extension ChannelSocketError {
        fileprivate init(_ error: SystemError) {
            self =
                switch error.code {
                case EAFNOSUPPORT, EPROTONOSUPPORT, EPERM: .unsupported
                case ECONNREFUSED: .refused
                case EACCES: .notSecure
                default: .other(String(cString: strerror(error.code)))
                }
        }
    }

    extension DeviceAddress {
        fileprivate init(_ address: linux_sockaddr_l2) {
            let bytes = withUnsafeBytes(of: address.address) { Array($0) }
            let value = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let isRandom = address.address_type == LINUX_BDADDR_LE_RANDOM
            self.init(value: value, kind: isRandom ? .random : .public)
        }

        /// Returns the socket address of a PSM at this device.
        fileprivate func socketAddress(psm: UInt16) -> SocketAddress {
            var address = linux_sockaddr_l2()
            address.family = UInt16(LINUX_AF_BLUETOOTH)
            address.psm = psm.littleEndian
            withUnsafeMutableBytes(of: &address.address) { bytes in
                for index in bytes.indices {
                    bytes[index] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(index)))
                }
            }
            address.address_type =
                kind == .random ? LINUX_BDADDR_LE_RANDOM : LINUX_BDADDR_LE_PUBLIC
            return SocketAddress(address)
        }
    }

    extension Descriptor {
        /// Passes an address to a system call.
        fileprivate func call(
            _ address: DeviceAddress,
            psm: UInt16,
            _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
        ) throws(SystemError) {
            let address = address.socketAddress(psm: psm)
            guard address.withPointer({ body(number, $0, $1) }) == 0 else { throw .last }
        }

        /// Begins to connect the socket. The end of the attempt makes the socket writable.
        fileprivate func beginConnecting(to peer: DeviceAddress, psm: UInt16) throws(SystemError) {
            do throws(SystemError) {
                try call(peer, psm: psm) { connect($0, $1, $2) }
            } catch {
                guard error.code == EINPROGRESS else { throw error }
            }
        }

        fileprivate func set(_ option: Int32, _ value: UInt16) {
            var value = value
            _ = setsockopt(number, LINUX_SOL_BLUETOOTH, option, &value, 2)
        }

        fileprivate func option(_ option: Int32) -> Int {
            var value: UInt16 = 0
            var length = socklen_t(2)
            _ = getsockopt(number, LINUX_SOL_BLUETOOTH, option, &value, &length)
            return Int(value)
        }

        fileprivate func requireEncryption() throws(SystemError) {
            var security = linux_bt_security(level: LINUX_BT_SECURITY_MEDIUM, key_size: 0)
            let length = socklen_t(MemoryLayout<linux_bt_security>.size)
            guard
                setsockopt(number, LINUX_SOL_BLUETOOTH, LINUX_BT_SECURITY, &security, length) == 0
            else { throw .last }
        }

        /// Accepts a channel that a peer has opened.
        fileprivate func acceptChannel() throws(SystemError) -> ChannelSocket {
            let (address, accepted) = SocketAddress.stored { accept(number, $0, $1) }
            guard accepted >= 0 else { throw .last }
            let channel = Descriptor(owning: accepted)
            channel.makeNonBlocking()
            let structure: linux_sockaddr_l2 = address.structure()
            return ChannelSocket(channel, to: DeviceAddress(structure))
        }

        fileprivate func boundPSM() throws(SystemError) -> UInt16 {
            guard let address = SocketAddress(boundTo: self) else { throw .last }
            let structure: linux_sockaddr_l2 = address.structure()
            return UInt16(littleEndian: structure.psm)
        }
    }
#endif

#if !os(Linux)
    // Only Linux has L2CAP sockets.
    extension ChannelSocket {
        package static var isAvailable: Bool { false }

        package static func connect(
            to peer: DeviceAddress,
            from own: DeviceAddress,
            psm: UInt16,
            receiveMTU: Int,
            executor: AdapterExecutor,
            then opened: @escaping @Sendable (Result<ChannelSocket, ChannelSocketError>) -> Void
        ) {
            executor.perform { opened(.failure(.unsupported)) }
        }
    }

    /// A listener that cannot exist on this system.
    package final class ChannelSocketListener: Sendable {
        package let psm: UInt16

        package init(
            at own: DeviceAddress,
            requiresEncryption: Bool,
            receiveMTU: Int,
            executor: AdapterExecutor,
            accepted: @escaping @Sendable (UInt16, ChannelSocket) -> Void
        ) throws(ChannelSocketError) {
            throw .unsupported
        }

        package func close() {}
    }
#endif
