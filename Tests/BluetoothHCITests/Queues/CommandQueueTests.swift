// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothHCI

typealias TestQueue = CommandQueue<String>

extension CommandQueue<String>.Action {
    /// Returns the action that sends a command.
    static func sends(_ command: some HCICommand) -> Self {
        .send(HCI.EncodedCommand(command).h4Packet)
    }
}

/// A command queue and a clock, with short names for the controller's events.
struct QueueHarness {
    static let disconnect = HCI.Disconnect(connectionHandle: Sample.link)
    static let probe = HCI.ReadLocalVersionInformation()

    var queue = TestQueue()
    var now = Instant.zero

    mutating func enqueue(_ command: some HCICommand, _ purpose: String) -> [TestQueue.Action] {
        queue.enqueue(HCI.EncodedCommand(command), for: purpose, now: now)
    }

    mutating func complete(
        _ opcode: HCI.Opcode,
        allowing allowed: UInt8 = 1,
        _ parameters: ArraySlice<UInt8> = [0]
    ) -> [TestQueue.Action] {
        queue.commandCompleted(
            opcode: opcode,
            allowedPackets: allowed,
            returnParameters: parameters,
            now: now
        )
    }

    mutating func status(
        _ opcode: HCI.Opcode,
        _ status: HCI.ErrorCode = .success,
        allowing allowed: UInt8 = 1
    ) -> [TestQueue.Action] {
        queue.commandStatus(opcode: opcode, allowedPackets: allowed, status: status, now: now)
    }

    /// Advances the clock to the next deadline.
    mutating func waitForDeadline() -> [TestQueue.Action] {
        guard let deadline = queue.nextDeadline else { return [] }
        now = deadline
        return queue.deadlinePassed(now: now)
    }
}

@Suite("Command queue") struct CommandQueueTests {
    @Test("The queue sends one command until the controller allows more") func initialBudget() {
        var harness = QueueHarness()
        #expect(harness.enqueue(HCI.Reset(), "a") == [.sends(HCI.Reset())])
        #expect(harness.enqueue(HCI.LERand(), "b") == [])
        #expect(
            harness.complete(.reset) == [.finished("a", .complete([0])), .sends(HCI.LERand())]
        )
    }

    @Test("The queue sends as many commands as the controller allows") func budget() {
        var harness = QueueHarness()
        #expect(harness.complete(.none, allowing: 2, []) == [])
        #expect(harness.enqueue(HCI.LERand(), "a") == [.sends(HCI.LERand())])
        #expect(harness.enqueue(HCI.ReadBDAddress(), "b") == [.sends(HCI.ReadBDAddress())])
        #expect(harness.enqueue(HCI.Reset(), "c") == [])
    }

    @Test("Outstanding commands count against the number that the controller allows")
    func commandsOnTheWay() {
        var harness = QueueHarness()
        _ = harness.complete(.none, allowing: 2, [])
        _ = harness.enqueue(HCI.LERand(), "a")
        _ = harness.enqueue(HCI.ReadBDAddress(), "b")
        _ = harness.enqueue(HCI.Reset(), "c")
        #expect(harness.complete(.leRand, allowing: 1) == [.finished("a", .complete([0]))])
        #expect(
            harness.complete(.readBDAddress, allowing: 2)
                == [.finished("b", .complete([0])), .sends(HCI.Reset())]
        )
    }

    @Test("The queue holds commands while the controller allows none") func noBudget() {
        var harness = QueueHarness()
        _ = harness.enqueue(HCI.LERand(), "a")
        _ = harness.enqueue(HCI.Reset(), "b")
        #expect(harness.complete(.leRand, allowing: 0) == [.finished("a", .complete([0]))])
        #expect(harness.complete(.none, allowing: 1, []) == [.sends(HCI.Reset())])
    }

    @Test("A success in Command Status does not end a command that needs Command Complete")
    func kindsOfAnswers() {
        var harness = QueueHarness()
        _ = harness.enqueue(QueueHarness.disconnect, "a")
        #expect(harness.status(.disconnect) == [.finished("a", .status(.success))])

        _ = harness.enqueue(HCI.LERand(), "b")
        #expect(harness.status(.leRand) == [], "The command has started and not ended")
        #expect(
            harness.complete(.leRand, [0, 1, 2]) == [.finished("b", .complete([0, 1, 2]))]
        )

        _ = harness.enqueue(HCI.LERand(), "c")
        #expect(
            harness.status(.leRand, .unknownCommand) == [.finished("c", .status(.unknownCommand))]
        )

        _ = harness.enqueue(QueueHarness.disconnect, "d")
        #expect(harness.complete(.disconnect, [2]) == [.finished("d", .complete([2]))])
    }

    @Test("Responses end commands with the same opcode in order") func sameOpcode() {
        var harness = QueueHarness()
        _ = harness.complete(.none, allowing: 5, [])
        _ = harness.enqueue(HCI.LERand(), "a")
        _ = harness.enqueue(HCI.LERand(), "b")
        #expect(harness.complete(.leRand, [0, 1]) == [.finished("a", .complete([0, 1]))])
        #expect(harness.complete(.leRand, [0, 2]) == [.finished("b", .complete([0, 2]))])
    }

    @Test("The queue ignores unmatched responses, except for the number of commands they allow")
    func strangers() {
        var harness = QueueHarness()
        _ = harness.enqueue(HCI.LERand(), "a")
        _ = harness.enqueue(HCI.Reset(), "b")
        #expect(harness.complete(.readBDAddress, allowing: 2) == [.sends(HCI.Reset())])
        #expect(harness.status(HCI.Opcode(rawValue: 0xFFFF), .hardwareFailure) == [])
        #expect(harness.complete(.leRand) == [.finished("a", .complete([0]))])
    }

    @Test("The queue discards commands beyond its limit") func limit() {
        var harness = QueueHarness()
        _ = harness.enqueue(HCI.Reset(), "sent")
        for _ in 0..<CommandQueueLimits.pendingLimit {
            #expect(harness.enqueue(HCI.LERand(), "waiting") == [])
        }
        #expect(harness.enqueue(HCI.LERand(), "over") == [.finished("over", .discarded)])
    }

    @Test("Withdrawing removes waiting commands and keeps the order of the remaining commands")
    func withdrawal() {
        var harness = QueueHarness()
        _ = harness.enqueue(HCI.LERand(), "sent")
        for purpose in ["a", "b", "a", "c"] { _ = harness.enqueue(HCI.LERand(), purpose) }
        #expect(harness.queue.withdraw { $0 == "a" || $0 == "sent" } == ["a", "a"])
        #expect(
            harness.complete(.leRand)
                == [.finished("sent", .complete([0])), .sends(HCI.LERand())]
        )
        #expect(
            harness.complete(.leRand) == [.finished("b", .complete([0])), .sends(HCI.LERand())]
        )
        #expect(harness.complete(.leRand) == [.finished("c", .complete([0]))])
    }

    @Test("The queue has no deadline for a stalled controller once no command is waiting")
    func withdrawalInStall() {
        var harness = QueueHarness()
        _ = harness.enqueue(HCI.LERand(), "a")
        _ = harness.enqueue(HCI.LERand(), "b")
        _ = harness.complete(.leRand, allowing: 0)
        #expect(harness.queue.nextDeadline != nil)
        #expect(harness.queue.withdraw { $0 == "b" } == ["b"])
        #expect(harness.queue.nextDeadline == nil)
    }

    @Test("Resetting the queue discards every command and restores its initial state")
    func reset() {
        var harness = QueueHarness()
        _ = harness.enqueue(HCI.Reset(), "a")
        _ = harness.enqueue(HCI.LERand(), "b")
        #expect(
            harness.queue.reset() == [.finished("a", .discarded), .finished("b", .discarded)]
        )
        #expect(harness.queue.nextDeadline == nil)
        #expect(harness.enqueue(HCI.LERand(), "c") == [.sends(HCI.LERand())])
    }
}

/// A *probe* is the Read Local Version Information that the queue sends after a command without a
/// response, to test whether the controller still responds; see ``CommandQueue``.
@Suite("Timeouts of the command queue") struct CommandQueueTimeoutTests {
    @Test("A command that times out ends, and the queue continues after its probe is answered")
    func deafToOne() {
        var harness = QueueHarness()
        _ = harness.enqueue(HCI.LEReadChannelMap(connectionHandle: Sample.link), "deaf")
        _ = harness.enqueue(HCI.LERand(), "next")
        #expect(harness.queue.nextDeadline == Instant.zero + CommandQueueLimits.responseTimeout)
        #expect(
            harness.waitForDeadline()
                == [.finished("deaf", .timedOut), .sends(QueueHarness.probe)]
        )
        #expect(harness.complete(.readLocalVersionInformation) == [.sends(HCI.LERand())])
        #expect(harness.complete(.leRand) == [.finished("next", .complete([0]))])
        #expect(harness.queue.nextDeadline == nil)
    }

    @Test("The queue does nothing before the deadline") func early() {
        var harness = QueueHarness()
        _ = harness.enqueue(HCI.LERand(), "a")
        #expect(harness.queue.deadlinePassed(now: Instant.zero + .milliseconds(1999)) == [])
        #expect(harness.complete(.leRand) == [.finished("a", .complete([0]))])
    }

    @Test("A late response that precedes the response to the probe does not end a newer command")
    func lateAnswer() {
        var harness = QueueHarness()
        _ = harness.enqueue(HCI.LERand(), "old")
        _ = harness.waitForDeadline()
        #expect(harness.enqueue(HCI.LERand(), "new") == [], "The queue sends the probe first")
        #expect(harness.complete(.leRand, [0, 0xAA]) == [])
        #expect(harness.complete(.readLocalVersionInformation) == [.sends(HCI.LERand())])
        #expect(harness.complete(.leRand, [0, 0xBB]) == [.finished("new", .complete([0, 0xBB]))])
    }

    @Test("A late response does not complete an identical, newer command") func twin() {
        var harness = QueueHarness()
        _ = harness.complete(.none, allowing: 2, [])
        _ = harness.enqueue(HCI.LERand(), "old")
        harness.now = Instant.zero + .seconds(1)
        _ = harness.enqueue(HCI.LERand(), "new")
        #expect(
            harness.waitForDeadline() == [.finished("old", .timedOut), .sends(QueueHarness.probe)]
        )
        #expect(
            harness.complete(.leRand, [0, 0xAA]) == [],
            "The response belongs to the old command"
        )
        #expect(harness.complete(.leRand, [0, 0xBB]) == [.finished("new", .complete([0, 0xBB]))])
    }

    @Test("The queue drops an unanswered command once its probe is answered")
    func neverAnswered() {
        var harness = QueueHarness()
        _ = harness.enqueue(HCI.LERand(), "lost")
        _ = harness.waitForDeadline()
        _ = harness.complete(.readLocalVersionInformation)
        _ = harness.enqueue(HCI.LERand(), "again")
        #expect(harness.complete(.leRand, [0, 1]) == [.finished("again", .complete([0, 1]))])
    }

    @Test("The controller is reported unresponsive once if the probe stays unanswered")
    func gone() {
        var harness = QueueHarness()
        _ = harness.enqueue(HCI.LERand(), "a")
        _ = harness.enqueue(HCI.Reset(), "b")
        _ = harness.waitForDeadline()
        #expect(harness.waitForDeadline() == [.finished("b", .discarded), .unresponsive])
        #expect(harness.queue.nextDeadline == nil)
        #expect(harness.enqueue(HCI.Reset(), "c") == [.finished("c", .discarded)])
        #expect(harness.complete(.none, allowing: 9, []) == [])
        #expect(harness.queue.reset() == [])
        #expect(harness.enqueue(HCI.Reset(), "d") == [.sends(HCI.Reset())])
    }

    @Test("The deadline counts from the last response if the controller is slow") func slow() {
        var harness = QueueHarness()
        _ = harness.enqueue(HCI.LERand(), "slow")
        _ = harness.waitForDeadline()
        harness.now = harness.now + .milliseconds(900)
        #expect(harness.complete(.leRand) == [])
        #expect(harness.queue.nextDeadline == harness.now + CommandQueueLimits.probeTimeout)
    }

    @Test("Several timed-out commands cause one probe") func oneProbe() {
        var harness = QueueHarness()
        _ = harness.complete(.none, allowing: 3, [])
        _ = harness.enqueue(HCI.LERand(), "a")
        _ = harness.enqueue(HCI.ReadBDAddress(), "b")
        #expect(
            harness.waitForDeadline()
                == [
                    .finished("a", .timedOut), .finished("b", .timedOut),
                    .sends(QueueHarness.probe),
                ]
        )
        #expect(harness.complete(.readBDAddress) == [])
        #expect(harness.complete(.readLocalVersionInformation) == [])
        #expect(harness.queue.nextDeadline == nil)
    }

    @Test("If a caller's Read Local Version Information times out, the queue sends it as a probe")
    func deafToProbe() {
        var harness = QueueHarness()
        _ = harness.enqueue(QueueHarness.probe, "version")
        #expect(
            harness.waitForDeadline()
                == [.finished("version", .timedOut), .sends(QueueHarness.probe)]
        )
        #expect(harness.complete(.readLocalVersionInformation) == [])
        #expect(harness.queue.nextDeadline == nil)
    }

    @Test("The queue probes a controller that stalls, then sends one command at a time")
    func stalled() {
        var harness = QueueHarness()
        _ = harness.enqueue(HCI.LERand(), "a")
        _ = harness.enqueue(HCI.Reset(), "b")
        _ = harness.complete(.leRand, allowing: 0)
        #expect(harness.waitForDeadline() == [.sends(QueueHarness.probe)])
        #expect(
            harness.complete(.readLocalVersionInformation, allowing: 0) == [.sends(HCI.Reset())]
        )
    }

    @Test(
        "No command ends twice if the controller answers at random",
        arguments: RunSeed.seeds(1)
    ) func onceOnly(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<200 {
            var harness = QueueHarness()
            var ended: [String: Int] = [:]
            func note(_ actions: [TestQueue.Action]) {
                for case .finished(let purpose, _) in actions { ended[purpose, default: 0] += 1 }
            }
            for step in 0..<60 {
                let opcodes: [HCI.Opcode] = [.leRand, .reset, .none, .readLocalVersionInformation]
                let opcode = opcodes.randomElement(using: &generator) ?? .none
                let allowed = UInt8.random(in: 0...3, using: &generator)
                switch Int.random(in: 0...5, using: &generator) {
                case 0, 1: note(harness.enqueue(HCI.LERand(), "\(step)"))
                case 2: note(harness.enqueue(HCI.Reset(), "\(step)"))
                case 3: note(harness.complete(opcode, allowing: allowed))
                case 4: note(harness.status(opcode, .unspecifiedError, allowing: allowed))
                default: note(harness.waitForDeadline())
                }
            }
            note(harness.queue.reset())
            #expect(ended.values.allSatisfy { $0 == 1 })
        }
    }
}
