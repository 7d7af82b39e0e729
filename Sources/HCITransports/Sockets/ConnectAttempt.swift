// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An attempt to connect to several addresses in turn, with one time limit for all.
///
/// The conformance is unchecked: only the executor's thread uses the object, which the calls of
/// `executor.loop` check.
final class ConnectAttempt: OpeningAttempt, DescriptorHandler, @unchecked Sendable {
    typealias Outcome = Result<Descriptor, TransportError>

    private let executor: AdapterExecutor
    private let endpoint: SocketEndpoint
    private var addresses: ArraySlice<SocketAddress>
    private let timeout: Duration

    private var descriptor: Descriptor?
    private var timer: (any HostTimer)?
    private var lastError: TransportError?
    /// The completion, or `nil` before the start and after it was called.
    private var finished: (@Sendable (Outcome) -> Void)?
    private var isCancelled = false

    init(
        to addresses: [SocketAddress],
        of endpoint: SocketEndpoint,
        timeout: Duration,
        executor: AdapterExecutor
    ) {
        self.executor = executor
        self.endpoint = endpoint
        self.addresses = addresses[...]
        self.timeout = timeout
    }

    func start(_ finished: @escaping @Sendable (Outcome) -> Void) {
        self.finished = finished
        guard !isCancelled else { return finish(.failure(.cancelled)) }
        let timer = executor.makeTimer { [weak self] in self?.timedOut() }
        timer.set(to: executor.now + timeout)
        self.timer = timer
        tryNext()
    }

    func cancel() {
        isCancelled = true
        finish(.failure(.cancelled))
    }

    private func timedOut() {
        finish(.failure(.timedOut(endpoint.name, after: timeout)))
    }

    private func tryNext() {
        while let address = addresses.popFirst() {
            do throws(SystemError) {
                let descriptor = try Descriptor.streamSocket(family: address.family)
                let result = address.withPointer { connect(descriptor.number, $0, $1) }
                if result == 0 { return finish(.success(descriptor)) }
                // EAGAIN means a Unix listener whose queue is full. No event follows it.
                guard SystemError.last.code == EINPROGRESS else { throw .last }
                self.descriptor = descriptor
                return executor.loop.watch(descriptor, readable: false, writable: true, self)
            } catch {
                lastError = endpoint.error("connect to", error)
            }
        }
        finish(.failure(lastError ?? .unreachable(endpoint.name)))
    }

    func descriptorReady(readable: Bool, writable: Bool) {
        guard let descriptor else { return }
        executor.loop.unwatch(descriptor)
        self.descriptor = nil
        if let error = descriptor.connectionError {
            lastError = endpoint.error("connect to", error)
            tryNext()
        } else {
            finish(.success(descriptor))
        }
    }

    func loopEnded() {
        cancel()
    }

    private func finish(_ outcome: Outcome) {
        guard let finished else { return }
        self.finished = nil
        if let descriptor { executor.loop.unwatch(descriptor) }
        descriptor = nil
        timer?.set(to: nil)
        finished(outcome)
    }
}
