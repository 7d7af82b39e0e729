// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes

// The application's requests to links, which `LinkCore` performs.
extension HostCore {
    /// Starts a request to a link. The answer is a `completed` action. Disconnecting a link that
    /// has ended succeeds.
    package mutating func request(
        _ request: LinkRequest,
        of link: LinkIdentifier,
        id: RequestIdentifier,
        now: Instant
    ) {
        let found: Void? = withLink(link, now: now) { $0.request(request, id: id, &$1) }
        guard found == nil else { return }
        if request.isDisconnection, state != .closed {
            complete(id, .done)
        } else {
            failWithoutLink(id)
        }
    }

    /// Sends a value as a Write Command if that is possible without waiting.
    ///
    /// - Returns: `false` if the value must wait or cannot be sent, or if the link has ended.
    package mutating func writeAtOnce(
        _ value: [UInt8],
        to attribute: AttributeHandle,
        on link: LinkIdentifier,
        now: Instant
    ) -> Bool {
        withLink(link, now: now) { $0.writeAtOnce(value, to: attribute, &$1) } ?? false
    }

    /// Ends a request to a link that is not open. The driver replaces
    /// `unknownConnectionIdentifier` by the reason why the link ended.
    mutating func failWithoutLink(_ id: RequestIdentifier) {
        let gone = HostError.disconnected(.unknownConnectionIdentifier)
        fail(id, state == .closed ? HostError.closed : gone)
    }

    /// Ends a request that the application has canceled. The driver ignores a later answer.
    package mutating func cancelRequest(
        _ id: RequestIdentifier,
        of link: LinkIdentifier,
        now: Instant
    ) {
        withLink(link, now: now) { $0.cancelRequest(id, &$1) }
    }

    /// Unsubscribes from the values of a characteristic that the application no longer reads.
    package mutating func unsubscribe(
        _ value: AttributeHandle,
        configuration: AttributeHandle,
        on link: LinkIdentifier,
        now: Instant
    ) {
        withLink(link, now: now) {
            $0.unsubscribe(value, configuration: configuration, &$1)
        }
    }

    /// Answers the question of a pairing, which may already be over.
    package mutating func answer(_ answer: Pairing.Answer, on link: LinkIdentifier, now: Instant) {
        withLink(link, now: now) { $0.answer(answer, &$1) }
    }

    /// Decides whether to pair again with a peer that has lost its bond.
    package mutating func answerBondLoss(
        _ pairsAgain: Bool,
        on link: LinkIdentifier,
        now: Instant
    ) {
        withLink(link, now: now) { $0.answerBondLoss(pairsAgain, &$1) }
    }

    /// Answers `recallDatabase` with the stored database of a peer, or `nil` if the store has none.
    package mutating func recalledDatabase(
        _ bytes: [UInt8]?,
        of link: LinkIdentifier,
        now: Instant
    ) {
        guard let bytes else { return }
        withLink(link, now: now) { $0.recalledDatabase(bytes, &$1) }
    }
}

// The properties of links.
extension HostCore {
    /// The current links, oldest first.
    package var linkList: [(identifier: LinkIdentifier, peer: DeviceAddress)] {
        links.cores.map { ($0.identifier, $0.identity) }
    }

    package func isOpen(_ link: LinkIdentifier) -> Bool { links.index(of: link) != nil }

    /// Returns whether a link has ended or is being disconnected.
    func isEnding(_ link: LinkIdentifier) -> Bool { look(at: link) { $0.isDisconnecting } ?? true }

    /// Returns the properties of a link, or `nil` if it has ended.
    package func properties(of link: LinkIdentifier) -> Link.Properties? {
        look(at: link) { link in
            Link.Properties(
                mtu: link.bearer.att.mtu,
                parameters: link.parameters,
                dataLength: link.dataLength,
                phy: link.phy,
                role: link.role == .peripheral ? .peripheral : .central
            )
        }
    }

    /// Returns the protection of a link, or `nil` if it has ended.
    package func security(of link: LinkIdentifier) -> LinkSecurity? {
        look(at: link) { $0.security }
    }

    /// Returns the bond of a link's peer, if the peer has proved its identity.
    package func verifiedBond(of link: LinkIdentifier) -> Bond? {
        look(at: link) { $0.awaitsEncryption ? nil : $0.bond }
    }

    /// Returns the address that a link's peer used when the link was made, or `nil` if the link has
    /// ended.
    package func peer(of link: LinkIdentifier) -> DeviceAddress? {
        look(at: link) { $0.peer }
    }

    /// Returns the number of enhanced bearers of a link.
    package func enhancedBearerCount(of link: LinkIdentifier) -> Int {
        look(at: link) { $0.enhanced.bearers.count } ?? 0
    }

    /// Returns the database of a link's peer, while it is known to be current.
    package func knownDatabase(of link: LinkIdentifier) -> GATT.Database? {
        look(at: link) { $0.lookup.database }
    }

    /// Returns whether the database of a link's peer is available without a discovery, unless the
    /// peer has changed it.
    package func canRecallDatabase(of link: LinkIdentifier) -> Bool {
        look(at: link) { $0.lookup.isRecallable } ?? false
    }

    /// Returns the MTU of a link's first bearer, if it is more than the default.
    func exchangedMTU(of link: LinkIdentifier) -> Int? {
        look(at: link) { $0.bearer.att.mtu > ATT.defaultMTU ? $0.bearer.att.mtu : nil }
    }

    /// Returns whether the host itself needs notifications or indications of a value.
    func needsSubscription(to value: AttributeHandle, on link: LinkIdentifier) -> Bool {
        look(at: link) { $0.needsSubscription(to: value) } ?? false
    }
}
