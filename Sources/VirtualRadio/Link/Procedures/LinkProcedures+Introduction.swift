// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The Version Exchange procedure: each end sends its version at most once on a link (Vol 6, Part
/// B, 5.1.5).
extension LinkProcedures {
    mutating func readVersion() throws(HCI.ErrorCode) {
        if peerVersion == nil {
            try run(.version)
        } else {
            emitVersion(status: .success)
        }
    }

    mutating func versionSent(now: Instant) {
        hasSentVersion = true
        if own?.kind == .version { awaitAnswer(now: now) }
    }

    mutating func versionReceived(_ version: LinkVersion) {
        peerVersion = peerVersion ?? version
        let isVersionQueued = outbox.contains { $0.opcode == LLControlPDU.versionOpcode }
        if !hasSentVersion, !isVersionQueued { send(.versionIndication(local.version)) }
        guard has(.version) else { return }
        waiting.removeAll { $0.kind == .version }
        finish(.version)
        emitVersion(status: .success)
    }

    mutating func emitVersion(status: HCI.ErrorCode) {
        let version = peerVersion
        emit(
            .readRemoteVersionInformationComplete(
                HCI.ReadRemoteVersionInformationComplete(
                    status: status,
                    connectionHandle: handle,
                    version: version?.version ?? HCI.Version(rawValue: 0),
                    company: version?.company ?? 0,
                    subversion: version?.subversion ?? 0
                )
            )
        )
    }
}

/// The Feature Exchange procedure: after one exchange, each end has the features of the other end
/// (Vol 6, Part B, 5.1.4).
extension LinkProcedures {
    mutating func readFeatures() throws(HCI.ErrorCode) {
        if peerFeatures != nil { return emitFeatures(status: .success) }
        guard side == .central || local.features.contains(.peripheralFeatureExchange) else {
            throw .unsupportedFeatureOrParameterValue
        }
        try run(.features)
    }

    mutating func startFeatures() {
        if peerFeatures != nil { return emitFeatures(status: .success) }
        begin(
            .features,
            side == .central
                ? .featureRequest(local.features) : .peripheralFeatureRequest(local.features)
        )
    }

    mutating func takeFeatures(_ pdu: LLControlPDU) {
        switch pdu {
        case .featureRequest(let features) where side == .peripheral:
            answer(features)
        case .peripheralFeatureRequest(let features)
        where side == .central && local.features.contains(.peripheralFeatureExchange):
            answer(features)
        case .featureResponse(let features):
            guard own?.kind == .features else { return }
            peerFeatures = features
            finish(.features)
            emitFeatures(status: .success)
        default: refuseAsUnknown(pdu)
        }
    }

    private mutating func answer(_ features: HCI.LEFeatures) {
        peerFeatures = features
        send(.featureResponse(local.features.used(with: features)))
    }

    /// Returns whether the peer may have the feature: it has it, or its features are not known yet.
    func peerMayHave(_ feature: HCI.LEFeatures) -> Bool {
        peerFeatures?.isDisjoint(with: feature) != true
    }

    mutating func emitFeatures(status: HCI.ErrorCode) {
        emit(
            .readRemoteFeaturesComplete(
                HCI.LEReadRemoteFeaturesComplete(
                    status: status,
                    connectionHandle: handle,
                    features: peerFeatures ?? []
                )
            )
        )
    }
}

extension LLControlPDU {
    /// LL_VERSION_IND.
    fileprivate static let versionOpcode: UInt8 = 0x0C
}

extension HCI.LEFeatures {
    /// Returns the features in the answer to a peer: in the first byte, those that both ends have,
    /// and in the other bytes, all features of this end (Vol 6, Part B, 5.1.4).
    fileprivate func used(with peer: HCI.LEFeatures) -> HCI.LEFeatures {
        let shared = HCI.LEFeatures(rawValue: 0xFF)
        return intersection(peer).intersection(shared).union(subtracting(shared))
    }
}
