// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothGAP
@testable import BluetoothHCI

/// Failures of an advertiser's operations: each is refused, not answered, or interrupted by a
/// reset. A set is *in force* when the controller advertises as requested; see ``Advertiser``.
@Suite("Advertising with a controller that refuses")
struct AdvertisingRefusalTests {
    /// An operation that is necessary before a set is on the air.
    enum Kind: String, CaseIterable, Sendable {
        case parameters, address, data, enable

        func matches(_ operation: AdvertisingOperation) -> Bool {
            switch self {
            case .parameters: operation.isSetParameters
            case .address: operation.isSetAddress
            case .data: operation.isSetData
            case .enable: operation.isEnable
            }
        }
    }

    static let lamp = AdvertiserTests.lamp

    @Test("A command that is disallowed once is repeated", arguments: Kind.allCases)
    func disallowedOnce(kind: Kind) throws {
        var harness = try AdvertiserHarness()
        harness.refuse(.commandDisallowed, kind.matches)
        try harness.add(1, Self.lamp)
        #expect(harness.model.onAir.count == 1)
        #expect(harness.inForce[1]?.count == 1)
        #expect(harness.operations.contains { $0.isDisable })
        #expect(harness.model.onAir.first?.data == Self.lamp.layout.advertisingData.bytes)
    }

    @Test("A command that is not answered once is repeated", arguments: Kind.allCases)
    func unansweredOnce(kind: Kind) throws {
        var harness = try AdvertiserHarness()
        harness.plan(.timedOut, kind.matches)
        try harness.add(1, Self.lamp)
        #expect(harness.model.onAir.count == 1)
        #expect(harness.inForce[1]?.count == 1)
    }

    @Test(
        "A command that always fails ends a set that was never in force",
        arguments: Kind.allCases
    )
    func never(kind: Kind) throws {
        var harness = try AdvertiserHarness()
        harness.refuse(.commandDisallowed, times: 10, kind.matches)
        try harness.add(1, Self.lamp)
        #expect(harness.ends == [1: .failed(.refused(.commandDisallowed))])
        #expect(harness.model.onAir.isEmpty)
        #expect(harness.advertiser.sets.isEmpty)
    }

    @Test("A command with invalid parameters ends the set", arguments: Kind.allCases)
    func invalid(kind: Kind) throws {
        var harness = try AdvertiserHarness()
        harness.refuse(.invalidCommandParameters, kind.matches)
        try harness.add(1, Self.lamp)
        #expect(harness.ends == [1: .failed(.refused(.invalidCommandParameters))])
        #expect(harness.model.sets.isEmpty)
        try harness.add(2, Self.lamp)
        #expect(harness.model.onAir.count == 1)
    }

    @Test("A set that was in force and is disallowed repeatedly is retried after a pause")
    func pauseAfterFailures() throws {
        var harness = try AdvertiserHarness()
        try harness.add(1, Self.lamp)
        harness.refuse(.commandDisallowed, times: 6) { $0.isEnable }
        try harness.connect(through: 0)
        #expect(harness.ends.isEmpty)
        try harness.advance(by: .seconds(5))
        #expect(harness.model.onAir.count == 1)
        #expect(harness.ends.isEmpty)
        #expect(harness.advertiser.nextDeadline == nil)
    }

    @Test("A set that the controller no longer knows is created again")
    func unknownSet() throws {
        var harness = try AdvertiserHarness()
        try harness.add(1, Self.lamp)
        harness.refuse(.unknownAdvertisingIdentifier) { $0.isEnable }
        try harness.connect(through: 0)
        #expect(harness.model.onAir.count == 1)
        #expect(harness.operations.count { $0.isSetParameters } == 2)
    }

    @Test(
        "Enable is repeated after a link ends if the controller had no free connection",
        arguments: [
            true, false,
        ]
    )
    func linkLimit(isExtended: Bool) throws {
        var harness = try AdvertiserHarness(.advertising(isExtended: isExtended))
        harness.refuse(.connectionLimitExceeded, times: 3) { $0.isEnable }
        try harness.add(1, Self.lamp)
        #expect(harness.inForce[1]?.count == 1, "The request completes without a wait")
        #expect(harness.model.onAir.isEmpty)
        try harness.linkCloses()
        #expect(harness.model.onAir.isEmpty)
        try harness.advance(by: .seconds(8))
        #expect(harness.model.onAir.count == 1)
        #expect(harness.inForce[1]?.count == 1)
    }

    @Test("A set that cannot be removed is stopped first and abandoned in the end")
    func removal() throws {
        var harness = try AdvertiserHarness()
        try harness.add(1, Self.lamp)
        harness.refuse(.commandDisallowed, times: 10) { $0.isRemove }
        try harness.remove(1)
        #expect(harness.ends == [1: .stopped])
        #expect(harness.advertiser.sets.isEmpty)
    }

    @Test("A set ends only when its Disable was answered", arguments: [true, false])
    func unansweredStop(isExtended: Bool) throws {
        var harness = try AdvertiserHarness(.advertising(isExtended: isExtended))
        try harness.add(1, Self.lamp)
        harness.plan(.timedOut, times: 2) { $0.isDisable }
        harness.answersAtOnce = false
        try harness.remove(1)
        for _ in 0..<2 {
            try harness.answer()
            #expect(harness.model.onAir.count == 1)
            #expect(harness.ends.isEmpty, "The set is advertising")
            #expect(harness.outstanding?.operation.isDisable == true)
        }
        try harness.answer()
        #expect(harness.ends == [1: .stopped])
        #expect(harness.model.onAir.isEmpty)
        #expect(harness.unstoppableCount == 0)
    }

    @Test("A controller that never answers Disable is reset", arguments: [true, false])
    func unstoppable(isExtended: Bool) throws {
        var harness = try AdvertiserHarness(.advertising(isExtended: isExtended))
        harness.resetsUnstoppable = false
        try harness.add(1, Self.lamp)
        harness.plan(.timedOut, times: Advertiser.unansweredStopLimit) { $0.isDisable }
        try harness.remove(1)
        #expect(harness.unstoppableCount == 1)
        #expect(harness.outstanding == nil)
        #expect(harness.ends.isEmpty)
        try harness.reset()
        #expect(harness.ends == [1: .stopped])
        try harness.configure()
        #expect(harness.model.onAir.isEmpty)
        try harness.add(2, Self.lamp)
        #expect(harness.model.onAir.count == 1)
    }

    @Test("A controller that answers neither Enable nor Disable is reset once, and the set fails")
    func noAnswers() throws {
        var harness = try AdvertiserHarness()
        harness.plan(.timedOut, times: 20) { $0.isEnable || $0.isDisable }
        try harness.add(1, Self.lamp)
        #expect(harness.unstoppableCount == 1)
        #expect(harness.ends == [1: .failed(.unanswered)])
        #expect(harness.advertiser.sets.isEmpty)
    }

    @Test("A set that was in force survives one reset of a controller that stops answering")
    func resetOfSilentController() throws {
        var harness = try AdvertiserHarness()
        try harness.add(1, Self.lamp)
        harness.plan(.timedOut, times: 20) { $0.isEnable || $0.isDisable }
        try harness.take(harness.advertiser.hold(now: harness.now))
        #expect(harness.unstoppableCount == 2)
        #expect(harness.ends == [1: .failed(.unanswered)])
    }

    @Test("The advertiser is not reported as quiet while a Disable has no answer")
    func unansweredHold() throws {
        var harness = try AdvertiserHarness()
        try harness.add(1, Self.lamp)
        harness.plan(.timedOut) { $0.isDisable }
        harness.answersAtOnce = false
        try harness.take(harness.advertiser.hold(now: harness.now))
        try harness.answer()
        #expect(harness.quietCount == 0)
        try harness.answer()
        #expect(harness.quietCount == 1)
        #expect(harness.model.onAir.isEmpty)
    }

    @Test(
        "A set that is stopped after a connection during Enable is taken off the air",
        arguments: [true, false]
    )
    func stoppedWhileEnabling(isExtended: Bool) throws {
        var harness = try AdvertiserHarness(.advertising(isExtended: isExtended))
        try harness.add(1, Self.lamp)
        harness.answersAtOnce = false
        try harness.connect(through: 0)
        #expect(harness.outstanding?.operation.isEnable == true)
        try harness.connect(through: 0)
        try harness.remove(1)
        try harness.answer()
        #expect(harness.model.onAir.count == 1)
        #expect(harness.ends.isEmpty, "The set is advertising")
        harness.answersAtOnce = true
        try harness.answer()
        #expect(harness.ends == [1: .stopped])
        #expect(harness.model.onAir.isEmpty)
    }

    @Test(
        "A set on the air whose next Enable is refused is taken off the air when it is stopped",
        arguments: [
            HCI.ErrorCode.connectionLimitExceeded, .unknownAdvertisingIdentifier,
        ]
    )
    func refreshRefused(code: HCI.ErrorCode) throws {
        var harness = try AdvertiserHarness()
        try harness.add(1, Self.lamp)
        harness.refuse(code) { $0.isEnable }
        // A link was made, but no event names the set that led to it, so that the set is enabled
        // again.
        try harness.take(harness.advertiser.connectionMade(now: harness.now))
        harness.answersAtOnce = false
        try harness.advance(by: Advertiser.terminationLimit)
        #expect(harness.outstanding?.operation.isEnable == true)
        try harness.remove(1)
        try harness.answer()
        #expect(harness.model.onAir.count == 1)
        #expect(harness.ends.isEmpty, "The set is advertising")
        harness.answersAtOnce = true
        try harness.answer()
        #expect(harness.ends == [1: .stopped])
        #expect(harness.model.onAir.isEmpty)
    }

    @Test("A set is removed even if its first Remove is not answered")
    func unansweredRemoval() throws {
        var harness = try AdvertiserHarness()
        try harness.add(1, Self.lamp)
        harness.plan(.timedOut) { $0.isRemove }
        try harness.remove(1)
        #expect(harness.model.sets.isEmpty)
        #expect(harness.advertiser.sets.isEmpty)
    }

    @Test("A reset during any command loses no set", arguments: 0..<4)
    func resetInBetween(place: Int) throws {
        var harness = try AdvertiserHarness()
        harness.answersAtOnce = false
        try harness.add(1, Self.lamp)
        for _ in 0..<place { try harness.answer() }
        let late = try #require(harness.outstanding)
        try harness.reset()
        harness.answersAtOnce = true
        try harness.configure()
        #expect(harness.model.onAir.count == 1)
        #expect(harness.inForce[1]?.count == 1)
        // The answer to the operation from before the reset has no effect.
        try harness.take(
            harness.advertiser.commandFinished(late, result: .timedOut, now: harness.now)
        )
        #expect(harness.model.onAir.count == 1)
    }

    @Test("A set that is removed during any command ends", arguments: 0..<4)
    func givenUpInBetween(place: Int) throws {
        var harness = try AdvertiserHarness()
        harness.answersAtOnce = false
        try harness.add(1, Self.lamp)
        for _ in 0..<place { try harness.answer() }
        try harness.remove(1)
        harness.answersAtOnce = true
        try harness.answer()
        #expect(harness.ends == [1: .stopped])
        #expect(harness.model.sets.isEmpty)
    }

    @Test(
        "A set continues after a second connection while it is enabled again",
        arguments: [
            true, false,
        ]
    )
    func connectionWhileEnabling(isExtended: Bool) throws {
        var harness = try AdvertiserHarness(.advertising(isExtended: isExtended))
        try harness.add(1, Self.lamp)
        harness.answersAtOnce = false
        try harness.connect(through: 0)
        #expect(harness.outstanding?.operation.isEnable == true)
        try harness.connect(through: 0)
        harness.answersAtOnce = true
        try harness.answer()
        try harness.advance(by: .seconds(2))
        #expect(harness.model.onAir.count == 1)
        #expect(harness.ends.isEmpty)
    }
}

@Suite("Advertising, the Filter Accept List, and concurrent states")
struct AdvertisingInterruptionTests {
    private let allowedPeers = (1...3).map {
        DeviceAddress(value: 0xC0DE_0000_0000 | $0, kind: .random)
    }

    private func admitting(_ devices: [DeviceAddress]) -> Advertising {
        var advertising = AdvertiserTests.lamp
        advertising.admission = .only(devices)
        return advertising
    }

    @Test("The list contains the peers of all sets before a set uses it")
    func admission() throws {
        var harness = try AdvertiserHarness()
        try harness.add(1, admitting([allowedPeers[0]]))
        #expect(harness.needsList)
        #expect(harness.model.acceptList == [allowedPeers[0]])
        #expect(harness.model.onAir.first?.parameters?.filterPolicy == .filtered)
        try harness.add(2, admitting([allowedPeers[1], allowedPeers[0]]))
        #expect(Set(harness.model.acceptList) == [allowedPeers[0], allowedPeers[1]])
        #expect(harness.model.onAir.count == 2)
        try harness.remove(2)
        try harness.update(1, AdvertiserTests.lamp)
        #expect(!harness.needsList)
        #expect(harness.model.onAir.first?.parameters?.filterPolicy == .unfiltered)
    }

    @Test("A set waits for the list while the initiator uses it")
    func waitsForList() throws {
        var harness = try AdvertiserHarness()
        harness.grantsList = false
        try harness.add(1, admitting(allowedPeers))
        #expect(harness.model.onAir.isEmpty)
        #expect(harness.inForce[1] == nil)
        try harness.take(harness.advertiser.acceptListGranted(now: harness.now))
        #expect(harness.model.onAir.count == 1)
        #expect(harness.inForce[1]?.count == 1)
    }

    @Test("A set fails if the list has no room for all its peers")
    func listTooSmall() throws {
        var harness = try AdvertiserHarness()
        harness.refuse(.memoryCapacityExceeded) { operation in
            if case .admit = operation { true } else { false }
        }
        try harness.add(1, admitting(allowedPeers))
        #expect(harness.ends == [1: .failed(.refused(.memoryCapacityExceeded))])
        #expect(!harness.needsList)
    }

    @Test("Advertising pauses for activities that the controller cannot combine with it")
    func makesWay() throws {
        var capabilities = ControllerCapabilities.advertising()
        capabilities.states = [
            .connectableAdvertising, .connectableAdvertisingAndPassiveScanning, .activeScanning,
        ]
        var harness = try AdvertiserHarness(capabilities)
        try harness.add(1, AdvertiserTests.lamp)
        try harness.use(.passiveScanning)
        #expect(harness.model.onAir.count == 1)
        try harness.use(.activeScanning)
        #expect(harness.model.onAir.isEmpty)
        #expect(harness.ends.isEmpty)
        try harness.use([])
        #expect(harness.model.onAir.count == 1)
    }

    @Test("A controller that reports no supported states gets all activities at once")
    func unknownStates() throws {
        var capabilities = ControllerCapabilities.advertising()
        capabilities.states = []
        var harness = try AdvertiserHarness(capabilities)
        try harness.use([.activeScanning, .initiating, .central, .peripheral])
        try harness.add(1, AdvertiserTests.lamp)
        #expect(harness.model.onAir.count == 1)
    }
}
