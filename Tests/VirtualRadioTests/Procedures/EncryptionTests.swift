// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import VirtualRadio

@Suite("Procedures: encryption")
struct EncryptionTests {
    static let key = [UInt8](1...16)
    static let start = [
        "→ ENC_REQ", "← ENC_RSP", "← START_ENC_REQ", "→ START_ENC_RSP", "← START_ENC_RSP",
    ]

    private func key(_ bytes: [UInt8] = key) throws -> HCI.Key128 {
        try #require(HCI.Key128(bytes))
    }

    private func encrypt(_ bytes: [UInt8] = key) throws -> LinkProcedureRequest {
        .encrypt(random: 0x0102, encryptedDiversifier: 0x0304, key: try key(bytes))
    }

    private func change(_ event: HCI.Event?) -> HCI.EncryptionChange? {
        guard case .encryptionChange(let change) = event else { return nil }
        return change
    }

    private func refresh(_ event: HCI.Event?) -> HCI.EncryptionKeyRefreshComplete? {
        guard case .encryptionKeyRefreshComplete(let complete) = event else { return nil }
        return complete
    }

    /// Returns a link that is encrypted already.
    private func encrypted(
        _ adjust: (LinkSide, inout LinkCapabilities) -> Void = { _, _ in }
    ) throws -> Dialogue {
        let dialogue = Dialogue(adjust)
        try dialogue.ask(.central, try encrypt())
        dialogue.run(events: 1)
        try dialogue.ask(.peripheral, .provideKey(try key()))
        dialogue.run(events: 3)
        return dialogue
    }

    @Test("The start procedure encrypts both directions of a link")
    func starts() throws {
        let dialogue = Dialogue()
        try dialogue.ask(.central, try encrypt())
        #expect(dialogue.central.procedures.isDataPaused)
        dialogue.run(events: 1)
        #expect(dialogue.peripheral.procedures.isDataPaused)
        guard case .longTermKeyRequest(let request) = dialogue.peripheral.events.first else {
            Issue.record("The host was not asked for the key")
            return
        }
        #expect(request.random == 0x0102)
        #expect(request.encryptedDiversifier == 0x0304)
        try dialogue.ask(.peripheral, .provideKey(try key()))
        dialogue.run(events: 3)
        #expect(dialogue.script == Self.start)
        for side in LinkSide.allCases {
            #expect(change(dialogue[side].events.last)?.status == .success)
            #expect(change(dialogue[side].events.last)?.encryption == .on)
            #expect(dialogue.isEncrypted(from: side))
            #expect(!dialogue[side].procedures.isDataPaused)
            dialogue.sendData(to: side)
            #expect(dialogue[side].reason == nil)
        }
    }

    @Test("A start on an encrypted link refreshes the key")
    func refreshes() throws {
        let dialogue = try encrypted()
        dialogue.forget()
        let other = [UInt8](repeating: 9, count: 16)
        try dialogue.ask(.central, try encrypt(other))
        dialogue.run(events: 2)
        try dialogue.ask(.peripheral, .provideKey(try key(other)))
        dialogue.run(events: 3)
        #expect(
            dialogue.script
                == ["→ PAUSE_ENC_REQ", "← PAUSE_ENC_RSP", "→ PAUSE_ENC_RSP"] + Self.start
        )
        for side in LinkSide.allCases {
            #expect(refresh(dialogue[side].events.last)?.status == .success)
            #expect(dialogue.isEncrypted(from: side))
        }
    }

    @Test(
        "Without the key, the link stays unencrypted and can be used",
        arguments: [true, false]
    )
    func keyMissing(isExtended: Bool) throws {
        let dialogue = Dialogue()
        if isExtended {
            try dialogue.ask(.central, .readFeatures)
            dialogue.run(events: 1)
        }
        dialogue.forget()
        try dialogue.ask(.central, try encrypt())
        dialogue.run(events: 1)
        try dialogue.ask(.peripheral, .refuseKey)
        dialogue.run(events: 1)
        #expect(dialogue.script.last == (isExtended ? "← REJECT_EXT_IND" : "← REJECT_IND"))
        #expect(change(dialogue.central.events.last)?.status == .pinOrKeyMissing)
        #expect(change(dialogue.central.events.last)?.encryption == .off)
        #expect(change(dialogue.peripheral.events.last) == nil)
        for side in LinkSide.allCases {
            #expect(!dialogue[side].procedures.isDataPaused)
            #expect(dialogue[side].reason == nil)
            dialogue.sendData(to: side)
        }
        #expect(dialogue.peripheral.reason == nil)
        try dialogue.ask(.central, try encrypt())
    }

    @Test("A peripheral whose host masks the key request refuses to start encryption")
    func masked() throws {
        let dialogue = Dialogue()
        dialogue.peripheral.wanted.remove(.longTermKeyRequest)
        try dialogue.ask(.central, try encrypt())
        dialogue.run(events: 2)
        #expect(change(dialogue.central.events.last)?.status == .pinOrKeyMissing)
        #expect(dialogue.peripheral.events.isEmpty)
    }

    @Test("An encrypted link ends if the new key is missing")
    func refreshFails() throws {
        let dialogue = try encrypted()
        try dialogue.ask(.central, try encrypt())
        dialogue.run(events: 2)
        try dialogue.ask(.peripheral, .refuseKey)
        dialogue.run(events: 1)
        #expect(dialogue.central.reason == .pinOrKeyMissing)
        #expect(dialogue.peripheral.reason == .pinOrKeyMissing)
    }

    @Test("Different keys end the link")
    func wrongKey() throws {
        let dialogue = Dialogue()
        try dialogue.ask(.central, try encrypt())
        dialogue.run(events: 1)
        try dialogue.ask(.peripheral, .provideKey(try key([UInt8](repeating: 7, count: 16))))
        dialogue.run(events: 2)
        #expect(dialogue.peripheral.reason == .messageIntegrityFailure)
        #expect(change(dialogue.central.events.last) == nil)
    }

    @Test("Data without encryption during the start ends the link")
    func dataInClear() throws {
        let dialogue = Dialogue()
        try dialogue.ask(.central, try encrypt())
        dialogue.run(events: 1)
        dialogue.sendData(to: .peripheral)
        #expect(dialogue.peripheral.reason == .messageIntegrityFailure)
    }

    @Test(
        "Another PDU of the peer during the start ends the link",
        arguments: LinkSide.allCases
    )
    func otherPDU(side: LinkSide) throws {
        let dialogue = Dialogue()
        try dialogue.ask(.central, try encrypt())
        dialogue.run(events: 1)
        dialogue.forge(.pingRequest, to: side)
        #expect(dialogue[side].reason == .messageIntegrityFailure)
    }

    @Test("A forged LL_START_ENC_RSP does not start the peripheral's encryption")
    func forgedStart() throws {
        let dialogue = Dialogue()
        try dialogue.ask(.central, try encrypt())
        dialogue.run(events: 1)
        try dialogue.ask(.peripheral, .provideKey(try key()))
        dialogue.forge(.startEncryptionResponse, to: .peripheral)
        #expect(dialogue.peripheral.reason == .messageIntegrityFailure)
        #expect(change(dialogue.peripheral.events.last) == nil)
    }

    @Test("Every start has a new diversifier and a new vector")
    func sessions() throws {
        let procedures = try (0..<2).map { _ in try encrypted() }
        let other = try encrypted()
        try other.ask(.central, try encrypt())
        other.run(events: 2)
        try other.ask(.peripheral, .provideKey(try key()))
        other.run(events: 3)
        #expect(procedures.allSatisfy { $0.isEncrypted(from: .central) })
        guard case .encryptionRequest(let first) = other.pdus.first else { return }
        let again = other.pdus.dropFirst().compactMap { pdu -> EncryptionRequest? in
            if case .encryptionRequest(let request) = pdu { request } else { nil }
        }
        #expect(again.count == 1)
        #expect(again.first?.diversifier != first.diversifier)
        #expect(again.first?.vector != first.vector)
    }

    @Test("Other procedures wait until encryption has started")
    func waiting() throws {
        let dialogue = Dialogue()
        try dialogue.ask(.central, try encrypt())
        try dialogue.ask(.central, .readVersion)
        dialogue.run(events: 2)
        try dialogue.ask(.peripheral, .readFeatures)
        dialogue.run(events: 2)
        #expect(dialogue.script == ["→ ENC_REQ", "← ENC_RSP"])
        try dialogue.ask(.peripheral, .provideKey(try key()))
        dialogue.run(events: 4)
        #expect(Array(dialogue.script.prefix(5)) == Self.start)
        #expect(dialogue.script.count == 9)
    }

    @Test(
        "A peripheral cannot start encryption, and a second start or an unrequested key is refused"
    )
    func refusals() throws {
        let dialogue = Dialogue()
        #expect(dialogue.refusal(.peripheral, try encrypt()) == .commandDisallowed)
        #expect(dialogue.refusal(.peripheral, .provideKey(try key())) == .commandDisallowed)
        #expect(dialogue.refusal(.peripheral, .refuseKey) == .commandDisallowed)
        try dialogue.ask(.central, try encrypt())
        #expect(dialogue.refusal(.central, try encrypt()) == .commandDisallowed)
        #expect(dialogue.refusal(.central, .provideKey(try key())) == .commandDisallowed)
        let plain = Dialogue { _, local in local.features.remove(.encryption) }
        #expect(
            plain.refusal(.central, try encrypt()) == .unsupportedFeatureOrParameterValue
        )
    }

    @Test("A peripheral without the encryption feature refuses to start encryption")
    func unsupported() throws {
        let dialogue = Dialogue { side, local in
            if side == .peripheral { local.features.remove(.encryption) }
        }
        try dialogue.ask(.central, try encrypt())
        dialogue.run(events: 1)
        #expect(dialogue.script == ["→ ENC_REQ", "← REJECT_IND"])
        #expect(change(dialogue.central.events.last)?.status == .unsupportedRemoteFeature)
    }

    @Test("A disconnection during the procedure ends the link on both sides")
    func disconnection() throws {
        let dialogue = Dialogue()
        try dialogue.ask(.central, try encrypt())
        dialogue.run(events: 1)
        try dialogue.ask(.central, .disconnect(.remoteUserTerminatedConnection))
        dialogue.run(events: 1)
        #expect(dialogue.peripheral.reason == .remoteUserTerminatedConnection)
        #expect(dialogue.central.reason == .connectionTerminatedByLocalHost)
    }
}
