// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import VirtualRadio

@Suite("Procedures: connection update")
struct ConnectionUpdateTests {
    private func update(_ event: HCI.Event?) -> HCI.LEConnectionUpdateComplete? {
        guard case .connectionUpdateComplete(let complete) = event else { return nil }
        return complete
    }

    private func withFeatures(
        _ adjust: (LinkSide, inout LinkCapabilities) -> Void = { _, _ in }
    ) throws -> Dialogue {
        let dialogue = Dialogue(adjust)
        try dialogue.ask(.central, .readFeatures)
        dialogue.run(events: 1)
        dialogue.forget()
        return dialogue
    }

    @Test(
        "LL/CON/CEN/BV-07-C, LL/CON/PER/BV-10-C: Both sides change parameters in the same event",
        arguments: [
            UInt16(0), 65_530,
        ]
    )
    func centralUpdates(counter: UInt16) throws {
        let dialogue = Dialogue(from: counter)
        try dialogue.ask(.central, .updateConnection(.milliseconds(60, latency: 2)))
        dialogue.run(events: 1)
        #expect(dialogue.script == ["→ CONNECTION_UPDATE_IND"])
        guard case .connectionUpdateIndication(let indication) = dialogue.pdus.first else {
            return
        }
        #expect(indication.instant == dialogue.eventCounter &+ 6)
        dialogue.run(events: 5)
        #expect(dialogue.central.events.isEmpty && dialogue.peripheral.events.isEmpty)
        dialogue.run(events: 1)
        for side in LinkSide.allCases {
            let complete = update(dialogue[side].events.first)
            #expect(complete?.status == .success)
            #expect(complete?.interval == HCI.ConnectionInterval(.milliseconds(60)))
            #expect(complete?.peripheralLatency == 2)
            #expect(complete?.supervisionTimeout == HCI.Timeout(.seconds(4)))
            #expect(dialogue[side].procedures.parameters.interval == .milliseconds(60))
            #expect(
                dialogue[side].actions == [
                    .setParameters(indication.parameters, windowOffset: .zero)
                ]
            )
        }
    }

    @Test("An update that changes nothing is reported only to the host that requested it")
    func nothingChanges() throws {
        let dialogue = Dialogue()
        try dialogue.ask(.central, .updateConnection(.milliseconds(30, timeout: .seconds(2))))
        dialogue.run(events: 8)
        #expect(update(dialogue.central.events.first)?.status == .success)
        #expect(dialogue.peripheral.events.isEmpty)
    }

    @Test("A peripheral with latency listens at six events before the instant")
    func latency() throws {
        let pace = LinkParameters(
            interval: .milliseconds(30),
            latency: 3,
            supervisionTimeout: .seconds(2)
        )
        let dialogue = Dialogue(parameters: pace)
        try dialogue.ask(.central, .updateConnection(.milliseconds(60)))
        dialogue.run(events: 1)
        guard case .connectionUpdateIndication(let indication) = dialogue.pdus.first else {
            Issue.record("No LL_CONNECTION_UPDATE_IND")
            return
        }
        #expect(indication.instant == dialogue.eventCounter + 24)
    }

    @Test("LL/CON/CEN/BV-24-C: Parameters apply if the peripheral's host accepts them")
    func centralAsks() throws {
        let dialogue = try withFeatures()
        try dialogue.ask(.central, .updateConnection(.milliseconds(50)))
        dialogue.run(events: 2)
        #expect(dialogue.script == ["→ CONNECTION_PARAM_REQ"])
        guard case .remoteConnectionParameterRequest(let request) = dialogue.peripheral.events.first
        else {
            Issue.record("The host was not asked")
            return
        }
        #expect(request.intervalMaximum == HCI.ConnectionInterval(.milliseconds(50)))
        #expect(
            dialogue.refusal(.central, .acceptParameters(.milliseconds(50))) == .commandDisallowed
        )
        try dialogue.ask(.peripheral, .acceptParameters(.milliseconds(50)))
        #expect(
            dialogue.refusal(.peripheral, .refuseParameters(.unacceptableConnectionParameters))
                == .commandDisallowed
        )
        dialogue.run(events: 9)
        #expect(
            dialogue.script == [
                "→ CONNECTION_PARAM_REQ", "← CONNECTION_PARAM_RSP", "→ CONNECTION_UPDATE_IND",
            ]
        )
        #expect(update(dialogue.central.events.last)?.status == .success)
        #expect(update(dialogue.peripheral.events.last)?.status == .success)
        #expect(dialogue.peripheral.procedures.parameters.interval == .milliseconds(50))
    }

    @Test("LL/CON/CEN/BV-25-C, LL/CON/PER/BV-34-C: The peripheral's host refuses parameters")
    func peripheralRefuses() throws {
        let dialogue = try withFeatures()
        try dialogue.ask(.central, .updateConnection(.milliseconds(50)))
        dialogue.run(events: 2)
        try dialogue.ask(.peripheral, .refuseParameters(.unacceptableConnectionParameters))
        dialogue.run(events: 1)
        #expect(dialogue.script == ["→ CONNECTION_PARAM_REQ", "← REJECT_EXT_IND"])
        #expect(
            update(dialogue.central.events.last)?.status == .unacceptableConnectionParameters
        )
        #expect(dialogue.central.procedures.parameters.interval == .milliseconds(30))
    }

    @Test(
        "LL/CON/PER/BV-33-C, LL/CON/CEN/BV-34-C: If the host masks the event, its controller accepts",
        arguments: LinkSide.allCases
    )
    func masked(side: LinkSide) throws {
        let dialogue = try withFeatures()
        dialogue[side.other].wanted = []
        try dialogue.ask(side, .updateConnection(.milliseconds(50)))
        dialogue.run(events: 9)
        #expect(update(dialogue[side].events.first)?.status == .success)
        #expect(update(dialogue[side.other].events.first)?.status == .success)
        #expect(dialogue[side.other].events.count == 1)
    }

    @Test("LL/CON/PER/BV-24-C, LL/CON/CEN/BV-30-C: The central's host accepts parameters")
    func peripheralAsks() throws {
        let dialogue = Dialogue()
        try dialogue.ask(.peripheral, .updateConnection(.milliseconds(75)))
        dialogue.run(events: 1)
        try dialogue.ask(.central, .acceptParameters(.milliseconds(75)))
        dialogue.run(events: 8)
        #expect(dialogue.script == ["← CONNECTION_PARAM_REQ", "→ CONNECTION_UPDATE_IND"])
        #expect(update(dialogue.peripheral.events.last)?.status == .success)
        #expect(update(dialogue.central.events.last)?.interval.duration == .milliseconds(75))
    }

    @Test("LL/CON/PER/BV-25-C, LL/CON/CEN/BV-35-C: The central's host refuses parameters")
    func centralRefuses() throws {
        let dialogue = Dialogue()
        try dialogue.ask(.peripheral, .updateConnection(.milliseconds(75)))
        dialogue.run(events: 1)
        try dialogue.ask(.central, .refuseParameters(.unacceptableConnectionParameters))
        dialogue.run(events: 1)
        #expect(
            update(dialogue.peripheral.events.last)?.status == .unacceptableConnectionParameters
        )
        try dialogue.ask(.peripheral, .updateConnection(.milliseconds(90)))
    }

    @Test("LL/CON/CEN/BV-29-C: A peripheral that does not support the request gets an indication")
    func fallback() throws {
        let dialogue = try withFeatures { side, local in
            if side == .peripheral { local.features.remove(.connectionParametersRequest) }
        }
        try dialogue.ask(.central, .updateConnection(.milliseconds(75)))
        dialogue.run(events: 8)
        #expect(dialogue.script == ["→ CONNECTION_UPDATE_IND"])
        #expect(update(dialogue.central.events.last)?.status == .success)
    }

    @Test(
        "After LL_UNKNOWN_RSP, the central sends an indication, and a peripheral's request fails"
    )
    func unknown() throws {
        let central = try withFeatures()
        central.peripheral.isUnreachable = true
        try central.ask(.central, .updateConnection(.milliseconds(75)))
        central.run(events: 1)
        central.forge(.unknownResponse(opcode: 0x0F), to: .central)
        central.peripheral.isUnreachable = false
        central.run(events: 10)
        #expect(central.script.contains("→ CONNECTION_UPDATE_IND"))

        let peripheral = Dialogue { side, local in
            if side == .central { local.features.remove(.connectionParametersRequest) }
        }
        try peripheral.ask(.peripheral, .updateConnection(.milliseconds(75)))
        peripheral.run(events: 1)
        #expect(peripheral.script == ["← CONNECTION_PARAM_REQ", "→ UNKNOWN_RSP"])
        #expect(
            update(peripheral.peripheral.events.first)?.status == .unsupportedRemoteFeature
        )
    }

    @Test(
        "LL/CON/CEN/BI-06-C, LL/CON/PER/BI-08-C: Invalid parameters are refused",
        arguments: LinkSide.allCases
    )
    func illegal(side: LinkSide) {
        let dialogue = Dialogue()
        var proposal = ConnectionParameterProposal.milliseconds(50)
        proposal.intervalMinimum = .milliseconds(60)
        dialogue.forge(.connectionParameterRequest(proposal), to: side)
        dialogue.run(events: 1)
        #expect(
            dialogue.pdus == [
                .extendedRejectIndication(opcode: 0x0F, .invalidLinkLayerParameters)
            ]
        )
    }

    @Test(
        "The host's invalid parameters are refused",
        arguments: [
            ConnectionParameterProposal.milliseconds(5), .milliseconds(4_001),
            .milliseconds(30, latency: 500),
            .milliseconds(1_000, latency: 3), .milliseconds(30, timeout: .seconds(33)),
            .milliseconds(30, timeout: .milliseconds(90)),
        ]
    )
    func illegalProposal(proposal: ConnectionParameterProposal) {
        let dialogue = Dialogue()
        for side in LinkSide.allCases {
            #expect(
                dialogue.refusal(side, .updateConnection(proposal)) == .invalidCommandParameters
            )
        }
    }

    @Test("An instant in the past ends the link")
    func passed() {
        let dialogue = Dialogue(from: 100)
        let pace = dialogue.central.procedures.parameters
        dialogue.forge(
            .connectionUpdateIndication(
                ConnectionUpdateIndication(parameters: pace, windowOffset: .zero, instant: 99)
            ),
            to: .peripheral
        )
        #expect(dialogue.peripheral.reason == .instantPassed)
    }

    @Test("The channel map changes on both sides at the instant")
    func channels() throws {
        let dialogue = Dialogue()
        try dialogue.ask(.central, .setChannels(0xFF))
        dialogue.run(events: 7)
        #expect(dialogue.script == ["→ CHANNEL_MAP_IND"])
        for side in LinkSide.allCases {
            #expect(dialogue[side].procedures.channels == 0xFF)
            #expect(dialogue[side].actions == [.setChannels(0xFF)])
            #expect(dialogue[side].events.isEmpty)
        }
        try dialogue.ask(.central, .setChannels(0xFF))
        dialogue.run(events: 2)
        #expect(dialogue.script.count == 1)
    }

    @Test("The latest waiting classification applies, and a single channel is refused")
    func channelsTwice() throws {
        let dialogue = Dialogue()
        try dialogue.ask(.central, .setChannels(0xFF))
        try dialogue.ask(.central, .setChannels(0xF0))
        try dialogue.ask(.central, .setChannels(0x0F))
        dialogue.run(events: 20)
        #expect(dialogue.peripheral.procedures.channels == 0x0F)
        #expect(dialogue.script == ["→ CHANNEL_MAP_IND", "→ CHANNEL_MAP_IND"])
        #expect(dialogue.refusal(.central, .setChannels(1)) == .invalidCommandParameters)
        #expect(dialogue.refusal(.peripheral, .setChannels(3)) == .commandDisallowed)
    }
}
