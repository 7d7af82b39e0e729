// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import VirtualRadio

@Suite("Procedures: versions and features")
struct IntroductionTests {
    private func version(_ event: HCI.Event?) -> HCI.ReadRemoteVersionInformationComplete? {
        guard case .readRemoteVersionInformationComplete(let complete) = event else { return nil }
        return complete
    }

    private func features(_ event: HCI.Event?) -> HCI.LEReadRemoteFeaturesComplete? {
        guard case .readRemoteFeaturesComplete(let complete) = event else { return nil }
        return complete
    }

    @Test(
        "LL/CON/CEN/BV-20-C, BV-21-C, LL/CON/PER/BV-19-C, BV-20-C: Versions are exchanged once",
        arguments: LinkSide.allCases
    )
    func versions(side: LinkSide) throws {
        let dialogue = Dialogue { side, local in
            local.version = LinkVersion(
                version: .core5_0,
                company: side == .central ? 11 : 22,
                subversion: 33
            )
        }
        try dialogue.ask(side, .readVersion)
        dialogue.run(events: 2)
        #expect(dialogue.script.count == 2)
        let reported = version(dialogue[side].events.first)
        #expect(reported?.status == .success)
        #expect(reported?.connectionHandle == side.handle)
        #expect(reported?.company == (side == .central ? 22 : 11))
        #expect(reported?.version == .core5_0)
        #expect(dialogue[side.other].events.isEmpty)

        // The exchange went both ways, so neither side sends its version again.
        for side in LinkSide.allCases {
            dialogue.forget()
            try dialogue.ask(side, .readVersion)
            #expect(version(dialogue[side].events.first)?.status == .success)
            dialogue.run(events: 2)
            #expect(dialogue.script.isEmpty)
        }
    }

    @Test("Both sides request the version at the same time and receive it")
    func versionsCross() throws {
        let dialogue = Dialogue()
        try dialogue.ask(.central, .readVersion)
        try dialogue.ask(.peripheral, .readVersion)
        dialogue.run(events: 3)
        #expect(dialogue.script == ["→ VERSION_IND", "← VERSION_IND"])
        for side in LinkSide.allCases {
            #expect(version(dialogue[side].events.first)?.status == .success)
            #expect(dialogue[side].events.count == 1)
        }
    }

    @Test("A request for the version that waits is answered when the peer sends its version")
    func versionWhileWaiting() throws {
        let dialogue = Dialogue()
        try dialogue.ask(.central, .readFeatures)
        try dialogue.ask(.central, .readVersion)
        try dialogue.ask(.peripheral, .readVersion)
        dialogue.run(events: 4)
        #expect(dialogue.central.events.compactMap(version).map(\.status) == [.success])
        #expect(dialogue.peripheral.events.compactMap(version).map(\.status) == [.success])
        #expect(dialogue.script.count { $0.hasSuffix("VERSION_IND") } == 2)
        try dialogue.ask(.central, .readVersion)
        #expect(dialogue.central.events.compactMap(version).count == 2)
    }

    @Test("LL/CON/CEN/BV-13-C, LL/CON/PER/BV-14-C: The central requests the features")
    func central() throws {
        let dialogue = Dialogue { side, local in
            local.features =
                side == .central ? [.encryption, .ping] : [.encryption, .le2M, .coded]
        }
        try dialogue.ask(.central, .readFeatures)
        dialogue.run(events: 1)
        #expect(dialogue.script == ["→ FEATURE_REQ", "← FEATURE_RSP"])
        // The first byte has the common features. The later bytes have the peripheral's features.
        let reported = features(dialogue.central.events.first)
        #expect(reported?.features == [.encryption, .le2M, .coded])
        #expect(reported?.status == .success)
        dialogue.forget()
        try dialogue.ask(.central, .readFeatures)
        #expect(features(dialogue.central.events.first) == reported)
    }

    @Test("LL/CON/PER/BV-22-C, LL/CON/CEN/BV-23-C: The peripheral requests the features")
    func peripheral() throws {
        let dialogue = Dialogue()
        try dialogue.ask(.peripheral, .readFeatures)
        dialogue.run(events: 1)
        #expect(dialogue.script == ["← PERIPHERAL_FEATURE_REQ", "→ FEATURE_RSP"])
        #expect(
            features(dialogue.peripheral.events.first)?.features
                == ControllerConfiguration().linkFeatures
        )
        // The central also has the peripheral's features.
        try dialogue.ask(.central, .readFeatures)
        #expect(features(dialogue.central.events.first)?.status == .success)
    }

    @Test("A central that does not support the peripheral's request answers LL_UNKNOWN_RSP")
    func unknown() throws {
        let dialogue = Dialogue { side, local in
            if side == .central { local.features = [.encryption] }
        }
        try dialogue.ask(.peripheral, .readFeatures)
        dialogue.run(events: 1)
        #expect(dialogue.script == ["← PERIPHERAL_FEATURE_REQ", "→ UNKNOWN_RSP"])
        #expect(
            features(dialogue.peripheral.events.first)?.status == .unsupportedRemoteFeature
        )
    }

    @Test("A peripheral without the feature cannot request the features")
    func unsupported() {
        let dialogue = Dialogue { _, local in local.features = [.encryption] }
        #expect(
            dialogue.refusal(.peripheral, .readFeatures) == .unsupportedFeatureOrParameterValue
        )
    }

    @Test("A pending request cannot be repeated, and a different request waits")
    func again() throws {
        let dialogue = Dialogue()
        try dialogue.ask(.central, .readFeatures)
        #expect(dialogue.refusal(.central, .readFeatures) == .commandDisallowed)
        try dialogue.ask(.central, .readVersion)
        #expect(dialogue.refusal(.central, .readVersion) == .commandDisallowed)
        dialogue.run(events: 2)
        #expect(
            dialogue.script == [
                "→ FEATURE_REQ", "← FEATURE_RSP", "→ VERSION_IND", "← VERSION_IND",
            ]
        )
        #expect(dialogue.central.events.count == 2)
    }

    @Test("A PDU that is unknown or not for the role is answered with LL_UNKNOWN_RSP")
    func unknownPDUs() {
        let strange: [(LinkSide, LLControlPDU)] = [
            (.central, .featureRequest([])), (.peripheral, .peripheralFeatureRequest([])),
            (.central, .unknown(opcode: 0x70, length: 3)), (.central, .startEncryptionRequest),
            (.peripheral, .unknown(opcode: 0xFF, length: 250)),
            (.peripheral, .encryptionResponse(diversifier: 1, vector: 2)),
            (.central, .channelMapIndication(channels: 7, instant: 9)),
            (.central, .pauseEncryptionRequest), (.peripheral, .pauseEncryptionResponse),
        ]
        for (side, pdu) in strange {
            let dialogue = Dialogue()
            dialogue.forge(pdu, to: side)
            dialogue.run(events: 1)
            #expect(dialogue.pdus == [.unknownResponse(opcode: pdu.opcode)])
            #expect(dialogue[side].reason == nil)
        }
    }
}
