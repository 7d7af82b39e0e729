// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Start-up")
struct StartupStories {
    @Test(
        "Start-up sends only commands that the controller lists, and the host is ready",
        arguments: [ModelProfile.rich, .poor, .shared]
    )
    func everyProfileStarts(_ profile: ModelProfile) throws {
        let bench = Bench.ready(profile)
        #expect(bench.controller.violations.isEmpty)
        #expect(bench.states == [.ready])
        let found = try #require(bench.core.capabilities)
        #expect(found.aclPacketLength == profile.aclPacketLength)
        #expect(found.aclPacketCount == profile.aclPacketCount)
        #expect(found.version.hciVersion == profile.version)
    }

    @Test("Start-up of a controller that accepts many commands at once keeps their order")
    func manyCommands() {
        var profile = ModelProfile.rich
        profile.commandCount = 5
        let bench = Bench.ready(profile)
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("Start-up tolerates a listed command that is refused")
    func refusedAlthoughListed() {
        var bench = Bench()
        bench.controller.refusals = [
            .leReadBufferSizeV2: .unknownCommand, .leReadSupportedStates: .unknownCommand,
            .leReadMaximumDataLength: .unknownCommand, .setEventMaskPage2: .unknownCommand,
        ]
        bench.open()
        bench.drive()
        #expect(bench.core.state == .ready)
        #expect(bench.core.capabilities?.aclPacketLength == 251)
        #expect(bench.core.capabilities?.maximumDataLength == nil)
    }

    @Test("A controller that refuses Reset is unusable and tried again")
    func refusedReset() {
        var bench = Bench()
        bench.controller.refusals = [.reset: .hardwareFailure]
        bench.open()
        bench.drive()
        guard case .unavailable(.unsuitable) = bench.states.first else {
            Issue.record("\(bench.states)")
            return
        }
        bench.controller.refusals = [:]
        bench.advance(by: .seconds(1))
        #expect(bench.core.state == .ready)
    }

    @Test("A controller without buffers is unusable")
    func noBuffers() {
        var profile = ModelProfile.rich
        profile.aclPacketCount = 0
        var bench = Bench(profile)
        bench.open()
        bench.drive()
        guard case .unavailable(.unsuitable) = bench.core.state else {
            Issue.record("\(bench.core.state)")
            return
        }
    }

    @Test("Every packet of the start-up may arrive one byte at a time")
    func dripFeed() {
        var bench = Bench()
        bench.open()
        bench.performActions()
        while let packet = bench.controller.nextPacket() {
            for byte in packet { bench.feed([byte]) }
        }
        #expect(bench.core.state == .ready)
    }

    @Test("An absent controller is tried again at longer intervals")
    func absentController() {
        var bench = Bench()
        bench.isReachable = false
        bench.open()
        bench.drive()
        #expect(bench.states == [.unavailable(.transport("nobody there"))])
        bench.advance(by: .seconds(30))
        #expect((12...18).contains(bench.openCount))
        bench.isReachable = true
        bench.advance(by: ReopenSchedule.longestDelay)
        #expect(bench.core.state == .ready)
    }

    @Test("A controller that announces its return is used at once")
    func announcedController() {
        var bench = Bench()
        bench.core.transportReturned()
        #expect(bench.core.isDrained)
        bench.isReachable = false
        bench.open()
        bench.advance(by: .seconds(30))
        let (count, time) = (bench.openCount, bench.now)
        bench.isReachable = true
        bench.core.transportReturned()
        bench.core.transportReturned()
        bench.drive()
        #expect(bench.core.state == .ready && bench.now == time)
        #expect(bench.openCount == count + 1)
        bench.core.transportReturned()
        #expect(bench.core.isDrained && bench.core.state == .ready)
    }

    @Test(
        "A transport that closes at any packet of the start-up is opened again",
        arguments: 0..<24
    )
    func transportEnds(atPacket count: Int) {
        var bench = Bench()
        bench.open()
        let isStarted = bench.drive(atMost: count)
        bench.closeTransport()
        bench.drive()
        #expect(bench.core.state == .unavailable(.transport("closed")))
        bench.controller.forget()
        bench.advance(by: .seconds(1))
        #expect(bench.core.state == .ready)
        #expect(bench.openCount == 2)
        #expect(bench.controller.violations.isEmpty)
        #expect(!isStarted || count > 10, "the start-up is shorter than this test thinks")
    }
}
