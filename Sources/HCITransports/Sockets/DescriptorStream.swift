// SPDX-License-Identifier: Apache-2.0

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A Unix stream socket that carries bytes and file descriptors, as a message bus needs.
///
/// The conformance is unchecked for the reason that `EventLoopStream` states.
package final class DescriptorStream: EventLoopStream, @unchecked Sendable {
    /// The maximum number of bytes that wait for the peer to read.
    package static let pendingBytesLimit = 4 << 20

    /// The name of a Unix socket.
    package enum SocketName: Hashable, Sendable {
        case path(String)
        /// A name of Linux's abstract namespace.
        case abstract(String)
    }

    /// Bytes to send, with the file descriptors that the peer receives with the first byte.
    private struct Packet {
        var bytes: ArraySlice<UInt8>
        var descriptors: [PassedDescriptor]
    }

    private let receive: @Sendable (ArraySlice<UInt8>, [PassedDescriptor]) -> Void
    private let ended: @Sendable (DescriptorStream, TransportError?) -> Void

    private var buffer = [UInt8](repeating: 0, count: EventLoop.readLimit)
    private var pending: [Packet] = []
    private var pendingByteCount = 0

    /// Connects to a socket of this machine, which succeeds or fails at once.
    ///
    /// - Parameters:
    ///   - socket: The name of the socket.
    ///   - executor: The executor of all calls and closures.
    ///   - receive: The closure that gets the bytes of a read, and the descriptors that came with
    ///     them.
    ///   - ended: The closure to call once, after all calls of `receive`. Its error is `nil` if
    ///     this side closed the stream.
    package init(
        connectingTo socket: SocketName,
        executor: AdapterExecutor,
        receive: @escaping @Sendable (ArraySlice<UInt8>, [PassedDescriptor]) -> Void,
        ended: @escaping @Sendable (DescriptorStream, TransportError?) -> Void
    ) throws(TransportError) {
        let descriptor = try Self.makeSocket(connectedTo: socket)
        self.receive = receive
        self.ended = ended
        super.init(descriptor, name: socket.text, executor: executor)
    }

    private static func makeSocket(
        connectedTo socket: SocketName
    ) throws(TransportError) -> Descriptor {
        let address = try SocketAddress(socket)
        do throws(SystemError) {
            let descriptor = try Descriptor.streamSocket(family: AF_UNIX)
            guard address.withPointer({ connect(descriptor.number, $0, $1) }) == 0 else {
                throw .last
            }
            return descriptor
        } catch {
            throw error.transportError("connect to", name: socket.text, path: socket.text)
        }
    }

    /// Enqueues bytes, which are written at the end of the turn.
    package func send(_ bytes: [UInt8], _ descriptors: [PassedDescriptor] = []) {
        precondition(executor.isCurrent, "used outside of the adapter's thread")
        guard descriptor != nil, !bytes.isEmpty else { return }
        pending.append(Packet(bytes: bytes[...], descriptors: descriptors))
        pendingByteCount += bytes.count
        writeAtTurnEnd(pendingByteCount: pendingByteCount, limit: Self.pendingBytesLimit)
    }

    override func read(_ descriptor: Descriptor) throws(SystemError) -> Bool {
        let result = try buffer.withUnsafeMutableBytes { descriptor.receive(into: $0) }.get()
        guard result.count > 0 else {
            end(.closedByPeer(name))
            return false
        }
        guard !result.isTruncated else {
            end(.system(operation: "read from \(name)", code: 0, text: "too many descriptors"))
            return false
        }
        receive(buffer[..<result.count], result.descriptors)
        return true
    }

    override func write(to descriptor: Descriptor) throws(SystemError) -> Bool {
        var written = 0
        defer { pending.removeFirst(written) }
        while written < pending.count {
            let packet = pending[written]
            let count = packet.bytes.withUnsafeBytes {
                descriptor.sendPassing($0, with: packet.descriptors)
            }
            guard count >= 0 else {
                guard SystemError.last.isTemporary else { throw .last }
                return false
            }
            pendingByteCount -= count
            guard count == packet.bytes.count else {
                pending[written] = Packet(bytes: packet.bytes.dropFirst(count), descriptors: [])
                return false
            }
            written += 1
        }
        return true
    }

    override func streamEnded(_ error: TransportError?) {
        pending = []
        ended(self, error)
    }
}

extension DescriptorStream.SocketName {
    fileprivate var text: String {
        switch self {
        case .path(let path): path
        case .abstract(let name): "@" + name
        }
    }
}

extension SocketAddress {
    fileprivate init(_ name: DescriptorStream.SocketName) throws(TransportError) {
        switch name {
        case .path(let path): try self.init(path: path)
        case .abstract(let name): try self.init(abstract: name)
        }
    }
}
