// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A listening socket.
///
/// Unchecked: used on the executor's thread only, as the calls of `executor.loop` check.
final class SocketListener: DescriptorHandler, @unchecked Sendable {
    /// How many connections may wait to be accepted.
    static let waitingConnectionsLimit: Int32 = 128

    /// How long a listener rests when the process has no descriptors left. The connection stays in
    /// the queue, so that `poll` would report it again at once, for ever.
    static let restWithoutDescriptors = Duration.milliseconds(100)

    private let executor: AdapterExecutor
    private let name: String
    private let accepted: @Sendable (any HCITransport) -> Void
    private var descriptor: Descriptor?
    private var acceptedCount = 0
    private lazy var restTimer = executor.makeTimer { [weak self] in self?.listen() }

    init(
        _ descriptor: Descriptor,
        name: String,
        executor: AdapterExecutor,
        accepted: @escaping @Sendable (any HCITransport) -> Void
    ) {
        self.descriptor = descriptor
        self.name = name
        self.executor = executor
        self.accepted = accepted
    }

    /// A socket bound to the address, with a queue for connections.
    static func bind(_ address: SocketAddress) throws(SystemError) -> Descriptor {
        let descriptor = try Descriptor.streamSocket(family: address.family)
        // So that a server can start again while old connections fade.
        descriptor.set(SOL_SOCKET, SO_REUSEADDR)
        guard address.withPointer({ systemBind(descriptor.number, $0, $1) }) == 0,
            systemListen(descriptor.number, waitingConnectionsLimit) == 0
        else { throw .last }
        return descriptor
    }

    /// Begins to accept.
    func listen() {
        guard let descriptor else { return }
        executor.loop.watch(descriptor, readable: true, writable: false, self)
    }

    /// Stops to accept. Connections accepted before stay.
    func close() {
        guard let descriptor else { return }
        executor.loop.unwatch(descriptor)
        restTimer.set(to: nil)
        self.descriptor = nil
    }

    func descriptorReady(readable: Bool, writable: Bool) {
        guard let descriptor else { return }
        let number = accept(descriptor.number, nil, nil)
        guard number >= 0 else { return rest(after: .last) }
        let connection = Descriptor(owning: number)
        connection.makeStreamSocketReady()
        acceptedCount += 1
        accepted(SocketTransport(accepted: connection, name: "\(name)#\(acceptedCount)"))
    }

    func loopEnded() {
        close()
    }

    private func rest(after error: SystemError) {
        // All else is about the connection, which has gone from the queue.
        guard error.code == EMFILE || error.code == ENFILE, let descriptor else { return }
        executor.loop.unwatch(descriptor)
        restTimer.set(to: executor.now + Self.restWithoutDescriptors)
    }
}

// The C functions, where methods of the same name hide them.

private func systemBind(
    _ number: Int32,
    _ address: UnsafePointer<sockaddr>,
    _ length: socklen_t
) -> Int32 {
    bind(number, address, length)
}

private func systemListen(_ number: Int32, _ limit: Int32) -> Int32 {
    listen(number, limit)
}
