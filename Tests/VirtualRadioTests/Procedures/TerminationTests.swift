// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import VirtualRadio

@Suite("Procedures: termination")
struct TerminationTests {
    @Test(
        "LL/CON/CEN/BV-08-C, BV-09-C, LL/CON/PER/BV-11-C, BV-12-C: Either side ends the link",
        arguments: LinkSide.allCases
    )
    func either(side: LinkSide) throws {
        let dialogue = Dialogue()
        try dialogue.ask(side, .disconnect(.remoteDevicePowerOff))
        #expect(dialogue[side].procedures.isAboutToDisconnect)
        dialogue.run(events: 1)
        #expect(dialogue[side].procedures.isDataPaused)
        #expect(dialogue.script.map { $0.dropFirst(2) } == ["TERMINATE_IND"])
        #expect(dialogue[side].reason == .connectionTerminatedByLocalHost)
        #expect(dialogue[side.other].reason == .remoteDevicePowerOff)
    }

    @Test("If a termination is not received, the link ends after the supervision timeout")
    func notReceived() throws {
        let dialogue = Dialogue()
        dialogue.peripheral.isUnreachable = true
        try dialogue.ask(.central, .disconnect(.remoteUserTerminatedConnection))
        dialogue.run(for: .milliseconds(1_900))
        #expect(dialogue.central.reason == nil)
        dialogue.run(for: .milliseconds(150))
        #expect(dialogue.central.reason == .connectionTerminatedByLocalHost)
    }

    @Test("Requests to an ending or ended link are refused")
    func afterwards() throws {
        let dialogue = Dialogue()
        try dialogue.ask(.central, .disconnect(.remoteUserTerminatedConnection))
        #expect(
            dialogue.refusal(.central, .disconnect(.remoteDevicePowerOff)) == .commandDisallowed
        )
        #expect(dialogue.refusal(.central, .readVersion) == .commandDisallowed)
        dialogue.run(events: 1)
        #expect(dialogue.refusal(.central, .readVersion) == .unknownConnectionIdentifier)
        #expect(dialogue.refusal(.peripheral, .readVersion) == .unknownConnectionIdentifier)
        #expect(dialogue.central.procedures.nextDeadline == nil)
        #expect(!dialogue.central.procedures.hasPDU)
    }

    @Test("The termination precedes all other control PDUs")
    func ahead() throws {
        let dialogue = Dialogue()
        try dialogue.ask(.central, .readVersion)
        try dialogue.ask(.central, .disconnect(.remoteUserTerminatedConnection))
        dialogue.run(events: 2)
        #expect(dialogue.script == ["→ TERMINATE_IND"])
        #expect(dialogue.central.events.isEmpty)
    }

    @Test("Two terminations at the same time end the link on both sides")
    func crossing() throws {
        let dialogue = Dialogue()
        try dialogue.ask(.central, .disconnect(.remoteDevicePowerOff))
        try dialogue.ask(.peripheral, .disconnect(.remoteDeviceLowResources))
        dialogue.run(events: 1)
        #expect(dialogue.peripheral.reason == .remoteDevicePowerOff)
        #expect(dialogue.central.reason != nil)
    }
}
