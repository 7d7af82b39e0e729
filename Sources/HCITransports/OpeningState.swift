// SPDX-License-Identifier: Apache-2.0

/// The state of a transport on an `AdapterExecutor`, which is closed, opening, or open.
final class OpeningState<Opened: Sendable>: Sendable {
    private enum Phase {
        /// The error is that of the last attempt or connection.
        case closed(TransportError?)
        case opening
        case open(Opened)
    }

    private let phase = Lock(Phase.closed(nil))

    /// The content of the open transport, or `nil` if the transport is not open.
    var opened: Opened? {
        phase.withLock { phase in
            guard case .open(let opened) = phase else { return nil }
            return opened
        }
    }

    /// The error with which the transport closed or failed to open, or `nil` if there was none, or
    /// the transport is not closed.
    var closingError: TransportError? {
        phase.withLock { phase in
            guard case .closed(let error) = phase else { return nil }
            return error
        }
    }

    /// Opens the transport.
    ///
    /// - Parameters:
    ///   - name: The name of the transport.
    ///   - executor: The executor of the host, which must be an `AdapterExecutor`.
    ///   - body: The closure that opens the transport and calls `setOpen`.
    /// - Throws: ``TransportError`` if the executor is not suitable, the transport is not closed, or
    ///   the body fails. In the last case, the transport is closed again.
    func open(
        _ name: String,
        on executor: any HostExecutor,
        _ body: (AdapterExecutor) async throws(TransportError) -> Void
    ) async throws(TransportError) {
        guard let executor = executor as? AdapterExecutor else { throw .unsuitableExecutor(name) }
        let isFirst = phase.withLock { phase in
            guard case .closed = phase else { return false }
            phase = .opening
            return true
        }
        guard isFirst else { throw .alreadyOpen(name) }
        do throws(TransportError) {
            try await body(executor)
        } catch {
            setClosed(error)
            throw error
        }
    }

    func setOpen(_ opened: Opened) { phase.withLock { $0 = .open(opened) } }

    func setClosed(_ error: TransportError?) { phase.withLock { $0 = .closed(error) } }
}

/// An attempt to open a transport, which ends with one outcome.
protocol OpeningAttempt: AnyObject, Sendable {
    associatedtype Success: Sendable

    /// Starts the attempt. `finished` is called exactly once, possibly before this returns.
    func start(_ finished: @escaping @Sendable (Result<Success, TransportError>) -> Void)

    /// Cancels the attempt, even before the start.
    func cancel()
}

extension OpeningAttempt {
    /// Makes the attempt on the thread of the executor. Cancellation of the task cancels it.
    func outcome(on executor: AdapterExecutor) async throws(TransportError) -> Success {
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                executor.perform { self.start { continuation.resume(returning: $0) } }
            }
        } onCancel: {
            executor.perform { self.cancel() }
        }
        return try outcome.get()
    }
}
