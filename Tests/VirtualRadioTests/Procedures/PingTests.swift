// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import VirtualRadio

@Suite("Procedures: authenticated payloads")
struct PingTests {
    private func encrypted(
        timeout: Duration = .seconds(10),
        _ adjust: (LinkSide, inout LinkCapabilities) -> Void = { _, _ in }
    ) throws -> Dialogue {
        let dialogue = Dialogue { side, local in
            local.authenticatedPayloadTimeout = timeout
            adjust(side, &local)
        }
        let key = try #require(HCI.Key128([UInt8](1...16)))
        try dialogue.ask(.central, .encrypt(random: 0, encryptedDiversifier: 0, key: key))
        dialogue.run(events: 1)
        try dialogue.ask(.peripheral, .provideKey(key))
        dialogue.run(events: 3)
        dialogue.forget()
        return dialogue
    }

    private func expirations(_ dialogue: Dialogue, _ side: LinkSide) -> Int {
        dialogue[side].events.filter {
            if case .authenticatedPayloadTimeoutExpired = $0 { true } else { false }
        }.count
    }

    @Test("On an encrypted link without data, pings prevent the timeout")
    func pings() throws {
        let dialogue = try encrypted()
        dialogue.run(for: .seconds(30))
        #expect(dialogue.script.contains { $0.hasSuffix("PING_REQ") })
        #expect(dialogue.script.contains { $0.hasSuffix("PING_RSP") })
        for side in LinkSide.allCases { #expect(expirations(dialogue, side) == 0) }
    }

    @Test(
        "The host is informed after each timeout without a packet",
        arguments: LinkSide.allCases
    )
    func expires(side: LinkSide) throws {
        let dialogue = try encrypted()
        dialogue[side].isUnreachable = true
        dialogue.run(for: .seconds(25))
        #expect(expirations(dialogue, side) == 2)
    }

    @Test("Data makes pings unnecessary")
    func data() throws {
        let dialogue = try encrypted()
        for _ in 0..<20 {
            dialogue.run(for: .seconds(1))
            for side in LinkSide.allCases { dialogue.sendData(to: side) }
        }
        #expect(dialogue.script.isEmpty)
    }

    @Test("Without encryption, there are neither pings nor events")
    func clear() {
        let dialogue = Dialogue()
        dialogue.run(for: .seconds(70))
        #expect(dialogue.script.isEmpty)
        #expect(dialogue.central.procedures.nextDeadline == nil)
    }

    @Test("The answer of a peer that does not support pings also prevents the timeout")
    func unknown() throws {
        let dialogue = try encrypted { side, local in
            if side == .peripheral { local.features.remove(.ping) }
        }
        dialogue.run(for: .seconds(8))
        #expect(dialogue.script == ["→ PING_REQ", "← UNKNOWN_RSP"])
        #expect(expirations(dialogue, .central) == 0)
    }

    @Test(
        "A timeout shorter than the peripheral's allowed silence is refused, and each side has its own"
    )
    func timeouts() throws {
        let dialogue = try encrypted()
        #expect(
            dialogue.refusal(.central, .setAuthenticatedPayloadTimeout(.milliseconds(20)))
                == .invalidCommandParameters
        )
        try dialogue.ask(.central, .setAuthenticatedPayloadTimeout(.milliseconds(100)))
        #expect(dialogue.central.procedures.authenticatedPayloadTimeout == .milliseconds(100))
        #expect(dialogue.peripheral.procedures.authenticatedPayloadTimeout == .seconds(10))
        dialogue.central.isUnreachable = true
        dialogue.run(for: .seconds(1))
        #expect(expirations(dialogue, .central) >= 6)
    }
}
