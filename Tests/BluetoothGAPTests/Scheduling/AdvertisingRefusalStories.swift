// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothGAP
@testable import BluetoothHCI

/// Failures of an advertiser's orders: each is refused, not answered, or interrupted by a reset.
@Suite("Advertising with a controller that refuses")
struct AdvertisingRefusalStories {
    /// The kinds of a set's orders.
    enum Kind: String, CaseIterable, Sendable {
        case parameters, address, data, enable

        func matches(_ order: AdvertisingOrder) -> Bool {
            switch self {
            case .parameters: order.isSetParameters
            case .address: order.isSetAddress
            case .data: order.isSetData
            case .enable: order.isEnable
            }
        }
    }

    static let lamp = AdvertiserStories.lamp

    @Test("An order that is disallowed once is repeated", arguments: Kind.allCases)
    func disallowedOnce(kind: Kind) throws {
        var bench = try AdvertiserBench()
        bench.refuse(.commandDisallowed, kind.matches)
        try bench.add(1, Self.lamp)
        #expect(bench.model.onAir.count == 1)
        #expect(bench.inForce[1]?.count == 1)
        #expect(bench.orders.contains { $0.isDisable })
        #expect(bench.model.onAir.first?.data == Self.lamp.layout.advertisingData.bytes)
    }

    @Test("An order that is not answered once is repeated", arguments: Kind.allCases)
    func unansweredOnce(kind: Kind) throws {
        var bench = try AdvertiserBench()
        bench.plan(.timedOut, kind.matches)
        try bench.add(1, Self.lamp)
        #expect(bench.model.onAir.count == 1)
        #expect(bench.inForce[1]?.count == 1)
    }

    @Test("An order that always fails ends a set that was never in force", arguments: Kind.allCases)
    func never(kind: Kind) throws {
        var bench = try AdvertiserBench()
        bench.refuse(.commandDisallowed, times: 10, kind.matches)
        try bench.add(1, Self.lamp)
        #expect(bench.ends == [1: .failed(.refused(.commandDisallowed))])
        #expect(bench.model.onAir.isEmpty)
        #expect(bench.advertiser.sets.isEmpty)
    }

    @Test("An order with invalid parameters ends the set", arguments: Kind.allCases)
    func invalid(kind: Kind) throws {
        var bench = try AdvertiserBench()
        bench.refuse(.invalidCommandParameters, kind.matches)
        try bench.add(1, Self.lamp)
        #expect(bench.ends == [1: .failed(.refused(.invalidCommandParameters))])
        #expect(bench.model.sets.isEmpty)
        try bench.add(2, Self.lamp)
        #expect(bench.model.onAir.count == 1)
    }

    @Test("A set that was in force and is disallowed repeatedly is retried after a pause")
    func restsAndReturns() throws {
        var bench = try AdvertiserBench()
        try bench.add(1, Self.lamp)
        bench.refuse(.commandDisallowed, times: 6) { $0.isEnable }
        try bench.connect(through: 0)
        #expect(bench.ends.isEmpty)
        try bench.advance(by: .seconds(5))
        #expect(bench.model.onAir.count == 1)
        #expect(bench.ends.isEmpty)
        #expect(bench.advertiser.nextDeadline == nil)
    }

    @Test("A set that the controller no longer knows is created again")
    func unknownSet() throws {
        var bench = try AdvertiserBench()
        try bench.add(1, Self.lamp)
        bench.refuse(.unknownAdvertisingIdentifier) { $0.isEnable }
        try bench.connect(through: 0)
        #expect(bench.model.onAir.count == 1)
        #expect(bench.orders.count { $0.isSetParameters } == 2)
    }

    @Test(
        "Enable is repeated after a link ends if the controller had no free connection",
        arguments: [
            true, false,
        ]
    )
    func linkLimit(isExtended: Bool) throws {
        var bench = try AdvertiserBench(.advertising(isExtended: isExtended))
        bench.refuse(.connectionLimitExceeded, times: 3) { $0.isEnable }
        try bench.add(1, Self.lamp)
        #expect(bench.inForce[1]?.count == 1, "whoever asked need not wait for that")
        #expect(bench.model.onAir.isEmpty)
        try bench.linkCloses()
        #expect(bench.model.onAir.isEmpty)
        try bench.advance(by: .seconds(8))
        #expect(bench.model.onAir.count == 1)
        #expect(bench.inForce[1]?.count == 1)
    }

    @Test("A set that cannot be removed is stopped first and abandoned in the end")
    func removal() throws {
        var bench = try AdvertiserBench()
        try bench.add(1, Self.lamp)
        bench.refuse(.commandDisallowed, times: 10) { $0.isRemove }
        try bench.remove(1)
        #expect(bench.ends == [1: .stopped])
        #expect(bench.advertiser.sets.isEmpty)
    }

    @Test("A set ends only when its Disable was answered", arguments: [true, false])
    func unansweredStop(isExtended: Bool) throws {
        var bench = try AdvertiserBench(.advertising(isExtended: isExtended))
        try bench.add(1, Self.lamp)
        bench.plan(.timedOut, times: 2) { $0.isDisable }
        bench.answersAtOnce = false
        try bench.remove(1)
        for _ in 0..<2 {
            try bench.answer()
            #expect(bench.model.onAir.count == 1)
            #expect(bench.ends.isEmpty, "the set is on the air")
            #expect(bench.outstanding?.order.isDisable == true)
        }
        try bench.answer()
        #expect(bench.ends == [1: .stopped])
        #expect(bench.model.onAir.isEmpty)
        #expect(bench.unstoppableCount == 0)
    }

    @Test("A controller that never answers Disable is reset", arguments: [true, false])
    func unstoppable(isExtended: Bool) throws {
        var bench = try AdvertiserBench(.advertising(isExtended: isExtended))
        bench.resetsUnstoppable = false
        try bench.add(1, Self.lamp)
        bench.plan(.timedOut, times: Advertiser.unansweredStopLimit) { $0.isDisable }
        try bench.remove(1)
        #expect(bench.unstoppableCount == 1)
        #expect(bench.outstanding == nil)
        #expect(bench.ends.isEmpty)
        try bench.reset()
        #expect(bench.ends == [1: .stopped])
        try bench.configure()
        #expect(bench.model.onAir.isEmpty)
        try bench.add(2, Self.lamp)
        #expect(bench.model.onAir.count == 1)
    }

    @Test("A controller that answers nothing about a set is reset once, and the set has failed")
    func deafToSet() throws {
        var bench = try AdvertiserBench()
        bench.plan(.timedOut, times: 20) { $0.isEnable || $0.isDisable }
        try bench.add(1, Self.lamp)
        #expect(bench.unstoppableCount == 1)
        #expect(bench.ends == [1: .failed(.unanswered)])
        #expect(bench.advertiser.sets.isEmpty)
    }

    @Test("A set that was in force survives one reset of a controller that became deaf to it")
    func becameDeaf() throws {
        var bench = try AdvertiserBench()
        try bench.add(1, Self.lamp)
        bench.plan(.timedOut, times: 20) { $0.isEnable || $0.isDisable }
        try bench.take(bench.advertiser.hold(now: bench.now))
        #expect(bench.unstoppableCount == 2)
        #expect(bench.ends == [1: .failed(.unanswered)])
    }

    @Test("Nothing is called quiet while a Disable has no answer")
    func unansweredHold() throws {
        var bench = try AdvertiserBench()
        try bench.add(1, Self.lamp)
        bench.plan(.timedOut) { $0.isDisable }
        bench.answersAtOnce = false
        try bench.take(bench.advertiser.hold(now: bench.now))
        try bench.answer()
        #expect(bench.quietCount == 0)
        try bench.answer()
        #expect(bench.quietCount == 1)
        #expect(bench.model.onAir.isEmpty)
    }

    @Test(
        "A set that is stopped after a connection during Enable is taken off the air",
        arguments: [true, false]
    )
    func stoppedWhileEnabling(isExtended: Bool) throws {
        var bench = try AdvertiserBench(.advertising(isExtended: isExtended))
        try bench.add(1, Self.lamp)
        bench.answersAtOnce = false
        try bench.connect(through: 0)
        #expect(bench.outstanding?.order.isEnable == true)
        try bench.connect(through: 0)
        try bench.remove(1)
        try bench.answer()
        #expect(bench.model.onAir.count == 1)
        #expect(bench.ends.isEmpty, "the set is on the air")
        bench.answersAtOnce = true
        try bench.answer()
        #expect(bench.ends == [1: .stopped])
        #expect(bench.model.onAir.isEmpty)
    }

    @Test(
        "A set that is stopped after Enable was refused while it ran is taken off the air",
        arguments: [
            HCI.ErrorCode.connectionLimitExceeded, .unknownAdvertisingIdentifier,
        ]
    )
    func refreshRefused(code: HCI.ErrorCode) throws {
        var bench = try AdvertiserBench()
        try bench.add(1, Self.lamp)
        bench.refuse(code) { $0.isEnable }
        // A link was made, but no event names the set that led to it, so that both sets are enabled
        // again.
        try bench.take(bench.advertiser.connectionMade(now: bench.now))
        bench.answersAtOnce = false
        try bench.advance(by: Advertiser.terminationLimit)
        #expect(bench.outstanding?.order.isEnable == true)
        try bench.remove(1)
        try bench.answer()
        #expect(bench.model.onAir.count == 1)
        #expect(bench.ends.isEmpty, "the set is on the air")
        bench.answersAtOnce = true
        try bench.answer()
        #expect(bench.ends == [1: .stopped])
        #expect(bench.model.onAir.isEmpty)
    }

    @Test("A set whose Remove was not answered is removed all the same")
    func unansweredRemoval() throws {
        var bench = try AdvertiserBench()
        try bench.add(1, Self.lamp)
        bench.plan(.timedOut) { $0.isRemove }
        try bench.remove(1)
        #expect(bench.model.sets.isEmpty)
        #expect(bench.advertiser.sets.isEmpty)
    }

    @Test("A reset during any order loses no set", arguments: 0..<4)
    func resetInBetween(place: Int) throws {
        var bench = try AdvertiserBench()
        bench.answersAtOnce = false
        try bench.add(1, Self.lamp)
        for _ in 0..<place { try bench.answer() }
        let late = try #require(bench.outstanding)
        try bench.reset()
        bench.answersAtOnce = true
        try bench.configure()
        #expect(bench.model.onAir.count == 1)
        #expect(bench.inForce[1]?.count == 1)
        // The answer to the order from before the reset has no effect.
        try bench.take(
            bench.advertiser.commandFinished(late, result: .timedOut, now: bench.now)
        )
        #expect(bench.model.onAir.count == 1)
    }

    @Test("A set that is removed during any order ends", arguments: 0..<4)
    func givenUpInBetween(place: Int) throws {
        var bench = try AdvertiserBench()
        bench.answersAtOnce = false
        try bench.add(1, Self.lamp)
        for _ in 0..<place { try bench.answer() }
        try bench.remove(1)
        bench.answersAtOnce = true
        try bench.answer()
        #expect(bench.ends == [1: .stopped])
        #expect(bench.model.sets.isEmpty)
    }

    @Test(
        "A set continues after a second connection while it is enabled again",
        arguments: [
            true, false,
        ]
    )
    func connectionWhileEnabling(isExtended: Bool) throws {
        var bench = try AdvertiserBench(.advertising(isExtended: isExtended))
        try bench.add(1, Self.lamp)
        bench.answersAtOnce = false
        try bench.connect(through: 0)
        #expect(bench.outstanding?.order.isEnable == true)
        try bench.connect(through: 0)
        bench.answersAtOnce = true
        try bench.answer()
        try bench.advance(by: .seconds(2))
        #expect(bench.model.onAir.count == 1)
        #expect(bench.ends.isEmpty)
    }
}

@Suite("Advertising, the Filter Accept List, and concurrent states")
struct AdvertisingSurroundingsStories {
    private let friends = (1...3).map { DeviceAddress(value: 0xC0DE_0000_0000 | $0, kind: .random) }

    private func admitting(_ devices: [DeviceAddress]) -> Advertising {
        var advertising = AdvertiserStories.lamp
        advertising.admission = .only(devices)
        return advertising
    }

    @Test("The list contains the peers of all sets before a set uses it")
    func admission() throws {
        var bench = try AdvertiserBench()
        try bench.add(1, admitting([friends[0]]))
        #expect(bench.needsList)
        #expect(bench.model.acceptList == [friends[0]])
        #expect(bench.model.onAir.first?.parameters?.filterPolicy == .filtered)
        try bench.add(2, admitting([friends[1], friends[0]]))
        #expect(Set(bench.model.acceptList) == [friends[0], friends[1]])
        #expect(bench.model.onAir.count == 2)
        try bench.remove(2)
        try bench.update(1, AdvertiserStories.lamp)
        #expect(!bench.needsList)
        #expect(bench.model.onAir.first?.parameters?.filterPolicy == .unfiltered)
    }

    @Test("A set waits for the list while the initiator uses it")
    func waitsForList() throws {
        var bench = try AdvertiserBench()
        bench.lendsList = false
        try bench.add(1, admitting(friends))
        #expect(bench.model.onAir.isEmpty)
        #expect(bench.inForce[1] == nil)
        try bench.take(bench.advertiser.acceptListGranted(now: bench.now))
        #expect(bench.model.onAir.count == 1)
        #expect(bench.inForce[1]?.count == 1)
    }

    @Test("A set fails if the list has no room for all its peers")
    func listTooSmall() throws {
        var bench = try AdvertiserBench()
        bench.refuse(.memoryCapacityExceeded) { order in
            if case .admit = order { true } else { false }
        }
        try bench.add(1, admitting(friends))
        #expect(bench.ends == [1: .failed(.refused(.memoryCapacityExceeded))])
        #expect(!bench.needsList)
    }

    @Test("Advertising pauses for activities that the controller cannot combine with it")
    func makesWay() throws {
        var capabilities = ControllerCapabilities.advertising()
        capabilities.states = [
            .connectableAdvertising, .connectableAdvertisingAndPassiveScanning, .activeScanning,
        ]
        var bench = try AdvertiserBench(capabilities)
        try bench.add(1, AdvertiserStories.lamp)
        try bench.use(.passiveScanning)
        #expect(bench.model.onAir.count == 1)
        try bench.use(.activeScanning)
        #expect(bench.model.onAir.isEmpty)
        #expect(bench.ends.isEmpty)
        try bench.use([])
        #expect(bench.model.onAir.count == 1)
    }

    @Test("A controller that reports no supported states gets all activities at once")
    func untold() throws {
        var capabilities = ControllerCapabilities.advertising()
        capabilities.states = []
        var bench = try AdvertiserBench(capabilities)
        try bench.use([.activeScanning, .initiating, .central, .peripheral])
        try bench.add(1, AdvertiserStories.lamp)
        #expect(bench.model.onAir.count == 1)
    }
}
