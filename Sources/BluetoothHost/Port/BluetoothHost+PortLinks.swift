// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

// Links by the port.
extension BluetoothHost {
    /// Asks something of a link.
    ///
    /// `.gatt` operations are queued, and are sent in the order of the calls. Subscribing is one of
    /// them; who subscribes so also unsubscribes so, and nobody counts. To unsubscribe from Service
    /// Changed is answered without doing it as long as the host itself needs that. What is asked in the
    /// background does not secure on demand: no person is asked to pair for it.
    ///
    /// `.database` is answered with the peer's whole table. A host that has looked at that once has
    /// subscribed to Service Changed itself, and `HostEvent.servicesChanged` tells. Without it, only
    /// what is known of an earlier link to a bonded peer makes the host hear of changes. After a change
    /// operations on handles fail with `databaseOutOfSync` until `.database` was answered again, as
    /// `Link.database()` says.
    ///
    /// A link that is gone is told by the reason for which it ended; to disconnect it succeeds.
    @discardableResult
    package func begin(
        _ request: LinkRequest,
        on link: LinkIdentifier,
        then completion: @escaping Completion
    ) -> RequestIdentifier {
        if let answer = immediateAnswer(to: request, on: link) {
            return complete(completion, answer)
        }
        return begin(isAlwaysTaken: request.freesRoom, then: completion) { core, id, now in
            core.request(request, of: link, id: id, now: now)
        }
    }

    /// Sends values to the client of a link; see `Link.notify(_:)`.
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

    /// Gives up a request of a link, or values that have not left. What the peer has been asked
    /// already it may still do.
    package func cancel(_ id: RequestIdentifier, on link: LinkIdentifier) {
        cancel(id) { core, now in
            core.cancelRequest(id, of: link, now: now)
            core.cancelNotification(id, on: link, now: now)
        }
    }

    /// What a request comes to that the core need not be asked for; nil for all others.
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

    /// Why a link cannot be asked for anything; nil while it is there.
    private func endReason(of link: LinkIdentifier) -> HostError? {
        guard !core.isOpen(link) else { return nil }
        return core.state == .closed ? .closed : pastEnd(of: link)
    }

    /// Has a completion called without the core's doing.
    private func complete(
        _ completion: @escaping Completion,
        _ result: Result<HostAnswer, any Error>
    ) -> RequestIdentifier {
        port.owe(completion, result)
        settle()
        return takeRequest()
    }
}

// What is known of links.
extension BluetoothHost {
    /// How well a link is protected now; nil if it has ended.
    package func securityOf(_ link: LinkIdentifier) -> LinkSecurity? { core.security(of: link) }

    /// The table of a link's peer, while it is known to hold: what the last `.database` has answered,
    /// as long as the peer has told of no change. Nil if it is to be asked for.
    package func knownDatabase(of link: LinkIdentifier) -> GATT.Database? {
        core.knownDatabase(of: link)
    }

    /// Who the peer of a link is: its identity address if it is bonded, else the address with which it
    /// has connected. Nil if the link has ended.
    package func peer(of link: LinkIdentifier) -> DeviceAddress? { core.peer(of: link) }
}

extension HostCore {
    /// The table of a link's peer, while it is known to hold.
    package func knownDatabase(of link: LinkIdentifier) -> GATT.Database? {
        handles[link].flatMap { links[$0]?.lookup.database }
    }

    /// The MTU of a link's first bearer, if it is more than what every link begins with.
    func exchangedMTU(of link: LinkIdentifier) -> Int? {
        guard let mtu = handles[link].flatMap({ links[$0]?.gatt.mtu }), mtu > ATT.defaultMTU else {
            return nil
        }
        return mtu
    }

    /// Whether the host itself listens to a value.
    func needsSubscription(to value: AttributeHandle, on link: LinkIdentifier) -> Bool {
        handles[link].flatMap { links[$0]?.needsSubscription(to: value) } ?? false
    }
}
