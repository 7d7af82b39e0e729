// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Startup")
struct StartupTests {
    @Test(
        "Startup sends only commands that the controller lists, and the host is ready",
        arguments: [ModelProfile.rich, .poor, .shared]
    )
    func everyProfileStarts(_ profile: ModelProfile) throws {
        let harness = Harness.ready(profile)
        #expect(harness.controller.violations.isEmpty)
        #expect(harness.states == [.ready])
        let found = try #require(harness.core.capabilities)
        #expect(found.aclPacketLength == profile.aclPacketLength)
        #expect(found.aclPacketCount == profile.aclPacketCount)
        #expect(found.version.hciVersion == profile.version)
    }

    @Test("Startup with a controller that accepts several commands at once violates no rule")
    func manyCommands() {
        var profile = ModelProfile.rich
        profile.commandCount = 5
        let harness = Harness.ready(profile)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("Startup tolerates a listed command that is refused")
    func refusedAlthoughListed() {
        var harness = Harness()
        harness.controller.refusals = [
            .leReadBufferSizeV2: .unknownCommand, .leReadSupportedStates: .unknownCommand,
            .leReadMaximumDataLength: .unknownCommand, .setEventMaskPage2: .unknownCommand,
        ]
        harness.open()
        harness.drive()
        #expect(harness.core.state == .ready)
        #expect(harness.core.capabilities?.aclPacketLength == 251)
        #expect(harness.core.capabilities?.maximumDataLength == nil)
    }

    @Test("A controller that refuses Reset is unusable and tried again")
    func refusedReset() {
        var harness = Harness()
        harness.controller.refusals = [.reset: .hardwareFailure]
        harness.open()
        harness.drive()
        guard case .unavailable(.unsuitable) = harness.states.first else {
            Issue.record("\(harness.states)")
            return
        }
        harness.controller.refusals = [:]
        harness.advance(by: .seconds(1))
        #expect(harness.core.state == .ready)
    }

    @Test("A controller without buffers is unusable")
    func noBuffers() {
        var profile = ModelProfile.rich
        profile.aclPacketCount = 0
        var harness = Harness(profile)
        harness.open()
        harness.drive()
        guard case .unavailable(.unsuitable) = harness.core.state else {
            Issue.record("\(harness.core.state)")
            return
        }
    }

    @Test("Every packet of the startup may arrive one byte at a time")
    func dripFeed() {
        var harness = Harness()
        harness.open()
        harness.performActions()
        while let packet = harness.controller.nextPacket() {
            for byte in packet { harness.feed([byte]) }
        }
        #expect(harness.core.state == .ready)
    }

    @Test("An absent controller is tried again at increasing intervals")
    func absentController() {
        var harness = Harness()
        harness.isReachable = false
        harness.open()
        harness.drive()
        #expect(harness.states == [.unavailable(.transport("no controller"))])
        harness.advance(by: .seconds(30))
        #expect((12...18).contains(harness.openCount))
        harness.isReachable = true
        harness.advance(by: ReopenSchedule.longestDelay)
        #expect(harness.core.state == .ready)
    }

    @Test("A controller that announces its return is used at once")
    func announcedController() {
        var harness = Harness()
        harness.core.transportReturned()
        #expect(harness.core.isDrained)
        harness.isReachable = false
        harness.open()
        harness.advance(by: .seconds(30))
        let (count, time) = (harness.openCount, harness.now)
        harness.isReachable = true
        harness.core.transportReturned()
        harness.core.transportReturned()
        harness.drive()
        #expect(harness.core.state == .ready && harness.now == time)
        #expect(harness.openCount == count + 1)
        harness.core.transportReturned()
        #expect(harness.core.isDrained && harness.core.state == .ready)
    }

    @Test(
        "A transport that closes at any packet of the startup is opened again",
        arguments: 0..<24
    )
    func transportEnds(atPacket count: Int) {
        var harness = Harness()
        harness.open()
        let isStarted = harness.drive(atMost: count)
        harness.closeTransport()
        harness.drive()
        #expect(harness.core.state == .unavailable(.transport("closed")))
        harness.controller.forget()
        harness.advance(by: .seconds(1))
        #expect(harness.core.state == .ready)
        #expect(harness.openCount == 2)
        #expect(harness.controller.violations.isEmpty)
        #expect(!isStarted || count > 10, "The startup takes more than ten packets")
    }
}
