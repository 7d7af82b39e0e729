// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import HCITransports

// The host's port: the same operations as the asynchronous ones, with completions instead of
// suspensions and an observer instead of streams, for code that lives on the host's executor.
//
// Every completion is called exactly once, on the host's executor, and never before the call that it
// was given to has returned: with `CancellationError` if what it waits for was cancelled, with
// `HostError.closed` if the host is shut down. Completions and observers may call whatever is here;
// what that brings about follows in order, after they have returned. A completion that holds the host
// keeps it for as long as it waits.
//
// Both ways may be used on one host. Only of the questions of clients there is one reader: the stream
// of `serverEvents()`, while there is one, else the observer.
extension BluetoothHost {
    /// How a request ended.
    package typealias Completion = @Sendable (Result<HostAnswer, any Error>) -> Void

    /// How often in one go completions may bring forth more of them before the executor's other work
    /// gets its turn.
    static let roundsPerDrainLimit = 1_024

    /// Runs `body` on the host, in the order of the calls. From anywhere; never before this has
    /// returned. What `body` begins leaves together, after it.
    package nonisolated func enter(
        _ body: @escaping @Sendable (isolated BluetoothHost) -> Void
    ) {
        executor.perform { self.assumeIsolated { $0.performAsOne(body) } }
    }

    /// Has `observer`, which is not kept alive, told what happens from now on, instead of the one
    /// before; at once of the adapter's state and of the links there are.
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

    /// Opens the transport and sets the controller up, as `start()` does, without waiting for it:
    /// `HostEvent.stateChanged` tells.
    package func beginStart() {
        openOnce()
    }

    /// Ends all links and closes the transport, as `shutdown()` does, without waiting for it:
    /// `HostEvent.stateChanged` tells, within a second, and all completions are called.
    package func beginShutdown() {
        core.shutDown(now: executor.now)
        settle()
    }

    /// What the controller is able to; nil while it is not set up.
    package var capabilities: ControllerCapabilities? { core.capabilities }
}

// What the port is made of.
extension BluetoothHost {
    /// Starts something in the core that `completion` is told the end of.
    ///
    /// - Parameter isAlwaysTaken: whether that is done even where more waits than may.
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
            port.owe(completion, .failure(HostError.tooManyRequests))
        }
        settle()
        return id
    }

    /// Ends the waiting for something, and has the core give it up.
    func cancel(
        _ id: RequestIdentifier,
        as result: Result<HostAnswer, any Error> = .failure(CancellationError()),
        _ giveUp: (inout HostCore, Instant) -> Void
    ) {
        guard case .completion(let completion)? = waiting[id] else { return }
        waiting[id] = nil
        port.owe(completion, result)
        giveUp(&core, executor.now)
        settle()
    }

    /// A request that nobody waits for any more was done already when it was cancelled: what it has
    /// made goes again.
    func release(_ answer: HostAnswer, of request: RequestIdentifier) {
        let now = executor.now
        switch answer {
        case .link(let link, _): core.request(.disconnect, of: link, id: takeRequest(), now: now)
        case .channels(let channels):
            for channel in channels { core.closeChannel(channel, now: now) }
        case .advertising: core.stopAdvertising(request, now: now)
        default: break
        }
    }

    /// Has performed what is to be done, after whoever is calling has returned.
    func settle() {
        guard !isPerforming else { return }
        executor.perform { self.assumeIsolated { $0.drain() } }
    }

    func tell(_ event: HostEvent) {
        port.observer?.hostDid(event)
    }
}
