// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import HCITransports

// The host's port, for code that runs on the host's executor: the operations of the asynchronous
// API with completions instead of suspensions, and an observer instead of streams.
//
// The host calls each completion exactly once, on its executor, and never before the call that took
// the completion has returned. The completion gets `CancellationError` if the request was canceled.
// Completions and observers may call all methods of the port. The effects of these calls follow in
// order, after the completion or the observer has returned. A completion that references the host
// keeps it alive while the request is pending.
//
// An application may use the port and the asynchronous API on one host. Requests of clients have
// one recipient only: the stream of `serverEvents()` if there is one, otherwise the observer.
extension BluetoothHost {
    /// A closure that gets the result of a request.
    package typealias Completion = @Sendable (Result<HostAnswer, any Error>) -> Void

    /// The maximum number of rounds of completions and resulting actions before other work of the
    /// executor runs.
    static let roundsPerDrainLimit = 1_024

    /// Enqueues `body` on the host's executor, and does not wait for it. Call it from any thread.
    /// The closures from one thread run in the order of the calls. Packets that `body` causes are
    /// sent together, after it.
    package nonisolated func execute(
        _ body: @escaping @Sendable (isolated BluetoothHost) -> Void
    ) {
        executor.perform { self.performAsOneOnOwnThread(body) }
    }

    /// Replaces the observer of all events. The new observer immediately gets the adapter's state
    /// and the open links. The host does not keep the observer alive.
    package func attach(_ observer: any HostObserver) {
        performAsOne { host in
            host.port.observer = observer
            observer.hostDid(.stateChanged(host.core.state))
            for link in host.port.links {
                observer.hostDid(.linkOpened(link.identifier, link.peer, link.role))
                guard let mtu = host.core.exchangedMTU(of: link.identifier) else { continue }
                observer.hostDid(.mtuChanged(link.identifier, mtu))
            }
        }
    }

    /// Opens the transport and sets up the controller, as `start()` does, without waiting. Events
    /// `HostEvent.stateChanged` follow.
    package func beginStart() {
        openOnce()
    }

    /// The features of the controller; `nil` while it is not set up.
    package var capabilities: ControllerCapabilities? { core.capabilities }

    /// Sets the Device Name that clients of the server read from now on.
    package func setDeviceName(_ name: String) {
        core.setDeviceName(name)
        settle()
    }
}

// Helpers of the port.
extension BluetoothHost {
    /// Starts a request in the core and registers the completion for its result.
    ///
    /// - Parameters:
    ///   - isAlwaysTaken: Whether the host accepts the request even if `HostCore.requestLimit`
    ///     requests are pending.
    ///   - completion: The closure that gets the result.
    ///   - start: The closure that starts the request in the core.
    /// - Returns: The identifier of the request.
    func begin(
        isAlwaysTaken: Bool = false,
        then completion: @escaping Completion,
        _ start: (inout HostCore, RequestIdentifier, Instant) -> Void
    ) -> RequestIdentifier {
        let id = takeRequest()
        if isAlwaysTaken || waiting.count < HostCore.requestLimit {
            waiting[id] = .completion(completion)
            start(&core, id, executor.now)
        } else {
            port.addPendingResult(completion, .failure(HostError.tooManyRequests))
        }
        settle()
        return id
    }

    /// Completes a pending request with `result`, and cancels it in the core with `giveUp`. A
    /// request that has already completed does not change.
    func cancel(
        _ id: RequestIdentifier,
        as result: Result<HostAnswer, any Error> = .failure(CancellationError()),
        _ giveUp: (inout HostCore, Instant) -> Void
    ) {
        guard case .completion(let completion)? = waiting[id] else { return }
        waiting[id] = nil
        port.addPendingResult(completion, result)
        giveUp(&core, executor.now)
        settle()
    }

    /// Ends the link, the channels or the advertising set of a request that completed after it had
    /// been canceled.
    func release(_ answer: HostAnswer, of request: RequestIdentifier) {
        let now = executor.now
        switch answer {
        case .link(let link, _): core.request(.disconnect, of: link, id: takeRequest(), now: now)
        case .channels(let channels):
            for channel in channels { core.close(channel, now: now) }
        case .advertising: core.stopAdvertising(request, now: now)
        default: break
        }
    }

    /// Performs pending actions after the caller has returned.
    func settle() {
        guard !isPerforming else { return }
        executor.perform { self.assumeIsolated { $0.drain() } }
    }
}
