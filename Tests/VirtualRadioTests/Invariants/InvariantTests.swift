// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

/// Sequences of packets that satisfy or violate each rule.
@Suite struct InvariantTests {
    private let handle = ConnectionHandle(rawValue: 0x0040)

    private func command(_ command: some HCICommand) -> HCI.Packet {
        let encoded = HCI.EncodedCommand(command)
        return .command(opcode: encoded.opcode, parameters: encoded.parameters[...])
    }

    private func complete(_ opcode: HCI.Opcode, _ parameters: [UInt8] = [0]) -> HCI.Packet {
        HCI.Event.commandComplete(
            HCI.CommandComplete(
                allowedPackets: 1,
                opcode: opcode,
                returnParameters: parameters[...]
            )
        ).packet
    }

    private func completed(_ count: UInt16) -> HCI.Packet {
        let completed = HCI.CompletedPackets(connectionHandle: handle, count: count)
        return HCI.Event.numberOfCompletedPackets(
            HCI.NumberOfCompletedPackets(completed: [completed])
        ).packet
    }

    private var connected: HCI.Packet {
        let parameters: [UInt8] = [
            0, 0x40, 0, 0, 0, 1, 2, 3, 4, 5, 6, 24, 0, 0, 0, 72, 0, 0,
        ]
        return .event(code: .leMeta, parameters: [1] + parameters[...])
    }

    private var disconnected: HCI.Packet {
        .event(code: .disconnectionComplete, parameters: [0, 0x40, 0, 0x13])
    }

    private func att(_ opcode: UInt8) -> HCI.Packet {
        .acl(
            HCI.ACLPacket(
                connectionHandle: handle,
                boundary: .firstNonFlushable,
                payload: [3, 0, 4, 0, opcode, 1, 0]
            )
        )
    }

    /// Passes the packets to the invariant, and returns the number of violations that it reports.
    private func violations(
        of invariant: any Invariant,
        in packets: [(WireDirection, HCI.Packet)]
    ) -> Int {
        var invariant = invariant
        return packets.reduce(0) { count, packet in
            invariant.observe(packet.1, packet.0, now: .zero) == nil ? count : count + 1
        }
    }

    @Test("A second answer to a command is a violation")
    func secondAnswer() {
        let reset = command(HCI.Reset())
        let exchange = [(WireDirection.toController, reset), (.toHost, complete(.reset))]
        #expect(violations(of: CommandInvariant(), in: exchange) == 0)
        let twice = exchange + [(.toHost, complete(.reset))]
        #expect(violations(of: CommandInvariant(), in: twice) == 1)
        let nothing = [(WireDirection.toHost, complete(HCI.Opcode(rawValue: 0), []))]
        #expect(violations(of: CommandInvariant(), in: nothing) == 0)
    }

    @Test("A command that is unanswered at the end of a run is a violation")
    func unansweredCommand() {
        var invariant = CommandInvariant()
        let early = invariant.observe(command(HCI.LERand()), .toController, now: .zero)
        #expect(early == nil)
        #expect(invariant.finish(now: .zero + .seconds(1)) == nil)
        #expect(invariant.finish(now: .zero + CommandInvariant.timeLimit) != nil)
    }

    @Test("Host Number Of Completed Packets needs no answer")
    func completedPackets() {
        var invariant = CommandInvariant()
        let report = command(HCI.HostNumberOfCompletedPackets(completed: []))
        #expect(invariant.observe(report, .toController, now: .zero) == nil)
        #expect(invariant.finish(now: .zero + CommandInvariant.timeLimit) == nil)
    }

    @Test("The answer to Reset ends the earlier commands")
    func reset() {
        var invariant = CommandInvariant()
        for packet in [command(HCI.LERand()), command(HCI.Reset())] {
            _ = invariant.observe(packet, .toController, now: .zero)
        }
        #expect(invariant.observe(complete(.reset), .toHost, now: .zero) == nil)
        #expect(invariant.finish(now: .zero + .seconds(9)) == nil)
    }

    @Test("A controller that restarts need not answer the earlier commands")
    func restart() {
        let reset = (WireDirection.toController, command(HCI.Reset()))
        let error = HCI.Event.hardwareError(HCI.HardwareError(code: 0x03)).packet
        var invariant = CommandInvariant()
        for packet in [reset, reset, (.toHost, error)] {
            #expect(invariant.observe(packet.1, packet.0, now: .zero) == nil)
        }
        #expect(invariant.finish(now: .zero + .seconds(9)) == nil)
        let answer = (WireDirection.toHost, complete(.reset))
        let answered = [reset, (WireDirection.toHost, error), reset, answer, answer]
        #expect(violations(of: CommandInvariant(), in: answered) == 0)
        #expect(violations(of: CommandInvariant(), in: answered + [answer]) == 1)
    }

    @Test("Data beyond the controller's buffers is a violation")
    func excessData() {
        let size: [UInt8] = [0, 251, 0, 2]
        let known = [(WireDirection.toHost, complete(.leReadBufferSize, size))]
        let data = (WireDirection.toController, att(0x52))
        #expect(violations(of: CreditInvariant(), in: known + [data, data]) == 0)
        #expect(violations(of: CreditInvariant(), in: known + [data, data, data]) == 1)
        let returned = known + [data, data, (.toHost, completed(1)), data]
        #expect(violations(of: CreditInvariant(), in: returned) == 0)
        let afterEnd = known + [data, data, (.toHost, disconnected), data, data]
        #expect(violations(of: CreditInvariant(), in: afterEnd) == 0)
        #expect(violations(of: CreditInvariant(), in: [data]) == 1)
    }

    @Test("A completion for an unsent packet is a violation")
    func excessCredits() {
        let known = [(WireDirection.toHost, complete(.leReadBufferSize, [0, 251, 0, 2]))]
        let data = (WireDirection.toController, att(0x52))
        #expect(violations(of: CreditInvariant(), in: known + [(.toHost, completed(1))]) == 1)
        let tooMany = known + [data, (.toHost, completed(2))]
        #expect(violations(of: CreditInvariant(), in: tooMany) == 1)
    }

    @Test("Data on a closed link is a violation", arguments: [WireDirection.toController, .toHost])
    func closedLink(direction: WireDirection) {
        let data = (direction, att(0x52))
        let open = (WireDirection.toHost, connected)
        let closed = (WireDirection.toHost, disconnected)
        #expect(violations(of: OpenLinkInvariant(), in: [open, data, data, closed]) == 0)
        #expect(violations(of: OpenLinkInvariant(), in: [data]) == 1)
        #expect(violations(of: OpenLinkInvariant(), in: [open, closed, data]) == 1)
        #expect(violations(of: OpenLinkInvariant(), in: [open, open]) == 1)
        #expect(violations(of: OpenLinkInvariant(), in: [closed]) == 1)
        let reset = (WireDirection.toHost, complete(.reset))
        #expect(violations(of: OpenLinkInvariant(), in: [open, reset, data]) == 1)
    }

    @Test(
        "A second request before the response is a violation",
        arguments: [WireDirection.toController, .toHost]
    )
    func secondRequest(asked: WireDirection) {
        let (read, answer) = ((asked, att(0x0A)), (asked.opposite, att(0x0B)))
        let (command, indication) = ((asked, att(0x52)), (asked, att(0x1D)))
        let opposite = (asked.opposite, att(0x0A))
        let fine = [read, command, indication, opposite, answer, read]
        #expect(violations(of: OneRequestInvariant(), in: fine) == 0)
        #expect(violations(of: OneRequestInvariant(), in: [read, read]) == 1)
        #expect(violations(of: OneRequestInvariant(), in: [indication, indication]) == 1)
        #expect(violations(of: OneRequestInvariant(), in: [answer]) == 1)
        let again = [read, (WireDirection.toHost, disconnected), read]
        #expect(violations(of: OneRequestInvariant(), in: again) == 0)
    }

    @Test("A world collects the violations")
    func worldViolations() throws {
        let world = World(seed: 1)
        world.watchInvariants()
        let controller = try world.addController()
        let cut = HCI.EncodedCommand(HCI.Disconnect(connectionHandle: handle, reason: .success))
        world.send(Array(cut.h4Packet.prefix(3)), to: controller)
        world.send(Array(cut.h4Packet.dropFirst(3)), to: controller)
        world.run(for: .seconds(1))
        world.send(att(0x0A).h4Bytes, to: controller)
        world.run(for: .seconds(1))
        world.finishWatching()
        let rules = world.violations.map(\.rule)
        #expect(rules == ["credits are never negative", "nothing is sent on a closed link"])
        #expect(world.violations.first?.description.hasPrefix("1.000000s controller 0: ") == true)
    }
}
