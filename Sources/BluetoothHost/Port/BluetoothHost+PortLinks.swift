// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

// Links through the port.
extension BluetoothHost {
    /// Starts a request to a link.
    ///
    /// `.gatt` operations are queued and sent in the order of the calls. They include subscribing
    /// and unsubscribing. The host does not count the requests of the port to subscribe, so the
    /// first request to unsubscribe ends the subscription. While the host itself needs Service
    /// Changed, unsubscribing from it succeeds without an effect. A request with `securesOnDemand`
    /// set to `false` never makes the host pair.
    ///
    /// The answer to `.database` is the peer's whole database. The host then subscribes to Service
    /// Changed if the peer has it, and `HostEvent.servicesChanged` reports changes. On a link
    /// without a `.database` request, a peer reports changes only if it is bonded and the host
    /// subscribed to its Service Changed on an earlier link. After a change, operations on handles
    /// fail with `databaseOutOfSync` until `.database` is answered again; see `Link.database()`.
    ///
    /// If the link has ended, the result is the reason. Disconnecting an ended link succeeds.
    @discardableResult
    package func begin(
        _ request: LinkRequest,
        on link: LinkIdentifier,
        then completion: @escaping Completion
    ) -> RequestIdentifier {
        if let answer = immediateAnswer(to: request, on: link) {
            return complete(completion, answer)
        }
        return begin(isAlwaysTaken: request.isDisconnection, then: completion) { core, id, now in
            core.request(request, of: link, id: id, now: now)
        }
    }

    /// Sends values to the client of a link. See `Link.notify(_:)`.
    @discardableResult
    package func begin(
        _ values: [GATT.AttributeValue],
        on link: LinkIdentifier,
        then completion: @escaping Completion
    ) -> RequestIdentifier {
        if let reason = endReason(of: link) { return complete(completion, .failure(reason)) }
        guard !values.isEmpty else { return complete(completion, .success(.done)) }
        return begin(then: completion) { core, id, now in
            core.notify(values, on: link, id: id, now: now)
        }
    }

    /// Returns the result of a request that needs no action of the core; `nil` for all other
    /// requests.
    private func immediateAnswer(
        to request: LinkRequest,
        on link: LinkIdentifier
    ) -> Result<HostAnswer, any Error>? {
        switch request {
        case .disconnect where !core.isOpen(link): .success(.done)
        case .gatt(.unsubscribe(let value, _), _) where core.needsSubscription(to: value, on: link):
            .success(.gatt(.done))
        default: endReason(of: link).map { .failure($0) }
        }
    }

    /// Returns the reason why a link has ended; `nil` if it is open.
    private func endReason(of link: LinkIdentifier) -> HostError? {
        guard !core.isOpen(link) else { return nil }
        return core.state == .closed ? .closed : pastEnd(of: link)
    }

    /// Completes a request without the core.
    private func complete(
        _ completion: @escaping Completion,
        _ result: Result<HostAnswer, any Error>
    ) -> RequestIdentifier {
        port.addPendingResult(completion, result)
        settle()
        return takeRequest()
    }
}

// Properties of links.
extension BluetoothHost {
    /// Returns the database of a link's peer if it is known to be current: the answer to the last
    /// `.database`, unless the peer has reported a change since; `nil` if it must be requested.
    package func knownDatabase(of link: LinkIdentifier) -> GATT.Database? {
        core.knownDatabase(of: link)
    }
}
