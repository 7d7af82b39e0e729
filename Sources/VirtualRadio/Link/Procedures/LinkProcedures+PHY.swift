// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The PHY Update procedure: an end sends its preferences, and the central decides (Vol 6, Part B,
/// 5.1.10).
extension LinkProcedures {
    /// The PHYs that this end supports.
    private var phys: HCI.PHYSet {
        var phys = HCI.PHYSet.le1M
        if local.features.contains(.le2M) { phys.insert(.le2M) }
        if local.features.contains(.coded) { phys.insert(.coded) }
        return phys
    }

    mutating func setPHY(
        _ preference: HCI.PHYPreference,
        _ coding: HCI.CodedPHYPreference
    ) throws(HCI.ErrorCode) {
        guard phys != .le1M else { throw .unknownCommand }
        for proposal in [preference.transmit, preference.receive] {
            guard let proposal else { continue }
            guard !proposal.isEmpty else { throw .invalidCommandParameters }
            guard proposal.isSubset(of: phys) else { throw .unsupportedFeatureOrParameterValue }
        }
        guard coding.rawValue <= HCI.CodedPHYPreference.far.rawValue else {
            throw .invalidCommandParameters
        }
        try run(.phy)
        self.preference = preference
        self.coding = coding
        if sending.phy == .leCoded { setPHYs(sending: .leCoded, receiving: receiving) }
    }

    mutating func startPHY() {
        guard peerMayHave([.le2M, .coded]) else {
            return emitPHYUpdate(status: .unsupportedRemoteFeature)
        }
        begin(.phy, .phyRequest(offer))
    }

    private var offer: PHYOffer {
        func wanted(_ proposal: HCI.PHYSet?) -> HCI.PHYSet {
            let possible = (proposal ?? phys).intersection(phys)
            return possible.isEmpty ? phys : possible
        }
        return PHYOffer(
            send: wanted(preference.transmit),
            receive: wanted(preference.receive)
        )
    }

    mutating func takePHY(_ pdu: LLControlPDU, _ peer: PHYOffer) {
        guard phys != .le1M else { return refuseAsUnknown(pdu) }
        if case .phyRequest = pdu {
            guard !collides(pdu, .phy) else { return }
            remote = .awaitingPHYUpdate
            remoteDeadline = nil
            send(side == .peripheral ? .phyResponse(offer) : .phyUpdateIndication(decide(peer)))
        } else if side == .central, own?.kind == .phy, own?.isAnswered == false {
            own?.isAnswered = true
            own?.deadline = nil
            send(.phyUpdateIndication(decide(peer)))
        }
    }

    /// Returns the fastest PHY that both ends prefer, for each direction. Without a common PHY the
    /// direction does not change.
    private func decide(_ peer: PHYOffer) -> PHYDecision {
        let there = offer.send.intersection(peer.receive).fastest
        let back = peer.send.intersection(offer.receive).fastest
        return PHYDecision(
            centralToPeripheral: there == sending.phy ? nil : there,
            peripheralToCentral: back == receiving ? nil : back,
            instant: 0
        )
    }

    /// Returns whether this end supports the PHYs of the decision.
    func areLegal(_ decision: PHYDecision) -> Bool {
        [decision.centralToPeripheral, decision.peripheralToCentral].allSatisfy {
            $0.map { phys.isSuperset(of: HCI.PHYSet([$0])) && !HCI.PHYSet([$0]).isEmpty } ?? true
        }
    }

    /// Schedules, for its instant, a decision that this end has sent or received. If nothing
    /// changes, the procedure ends at once, and only the host that requested it gets an event.
    mutating func decided(_ decision: PHYDecision) {
        guard !decision.changesSomething else { return schedule(.phys(decision)) }
        if remote?.kind == .phy { remote = nil }
        guard own?.kind == .phy else { return }
        finish(.phy)
        emitPHYUpdate(status: .success)
    }

    /// Applies the PHYs at the instant.
    mutating func apply(_ decision: PHYDecision) {
        let before = (sending.phy, receiving)
        let (send, receive) =
            side == .central
            ? (decision.centralToPeripheral, decision.peripheralToCentral)
            : (decision.peripheralToCentral, decision.centralToPeripheral)
        setPHYs(sending: send ?? sending.phy, receiving: receive ?? receiving)
        let isOwn = own?.kind == .phy
        finish(.phy)
        if isOwn || before != (sending.phy, receiving) { emitPHYUpdate(status: .success) }
        updateDataLength()
    }

    private mutating func setPHYs(sending phy: PHY, receiving: PHY) {
        switch phy {
        case .le2M: sending = .le2M
        case .leCoded: sending = coding == .fast ? .codedS2 : .codedS8
        default: sending = .le1M
        }
        self.receiving = receiving
        actions.append(.setPHYs(sending: sending, receiving: receiving))
    }

    mutating func emitPHYUpdate(status: HCI.ErrorCode) {
        emit(
            .phyUpdateComplete(
                HCI.LEPHYUpdateComplete(
                    status: status,
                    connectionHandle: handle,
                    transmit: sending.phy,
                    receive: receiving
                )
            )
        )
    }
}

extension PHYDecision {
    /// Whether a PHY changes in either direction.
    var changesSomething: Bool { centralToPeripheral != nil || peripheralToCentral != nil }
}

extension HCI.PHYSet {
    /// The PHY with the highest rate; `nil` for an empty set.
    fileprivate var fastest: PHY? {
        if contains(.le2M) { return .le2M }
        if contains(.le1M) { return .le1M }
        return contains(.coded) ? .leCoded : nil
    }
}
