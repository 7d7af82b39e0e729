// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import VirtualRadio

@Suite("Procedures: PHY update")
struct PHYTests {
    private func update(_ event: HCI.Event?) -> HCI.LEPHYUpdateComplete? {
        guard case .phyUpdateComplete(let complete) = event else { return nil }
        return complete
    }

    @Test("LL/CON/CEN/BV-41-C, LL/CON/PER/BV-42-C: The central requests LE 2M")
    func central() throws {
        let dialogue = Dialogue()
        try dialogue.ask(.central, .setPHY(.both(.le2M), .none))
        dialogue.run(events: 1)
        #expect(dialogue.script == ["→ PHY_REQ", "← PHY_RSP", "→ PHY_UPDATE_IND"])
        dialogue.run(events: 5)
        #expect(dialogue.central.events.isEmpty)
        dialogue.run(events: 1)
        for side in LinkSide.allCases {
            #expect(update(dialogue[side].events.first)?.status == .success)
            #expect(update(dialogue[side].events.first)?.transmit == .le2M)
            #expect(update(dialogue[side].events.first)?.receive == .le2M)
            #expect(dialogue[side].procedures.sending == .le2M)
            #expect(dialogue[side].actions == [.setPHYs(sending: .le2M, receiving: .le2M)])
        }
    }

    @Test("LL/CON/PER/BV-40-C, LL/CON/CEN/BV-43-C: The peripheral requests LE 2M")
    func peripheral() throws {
        let dialogue = Dialogue()
        try dialogue.ask(.peripheral, .setPHY(.both(.le2M), .none))
        dialogue.run(events: 8)
        #expect(dialogue.script == ["← PHY_REQ", "→ PHY_UPDATE_IND"])
        for side in LinkSide.allCases {
            #expect(update(dialogue[side].events.first)?.transmit == .le2M)
            #expect(dialogue[side].events.count == 1)
        }
    }

    @Test("Each direction has its own PHY")
    func asymmetric() throws {
        let dialogue = Dialogue()
        let proposal = HCI.PHYPreference(transmit: .le2M, receive: .coded)
        try dialogue.ask(.central, .setPHY(proposal, .none))
        dialogue.run(events: 8)
        #expect(update(dialogue.central.events.first)?.transmit == .le2M)
        #expect(update(dialogue.central.events.first)?.receive == .leCoded)
        #expect(update(dialogue.peripheral.events.first)?.transmit == .leCoded)
        #expect(dialogue.peripheral.procedures.sending == .codedS8)
        #expect(dialogue.peripheral.procedures.receiving == .le2M)
    }

    @Test(
        "Without a change, only the requesting host gets an event, at once",
        arguments: LinkSide.allCases
    )
    func nothing(side: LinkSide) throws {
        let dialogue = Dialogue()
        try dialogue.ask(side, .setPHY(.both(.le1M), .none))
        dialogue.run(events: 1)
        #expect(update(dialogue[side].events.first)?.status == .success)
        #expect(update(dialogue[side].events.first)?.transmit == .le1M)
        #expect(dialogue[side.other].events.isEmpty)
        #expect(dialogue[side].actions.isEmpty)
    }

    @Test("Incompatible preferences change nothing")
    func preferences() throws {
        let dialogue = Dialogue { side, local in
            if side == .peripheral { local.preference = .both(.le1M) }
        }
        try dialogue.ask(.central, .setPHY(.both([.le2M, .coded]), .none))
        dialogue.run(events: 8)
        #expect(update(dialogue.central.events.first)?.transmit == .le1M)
        #expect(dialogue.peripheral.events.isEmpty)
    }

    @Test(
        "Each sender chooses its coding",
        arguments: [
            (HCI.CodedPHYPreference.fast, Modulation.codedS2), (.far, .codedS8), (.none, .codedS8),
        ]
    )
    func coding(preference: HCI.CodedPHYPreference, modulation: Modulation) throws {
        let dialogue = Dialogue()
        try dialogue.ask(.central, .setPHY(.both(.coded), preference))
        dialogue.run(events: 8)
        #expect(dialogue.central.procedures.sending == modulation)
        #expect(dialogue.peripheral.procedures.sending == .codedS8)
        // Packets may take longer now, and a second event reports the longer time.
        #expect(dialogue.central.procedures.dataLength.sendTime == .microseconds(2_704))
        #expect(dialogue.central.events.count == 2)
        dialogue.forget()
        try dialogue.ask(.central, .setPHY(.both(.coded), .fast))
        #expect(dialogue.central.procedures.sending == .codedS2)
    }

    @Test("LE PHY Update Complete reports that the peer lacks the PHY", arguments: [true, false])
    func unsupported(isKnown: Bool) throws {
        let dialogue = Dialogue { side, local in
            if side == .peripheral { local.features.subtract([.le2M, .coded]) }
        }
        if isKnown {
            try dialogue.ask(.central, .readFeatures)
            dialogue.run(events: 1)
        }
        dialogue.forget()
        try dialogue.ask(.central, .setPHY(.both(.le2M), .none))
        dialogue.run(events: 1)
        #expect(dialogue.script == (isKnown ? [] : ["→ PHY_REQ", "← UNKNOWN_RSP"]))
        #expect(update(dialogue.central.events.first)?.status == .unsupportedRemoteFeature)
        #expect(update(dialogue.central.events.first)?.transmit == .le1M)
    }

    @Test("Unsupported, invalid and repeated PHY requests are refused")
    func refused() throws {
        let old = Dialogue { _, local in local.features.subtract([.le2M, .coded]) }
        #expect(old.refusal(.central, .setPHY(.both(.le1M), .none)) == .unknownCommand)
        let partial = Dialogue { _, local in local.features.remove(.coded) }
        #expect(
            partial.refusal(.central, .setPHY(.both(.coded), .none))
                == .unsupportedFeatureOrParameterValue
        )
        let dialogue = Dialogue()
        #expect(dialogue.refusal(.central, .setPHY(.both([]), .none)) == .invalidCommandParameters)
        #expect(
            dialogue.refusal(
                .central,
                .setPHY(.both(.le2M), HCI.CodedPHYPreference(rawValue: 3))
            ) == .invalidCommandParameters
        )
        try dialogue.ask(.central, .setPHY(.both(.le2M), .none))
        #expect(
            dialogue.refusal(.central, .setPHY(.both(.le2M), .none)) == .commandDisallowed
        )
    }

    @Test("A decision for a PHY that the peripheral lacks ends the link")
    func impossible() {
        let dialogue = Dialogue { _, local in local.features.remove(.coded) }
        let decision = PHYDecision(
            centralToPeripheral: .leCoded,
            peripheralToCentral: nil,
            instant: 10
        )
        dialogue.forge(.phyUpdateIndication(decision), to: .peripheral)
        #expect(dialogue.peripheral.reason == .unsupportedLinkLayerParameterValue)
    }
}
