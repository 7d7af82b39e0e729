// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import VirtualRadio

/// Two procedures with an instant at the same time (Vol 6, Part B, 5.3). The procedure of the
/// central continues.
@Suite("Procedures: collisions")
struct CollisionTests {
    private func statuses(_ events: [HCI.Event]) -> [HCI.ErrorCode] {
        events.compactMap {
            switch $0 {
            case .connectionUpdateComplete(let event): event.status
            case .phyUpdateComplete(let event): event.status
            default: nil
            }
        }
    }

    private func withFeatures() throws -> Dialogue {
        let dialogue = Dialogue()
        try dialogue.ask(.central, .readFeatures)
        dialogue.run(events: 1)
        dialogue.forget()
        return dialogue
    }

    private static let fast = LinkProcedureRequest.setPHY(.both(.le2M), .none)

    @Test("LL/CON/CEN/BV-26-C, LL/CON/PER/BV-26-C: The central's parameters take precedence")
    func samePace() throws {
        let dialogue = try withFeatures()
        dialogue.peripheral.wanted = []
        try dialogue.ask(.central, .updateConnection(.milliseconds(50)))
        try dialogue.ask(.peripheral, .updateConnection(.milliseconds(100)))
        dialogue.run(events: 10)
        #expect(
            dialogue.pdus.contains(
                .extendedRejectIndication(opcode: 0x0F, .linkLayerProcedureCollision)
            )
        )
        for side in LinkSide.allCases {
            #expect(statuses(dialogue[side].events) == [.success])
            #expect(dialogue[side].procedures.parameters.interval == .milliseconds(50))
        }
        // The peripheral's own procedure has also ended.
        try dialogue.ask(.peripheral, .updateConnection(.milliseconds(100)))
    }

    @Test("If both sides change parameters at the same time, each host receives one success")
    func updateAndRequest() throws {
        let dialogue = Dialogue()
        try dialogue.ask(.central, .updateConnection(.milliseconds(50)))
        try dialogue.ask(.peripheral, .updateConnection(.milliseconds(100)))
        dialogue.run(events: 10)
        for side in LinkSide.allCases {
            #expect(statuses(dialogue[side].events) == [.success])
            #expect(dialogue[side].reason == nil)
        }
    }

    @Test("If the peripheral's host refuses the central's parameters, its own request also fails")
    func bothRefused() throws {
        let dialogue = try withFeatures()
        try dialogue.ask(.central, .updateConnection(.milliseconds(50)))
        try dialogue.ask(.peripheral, .updateConnection(.milliseconds(100)))
        dialogue.run(events: 2)
        try dialogue.ask(.peripheral, .refuseParameters(.unacceptableConnectionParameters))
        dialogue.run(events: 2)
        #expect(statuses(dialogue.central.events) == [.unacceptableConnectionParameters])
        #expect(statuses(dialogue.peripheral.events) == [.linkLayerProcedureCollision])
        dialogue.run(for: .seconds(50))
        #expect(dialogue.peripheral.reason == nil)
    }

    @Test(
        "LL/CON/CEN/BV-27-C, LL/CON/PER/BV-27-C: A channel map collides with a parameter request"
    )
    func channelsAndPace() throws {
        let dialogue = Dialogue()
        try dialogue.ask(.central, .setChannels(0xFF))
        try dialogue.ask(.peripheral, .updateConnection(.milliseconds(100)))
        dialogue.run(events: 10)
        #expect(
            dialogue.pdus.contains(
                .extendedRejectIndication(opcode: 0x0F, .differentTransactionCollision)
            )
        )
        #expect(statuses(dialogue.peripheral.events) == [.differentTransactionCollision])
        #expect(dialogue.peripheral.procedures.channels == 0xFF)
    }

    @Test("LL/CON/CEN/BV-28-C, LL/CON/PER/BV-28-C: Encryption collides with a parameter request")
    func encryptionAndPace() throws {
        let dialogue = Dialogue()
        let key = try #require(HCI.Key128([UInt8](1...16)))
        try dialogue.ask(.central, .encrypt(random: 0, encryptedDiversifier: 0, key: key))
        try dialogue.ask(.peripheral, .updateConnection(.milliseconds(100)))
        dialogue.run(events: 2)
        try dialogue.ask(.peripheral, .provideKey(key))
        dialogue.run(events: 3)
        #expect(dialogue.isEncrypted(from: .central) && dialogue.isEncrypted(from: .peripheral))
        try dialogue.ask(.central, .acceptParameters(.milliseconds(100)))
        dialogue.run(events: 10)
        #expect(statuses(dialogue.peripheral.events) == [.success])
        #expect(dialogue.central.reason == nil)
    }

    @Test("The central's PHY takes precedence if both sides request one")
    func samePHY() throws {
        let dialogue = Dialogue()
        try dialogue.ask(.central, Self.fast)
        try dialogue.ask(.peripheral, .setPHY(.both([.le2M, .coded]), .none))
        dialogue.run(events: 10)
        #expect(
            dialogue.pdus.contains(
                .extendedRejectIndication(opcode: 0x16, .linkLayerProcedureCollision)
            )
        )
        for side in LinkSide.allCases {
            #expect(statuses(dialogue[side].events) == [.success])
            #expect(dialogue[side].procedures.sending == .le2M)
        }
    }

    @Test("LL/CON/CEN/BV-48-C, LL/CON/PER/BV-47-C: A PHY request collides with a parameter request")
    func paceAndPHY() throws {
        let dialogue = Dialogue()
        try dialogue.ask(.central, .updateConnection(.milliseconds(50)))
        try dialogue.ask(.peripheral, Self.fast)
        dialogue.run(events: 10)
        #expect(statuses(dialogue.central.events) == [.success])
        #expect(
            statuses(dialogue.peripheral.events).sorted { $0.rawValue < $1.rawValue }
                == [.success, .differentTransactionCollision]
        )
        #expect(dialogue.peripheral.procedures.parameters.interval == .milliseconds(50))
        #expect(dialogue.peripheral.procedures.sending == .le1M)
    }

    @Test("A peripheral that starts a conflicting procedure after its answer loses the link")
    func lateInterference() throws {
        let dialogue = Dialogue()
        try dialogue.ask(.central, Self.fast)
        dialogue.run(events: 1)
        dialogue.forge(.connectionParameterRequest(.milliseconds(50)), to: .central)
        #expect(dialogue.central.reason == .differentTransactionCollision)
    }

    @Test("Procedures of one side that have an instant run one after another")
    func queue() throws {
        let dialogue = Dialogue()
        try dialogue.ask(.central, .updateConnection(.milliseconds(50)))
        try dialogue.ask(.central, Self.fast)
        try dialogue.ask(.central, .setChannels(0xFF))
        dialogue.run(events: 30)
        #expect(statuses(dialogue.central.events) == [.success, .success])
        #expect(dialogue.peripheral.procedures.channels == 0xFF)
        #expect(dialogue.peripheral.procedures.sending == .le2M)
    }
}
