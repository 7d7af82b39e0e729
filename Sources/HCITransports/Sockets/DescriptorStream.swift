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
/// The conformance is unchecked: only the executor's thread accesses the mutable properties. Every
/// entry point uses `executor.loop`, or checks the thread itself, which traps on any other thread.
package final class DescriptorStream: @unchecked Sendable {
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

    private let executor: AdapterExecutor
    private let name: String
    private let receive: @Sendable (ArraySlice<UInt8>, [PassedDescriptor]) -> Void
    private let ended: @Sendable (DescriptorStream, TransportError?) -> Void

    /// The descriptor of the socket; `nil` once the stream is closed.
    private var descriptor: Descriptor?
    private var buffer = [UInt8](repeating: 0, count: EventLoop.readLimit)
    private var pending: [Packet] = []
    private var pendingByteCount = 0
    private var isTurnEndAwaited = false
    private var isWritableAwaited = false

    /// Connects to a socket of this machine, which succeeds or fails at once.
    ///
    /// - Parameters:
    ///   - socket: The name of the socket.
    ///   - executor: The executor of all calls and closures.
    ///   - receive: The closure that gets the bytes of a read, and the descriptors that came with
    ///     them.
    ///   - ended: The closure to call once, after all calls of `receive`. Its error is `nil` if
    ///     this side closed the stream.
    package convenience init(
        connectingTo socket: SocketName,
        executor: AdapterExecutor,
        receive: @escaping @Sendable (ArraySlice<UInt8>, [PassedDescriptor]) -> Void,
        ended: @escaping @Sendable (DescriptorStream, TransportError?) -> Void
    ) throws(TransportError) {
        let descriptor = try Self.connect(to: socket)
        self.init(descriptor, socket.text, executor, receive, ended)
    }

    private static func connect(to socket: SocketName) throws(TransportError) -> Descriptor {
        let address = try SocketAddress(socket)
        do throws(SystemError) {
            let descriptor = try Descriptor.streamSocket(family: AF_UNIX)
            guard address.withPointer({ systemConnect(descriptor.number, $0, $1) }) == 0 else {
                throw .last
            }
            return descriptor
        } catch {
            throw error.transportError("connect to", name: socket.text, path: socket.text)
        }
    }

    private init(
        _ descriptor: Descriptor,
        _ name: String,
        _ executor: AdapterExecutor,
        _ receive: @escaping @Sendable (ArraySlice<UInt8>, [PassedDescriptor]) -> Void,
        _ ended: @escaping @Sendable (DescriptorStream, TransportError?) -> Void
    ) {
        self.descriptor = descriptor
        self.name = name
        self.executor = executor
        self.receive = receive
        self.ended = ended
    }

    /// Starts to deliver received bytes.
    package func start() {
        guard let descriptor else { return }
        executor.loop.watch(descriptor, readable: true, writable: false, self)
    }

    /// Enqueues bytes, which are written at the end of the turn.
    package func send(_ bytes: [UInt8], _ descriptors: [PassedDescriptor] = []) {
        let loop = executor.loop
        guard descriptor != nil, !bytes.isEmpty else { return }
        pending.append(Packet(bytes: bytes[...], descriptors: descriptors))
        pendingByteCount += bytes.count
        guard pendingByteCount <= Self.pendingBytesLimit else {
            return end(.outputOverflow(limit: Self.pendingBytesLimit))
        }
        guard !isTurnEndAwaited, !isWritableAwaited else { return }
        isTurnEndAwaited = true
        loop.callAtTurnEnd(self)
    }

    /// Writes as much as possible, and closes the stream.
    package func close() {
        precondition(executor.isCurrent, "closed outside of the executor's thread")
        guard descriptor != nil else { return }
        try? write()
        end(nil)
    }

    private func end(_ error: TransportError?) {
        guard let descriptor else { return }
        executor.loop.unwatch(descriptor)
        self.descriptor = nil
        pending = []
        // `ended` is not called directly, because the caller may be in the middle of sending.
        executor.perform { [self] in ended(self, error) }
    }
}

extension DescriptorStream: DescriptorHandler {
    func descriptorReady(readable: Bool, writable: Bool) {
        if writable, isWritableAwaited { flush() }
        if readable { readOnce() }
    }

    func loopEnded() { close() }

    private func readOnce() {
        guard let descriptor else { return }
        do throws(SystemError) {
            let result = try buffer.withUnsafeMutableBytes { descriptor.receive(into: $0) }.get()
            guard result.count > 0 else { return end(.closedByPeer(name)) }
            guard !result.isTruncated else {
                return end(
                    .system(operation: "read from \(name)", code: 0, text: "too many descriptors")
                )
            }
            receive(buffer[..<result.count], result.descriptors)
        } catch {
            if !error.isTemporary { end(error.transportError("read from", name: name)) }
        }
    }
}

extension DescriptorStream: TurnEndHandler {
    func turnEnded() {
        isTurnEndAwaited = false
        flush()
    }

    private func flush() {
        do throws(SystemError) {
            try write()
            guard let descriptor, pending.isEmpty == isWritableAwaited else { return }
            isWritableAwaited = !pending.isEmpty
            executor.loop.watch(descriptor, readable: true, writable: isWritableAwaited, self)
        } catch {
            end(error.transportError("write to", name: name))
        }
    }

    /// Writes packets until the socket accepts no more.
    private func write() throws(SystemError) {
        guard let descriptor else { return }
        var written = 0
        defer { pending.removeFirst(written) }
        while written < pending.count {
            let packet = pending[written]
            let count = packet.bytes.withUnsafeBytes {
                descriptor.sendPassing($0, with: packet.descriptors)
            }
            guard count >= 0 else {
                guard SystemError.last.isTemporary else { throw .last }
                return
            }
            pendingByteCount -= count
            guard count == packet.bytes.count else {
                pending[written] = Packet(bytes: packet.bytes.dropFirst(count), descriptors: [])
                return
            }
            written += 1
        }
    }
}

/// Calls the C function, which the method of the same name hides.
private func systemConnect(
    _ number: Int32,
    _ address: UnsafePointer<sockaddr>,
    _ length: socklen_t
) -> Int32 {
    connect(number, address, length)
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
