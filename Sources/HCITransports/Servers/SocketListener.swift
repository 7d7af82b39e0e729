// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A listening socket, which pauses while the process has no free descriptors.
///
/// The conformance is unchecked: only the executor's thread uses the object, which the calls of
/// `executor.loop` check.
final class SocketListener: DescriptorHandler, @unchecked Sendable {
    /// The maximum number of connections that wait to be accepted.
    static let waitingConnectionsLimit: Int32 = 128

    /// The pause of a listener when the process has no free descriptors. The connection stays in
    /// the queue, and without a pause `poll` would report it continuously.
    static let pauseWithoutDescriptors = Duration.milliseconds(100)

    private let executor: AdapterExecutor
    private let accept: (Descriptor) throws(SystemError) -> Void
    private var descriptor: Descriptor?
    private lazy var pauseTimer = executor.makeTimer { [weak self] in self?.listen() }

    /// Creates a listener, which `listen()` starts.
    ///
    /// - Parameter accept: The closure that accepts one connection of the socket, on the executor's
    ///   thread, or throws the error of the system.
    init(
        _ descriptor: Descriptor,
        executor: AdapterExecutor,
        accept: @escaping (Descriptor) throws(SystemError) -> Void
    ) {
        self.descriptor = descriptor
        self.executor = executor
        self.accept = accept
    }

    /// Starts to accept connections.
    func listen() {
        guard let descriptor else { return }
        executor.loop.watch(descriptor, readable: true, writable: false, self)
    }

    /// Stops accepting connections. Accepted connections stay open.
    func close() {
        guard let descriptor else { return }
        executor.loop.unwatch(descriptor)
        pauseTimer.set(to: nil)
        self.descriptor = nil
    }

    func descriptorReady(readable: Bool, writable: Bool) {
        guard let descriptor else { return }
        do throws(SystemError) {
            try accept(descriptor)
        } catch {
            pause(after: error)
        }
    }

    func loopEnded() {
        close()
    }

    private func pause(after error: SystemError) {
        // After an error such as ECONNABORTED, the connection is no longer in the queue, so no
        // pause is needed.
        guard error.code == EMFILE || error.code == ENFILE, let descriptor else { return }
        executor.loop.unwatch(descriptor)
        pauseTimer.set(to: executor.now + Self.pauseWithoutDescriptors)
    }
}

extension Descriptor {
    /// Creates a stream socket that is bound to the address, with a queue for connections.
    static func listeningSocket(at address: SocketAddress) throws(SystemError) -> Descriptor {
        let descriptor = try streamSocket(family: address.family)
        // This option lets a server start again while old connections are in TIME_WAIT.
        descriptor.set(SOL_SOCKET, SO_REUSEADDR)
        guard address.withPointer({ bind(descriptor.number, $0, $1) }) == 0,
            listen(descriptor.number, SocketListener.waitingConnectionsLimit) == 0
        else { throw .last }
        return descriptor
    }
}
