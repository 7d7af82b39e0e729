// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import Testing

import enum LanyardTestSupport.RunSeed

@testable import HCITransports

@Suite("The startup of a serial line")
struct SerialStartUpTests {
    private typealias Action = SerialStartUp.Action

    private static let reset = Action.send([0x01, 0x03, 0x0C, 0x00])
    private static let readVersion = Action.send([0x01, 0x01, 0x10, 0x00])
    private static let resetAnswer: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]

    private static func versionAnswer(company: UInt16) -> [UInt8] {
        let company = [UInt8(company & 0xFF), UInt8(company >> 8)]
        return [0x04, 0x0E, 0x0C, 0x01, 0x01, 0x10, 0x00, 0x0C, 0, 0, 0x0C] + company + [0, 0]
    }

    private static func answer(to opcode: UInt16, status: UInt8 = 0) -> [UInt8] {
        [0x04, 0x0E, 0x04, 0x01, UInt8(opcode & 0xFF), UInt8(opcode >> 8), status]
    }

    private static func command(_ vendor: SerialVendor, _ speed: Int, _ index: Int = 0) -> Action {
        .send(vendor.commands(for: speed)?[index].packet ?? [])
    }

    /// A startup and its clock.
    private struct StartUpRun {
        var startUp: SerialStartUp
        var now = Instant.zero
        private var actions: [Action] = []

        init(_ text: String) throws {
            startUp = SerialStartUp(try SerialLine(text[...]))
            actions = startUp.begin(now: now)
        }

        mutating func receive(_ bytes: [UInt8]) {
            actions += startUp.receive(bytes[...], now: now)
        }

        /// Moves the clock to the awaited deadline.
        mutating func wait() throws {
            now = try #require(startUp.nextDeadline)
            actions += startUp.deadlinePassed(now: now)
        }

        /// Returns the actions since the last call.
        mutating func takeActions() -> [Action] {
            defer { actions = [] }
            return actions
        }
    }

    @Test("Without a second speed, the startup only resets the controller and reads its version")
    func plain() throws {
        var run = try StartUpRun("/dev/x@1000000")
        #expect(run.startUp.openingSpeeds == [1_000_000])
        #expect(run.takeActions() == [Self.reset])
        run.receive(Self.resetAnswer)
        #expect(run.takeActions() == [Self.readVersion])
        run.receive(Self.versionAnswer(company: 0x0059))
        #expect(run.takeActions() == [.finish(.init(speed: 1_000_000))])
        #expect(run.startUp.nextDeadline == nil)
    }

    @Test("The startup finds the answer to Reset in noise that arrives byte by byte")
    func noise() throws {
        var run = try StartUpRun("/dev/x@1000000")
        _ = run.takeActions()
        let noise: [UInt8] = [
            0xFF, 0x00, 0x04, 0x3E, 0x02, 0x02, 0xFF, 0xFF, 0x04, 0x0E, 0x04, 0x01,
        ]
        for byte in noise + Self.resetAnswer { run.receive([byte]) }
        #expect(run.takeActions() == [Self.readVersion])
        let other: [UInt8] = [0x04, 0x3E, 0x01, 0x02]
        for byte in other + Self.versionAnswer(company: 1) { run.receive([byte]) }
        #expect(run.takeActions() == [.finish(.init(speed: 1_000_000))])
    }

    @Test("The startup fails after several Resets without an answer")
    func silence() throws {
        var run = try StartUpRun("/dev/x@1000000")
        for _ in 1..<SerialStartUp.probeLimit {
            #expect(run.takeActions() == [Self.reset])
            try run.wait()
        }
        _ = run.takeActions()
        try run.wait()
        #expect(run.takeActions() == [.fail(speeds: [1_000_000])])
        #expect(run.startUp.nextDeadline == nil)
    }

    @Test("The startup has no deadline after it failed because of noise")
    func failsInNoise() throws {
        var run = try StartUpRun("/dev/x@1000000")
        for _ in 0..<SerialStartUp.probeLimit {
            run.receive(Self.resetAnswer)
            run.receive([0xAA])
        }
        #expect(run.takeActions().last == .fail(speeds: [1_000_000]))
        #expect(run.startUp.nextDeadline == nil)
    }

    @Test("The company of the controller determines the command that changes the speed")
    func recognized() throws {
        var run = try StartUpRun("/dev/x@921600,start=115200")
        // The port is set to the new speed first, to test that it supports the speed.
        #expect(run.startUp.openingSpeeds == [921_600, 115_200])
        #expect(run.takeActions() == [Self.reset])
        run.receive(Self.resetAnswer)
        run.receive(Self.versionAnswer(company: 0x000D))
        #expect(run.takeActions() == [Self.readVersion, Self.command(.ti, 921_600)])
        run.receive(Self.answer(to: 0xFF36))
        #expect(run.takeActions() == [.setSpeed(921_600)])
        // While the speeds differ, received bytes have no meaning.
        run.receive(Self.resetAnswer + [0xAA, 0x55])
        #expect(run.takeActions() == [])
        try run.wait()
        #expect(run.takeActions() == [Self.reset])
        run.receive(Self.resetAnswer)
        run.receive(Self.versionAnswer(company: 0x000D))
        #expect(run.takeActions() == [Self.readVersion, .finish(.init(speed: 921_600))])
    }

    @Test("A given vendor overrides the company that the controller reports")
    func givenVendor() throws {
        var run = try StartUpRun("/dev/x@4000000,vendor=broadcom")
        _ = run.takeActions()
        run.receive(Self.resetAnswer)
        run.receive(Self.versionAnswer(company: 0xFFFF))
        #expect(run.takeActions() == [Self.readVersion, Self.command(.broadcom, 4_000_000)])
        run.receive(Self.answer(to: 0xFC45))
        #expect(run.takeActions() == [Self.command(.broadcom, 4_000_000, 1)])
        run.receive(Self.answer(to: 0xFC18))
        #expect(run.takeActions() == [.setSpeed(4_000_000)])
    }

    @Test(
        "The startup does not wait for an answer that may come at the new speed or not at all",
        arguments: [SerialVendor.qualcomm, .st, .intel]
    )
    func unanswered(vendor: SerialVendor) throws {
        var run = try StartUpRun("/dev/x@921600,vendor=\(vendor.rawValue)")
        _ = run.takeActions()
        run.receive(Self.resetAnswer)
        run.receive(Self.versionAnswer(company: 0xFFFF))
        if vendor == .intel { run.receive(Self.answer(to: 0xFC05)) }
        let last = vendor == .intel ? 1 : 0
        #expect(run.takeActions().last == Self.command(vendor, 921_600, last))
        let sentAt = run.now
        try run.wait()
        #expect(run.takeActions() == [.setSpeed(921_600)])
        // The startup waits until the command has left even a line with 9,600 bits per second.
        let bits = 10 * 5
        #expect((run.now - sentAt) >= .milliseconds(bits * 1_000 / 9_600))
        let changedAt = run.now
        try run.wait()
        #expect(run.now - changedAt == vendor.settlingTime)
        #expect(run.takeActions() == [Self.reset])
    }

    @Test("The line returns to the old speed with a notice if the new speed does not work")
    func fallBack() throws {
        var run = try StartUpRun("/dev/x@921600,vendor=ti")
        run.receive(Self.resetAnswer)
        run.receive(Self.versionAnswer(company: 0))
        run.receive(Self.answer(to: 0xFF36))
        try run.wait()
        for _ in 1..<SerialStartUp.verificationLimit { try run.wait() }
        _ = run.takeActions()
        try run.wait()
        #expect(run.takeActions() == [.setSpeed(115_200), Self.reset])
        run.receive(Self.resetAnswer)
        run.receive(Self.versionAnswer(company: 0))
        let outcome = SerialStartUp.Outcome(
            speed: 115_200,
            notice: "the line stays at 115200 bits per second: it does not answer at 921600"
        )
        #expect(run.takeActions() == [Self.readVersion, .finish(outcome)])
    }

    @Test("An answer to Reset at the new speed does not prove that the speed works")
    func resetUndoesTheSpeed() throws {
        var run = try StartUpRun("/dev/x@921600,vendor=ti")
        run.receive(Self.resetAnswer)
        run.receive(Self.versionAnswer(company: 0))
        run.receive(Self.answer(to: 0xFF36))
        try run.wait()
        for _ in 0..<SerialStartUp.verificationLimit {
            run.receive(Self.resetAnswer)
            try run.wait()
        }
        #expect(run.takeActions().suffix(2) == [.setSpeed(115_200), Self.reset])
    }

    @Test("The new speed can work although the controller did not answer the vendor's command")
    func silentCommand() throws {
        var run = try StartUpRun("/dev/x@921600,vendor=nxp")
        run.receive(Self.resetAnswer)
        run.receive(Self.versionAnswer(company: 0))
        _ = run.takeActions()
        try run.wait()
        #expect(run.takeActions() == [.setSpeed(921_600)])
        try run.wait()
        run.receive(Self.resetAnswer)
        run.receive(Self.versionAnswer(company: 0))
        #expect(run.takeActions().last == .finish(.init(speed: 921_600)))
    }

    @Test(
        "The line stays at the old speed when the vendor has no command for the new one",
        arguments: [
            ("/dev/x@921600,start=115200", 0x0059, "controllers of company 0x0059"),
            ("/dev/x@123456,vendor=intel", 0, "intel controllers cannot use 123456"),
        ] as [(String, UInt16, String)]
    )
    func noWay(text: String, company: UInt16, says: String) throws {
        var run = try StartUpRun(text)
        run.receive(Self.resetAnswer)
        run.receive(Self.versionAnswer(company: company))
        guard case .finish(let outcome) = run.takeActions().last else {
            Issue.record("not finished")
            return
        }
        #expect(outcome.speed == 115_200)
        #expect(outcome.notice?.contains(says) == true)
    }

    @Test(
        "The line stays at the old speed when the controller refuses the new one",
        arguments: [true, false]
    )
    func refused(byCompletion: Bool) throws {
        var run = try StartUpRun("/dev/x@921600,vendor=broadcom")
        run.receive(Self.resetAnswer)
        run.receive(Self.versionAnswer(company: 0))
        let status: [UInt8] = [0x04, 0x0F, 0x04, 0x01, 0x01, 0x18, 0xFC]
        run.receive(byCompletion ? Self.answer(to: 0xFC18, status: 0x12) : status)
        guard case .finish(let outcome) = run.takeActions().last else {
            Issue.record("not finished")
            return
        }
        #expect(outcome.speed == 115_200)
        #expect(outcome.notice?.contains("refused") == true)
    }

    @Test("The startup finds a controller that still has the new speed")
    func leftBehind() throws {
        var run = try StartUpRun("/dev/x@921600,vendor=ti")
        #expect(run.takeActions() == [Self.reset])
        try run.wait()
        #expect(run.takeActions() == [.setSpeed(921_600), Self.reset])
        run.receive(Self.resetAnswer)
        run.receive(Self.versionAnswer(company: 0))
        #expect(run.takeActions() == [Self.readVersion, .finish(.init(speed: 921_600))])
    }

    @Test("The startup changes the speed again if Reset restores the first speed")
    func resetBringsBack() throws {
        var run = try StartUpRun("/dev/x@921600,vendor=ti")
        try run.wait()
        // The controller answers Reset at the current speed and then restores its first speed.
        run.receive(Self.resetAnswer)
        _ = run.takeActions()
        try run.wait()
        #expect(run.takeActions() == [.setSpeed(115_200), Self.reset])
        run.receive(Self.resetAnswer)
        run.receive(Self.versionAnswer(company: 0))
        #expect(run.takeActions() == [Self.readVersion, Self.command(.ti, 921_600)])
    }

    @Test("The startup tries both speeds in turn before it fails")
    func bothSilent() throws {
        var run = try StartUpRun("/dev/x@921600,vendor=ti")
        for _ in 0..<SerialStartUp.probeLimit * 2 { try run.wait() }
        let actions = run.takeActions()
        #expect(actions.count { $0 == Self.reset } == SerialStartUp.probeLimit * 2)
        #expect(actions.last == .fail(speeds: [115_200, 921_600]))
        #expect(run.startUp.nextDeadline == nil)
    }

    @Test("Noise in place of an answer leads to another Reset at once")
    func noiseAfterReset() throws {
        var run = try StartUpRun("/dev/x@1000000")
        run.receive(Self.resetAnswer)
        _ = run.takeActions()
        run.receive([0x77])
        #expect(run.takeActions() == [Self.reset])
    }

    @Test("Received bytes do not shorten the wait while the controller changes its speed")
    func noiseWhileChanging() throws {
        var run = try StartUpRun("/dev/x@921600,vendor=ti")
        // The noise after the answer arrives in the same read, so it has the old speed.
        run.receive(Self.resetAnswer)
        run.receive(Self.versionAnswer(company: 0))
        _ = run.takeActions()
        run.receive(Self.answer(to: 0xFF36) + [0x77, 0x04])
        #expect(run.takeActions() == [.setSpeed(921_600)])
        #expect(run.startUp.nextDeadline == run.now + SerialVendor.ti.settlingTime)
        run.receive([0x77])
        #expect(run.takeActions() == [])
        try run.wait()
        #expect(run.takeActions() == [Self.reset])
    }

    @Test("Noise after the version does not cancel the speed change")
    func noiseAroundCommand() throws {
        var run = try StartUpRun("/dev/x@4000000,vendor=broadcom")
        run.receive(Self.resetAnswer)
        _ = run.takeActions()
        run.receive(Self.versionAnswer(company: 0) + [0x77])
        #expect(run.takeActions() == [Self.command(.broadcom, 4_000_000)])
        let deadline = run.startUp.nextDeadline
        run.receive([0x99])
        #expect(run.takeActions() == [])
        #expect(run.startUp.nextDeadline == deadline)
        run.receive(Self.answer(to: 0xFC45))
        #expect(run.takeActions() == [Self.command(.broadcom, 4_000_000, 1)])
    }

    @Test("While a command that gets no answer is being sent, received bytes have no effect")
    func noiseWhileTransmitting() throws {
        var run = try StartUpRun("/dev/x@921600,vendor=qualcomm")
        run.receive(Self.resetAnswer)
        run.receive(Self.versionAnswer(company: 0) + [0x77] + Self.resetAnswer)
        #expect(run.takeActions().last == Self.command(.qualcomm, 921_600))
        #expect(run.startUp.nextDeadline == run.now + SerialStartUp.transmissionTime)
    }

    @Test("An answer after the end of the startup has no effect")
    func late() throws {
        var run = try StartUpRun("/dev/x@1000000")
        run.receive(Self.resetAnswer)
        run.receive(Self.versionAnswer(company: 0))
        _ = run.takeActions()
        run.receive(Self.resetAnswer + Self.versionAnswer(company: 0))
        #expect(run.takeActions() == [])
        #expect(run.startUp.deadlinePassed(now: run.now + .seconds(9)) == [])
    }

    @Test("The startup ends whatever it receives", arguments: RunSeed.seeds(200))
    func anything(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let texts = ["/dev/x@1000000", "/dev/x@921600,start=115200", "/dev/x@921600,vendor=intel"]
        var run = try StartUpRun(texts[Int(seed) % texts.count])
        let pieces: [[UInt8]] = [
            Self.resetAnswer, Self.versionAnswer(company: 0x000D), Self.answer(to: 0xFF36),
            Self.answer(to: 0xFC05), [0x04, 0x0E, 0xFF], [0x02, 0, 0, 0xFF, 0xFF], [0x99], [],
        ]
        for _ in 0..<1_000 {
            let actions = run.takeActions()
            if case .finish? = actions.last { return }
            if case .fail? = actions.last { return }
            if Int.random(in: 0..<3, using: &random) == 0 {
                try run.wait()
            } else {
                run.receive(pieces.randomElement(using: &random) ?? [])
            }
        }
        Issue.record("seed \(seed): the startup did not end")
    }
}
