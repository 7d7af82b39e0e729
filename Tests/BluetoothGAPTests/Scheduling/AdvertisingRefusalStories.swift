// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothGAP
@testable import BluetoothHCI

/// What goes wrong while an advertiser gives its orders: each in turn is refused, not answered, or
/// overtaken by a reset.
@Suite("Advertising with a controller that will not")
struct AdvertisingRefusalStories {
    /// The orders of one set, by what they are.
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

    @Test("an order that is disallowed once is given again", arguments: Kind.allCases)
    func disallowedOnce(kind: Kind) throws {
        var bench = try AdvertiserBench()
        bench.refuse(.commandDisallowed, kind.matches)
        try bench.add(1, Self.lamp)
        #expect(bench.model.onAir.count == 1)
        #expect(bench.inForce[1]?.count == 1)
        #expect(bench.orders.contains { $0.isDisable })
        #expect(bench.model.onAir.first?.data == Self.lamp.layout.advertisingData.bytes)
    }

    @Test("an order that is not answered once is given again", arguments: Kind.allCases)
    func unansweredOnce(kind: Kind) throws {
        var bench = try AdvertiserBench()
        bench.plan(.timedOut, kind.matches)
        try bench.add(1, Self.lamp)
        #expect(bench.model.onAir.count == 1)
        #expect(bench.inForce[1]?.count == 1)
    }

    @Test("an order that is never carried out ends a set that never ran", arguments: Kind.allCases)
    func never(kind: Kind) throws {
        var bench = try AdvertiserBench()
        bench.refuse(.commandDisallowed, times: 10, kind.matches)
        try bench.add(1, Self.lamp)
        #expect(bench.ends == [1: .failed(.refused(.commandDisallowed))])
        #expect(bench.model.onAir.isEmpty)
        #expect(bench.advertiser.sets.isEmpty)
    }

    @Test("an order that makes no sense to the controller ends the set", arguments: Kind.allCases)
    func invalid(kind: Kind) throws {
        var bench = try AdvertiserBench()
        bench.refuse(.invalidCommandParameters, kind.matches)
        try bench.add(1, Self.lamp)
        #expect(bench.ends == [1: .failed(.refused(.invalidCommandParameters))])
        #expect(bench.model.sets.isEmpty)
        try bench.add(2, Self.lamp)
        #expect(bench.model.onAir.count == 1)
    }

    @Test("a set that ran and is disallowed again and again rests, and tries again")
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

    @Test("a controller that has forgotten a set is given it again")
    func unknownSet() throws {
        var bench = try AdvertiserBench()
        try bench.add(1, Self.lamp)
        bench.refuse(.unknownAdvertisingIdentifier) { $0.isEnable }
        try bench.connect(through: 0)
        #expect(bench.model.onAir.count == 1)
        #expect(bench.orders.count { $0.isSetParameters } == 2)
    }

    @Test(
        "a controller without a link to spare is asked again when one ends",
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

    @Test("a set that cannot be removed is stopped first, and given up in the end")
    func removal() throws {
        var bench = try AdvertiserBench()
        try bench.add(1, Self.lamp)
        bench.refuse(.commandDisallowed, times: 10) { $0.isRemove }
        try bench.remove(1)
        #expect(bench.ends == [1: .stopped])
        #expect(bench.advertiser.sets.isEmpty)
    }

    @Test("a stop that is not answered ends the set all the same")
    func unansweredStop() throws {
        var bench = try AdvertiserBench()
        try bench.add(1, Self.lamp)
        bench.plan(.timedOut) { $0.isDisable }
        try bench.remove(1)
        #expect(bench.ends == [1: .stopped])
        #expect(bench.model.sets.isEmpty)
    }

    @Test("a reset while any order is under way loses nothing", arguments: 0..<4)
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
        // The answer to the order of before the reset is nobody's any more.
        try bench.take(
            bench.advertiser.commandFinished(late, result: .timedOut, now: bench.now)
        )
        #expect(bench.model.onAir.count == 1)
    }

    @Test("a set that is given up while any order is under way ends", arguments: 0..<4)
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
        "a connection while the set is being enabled again leaves no doubt",
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

@Suite("Whom advertising admits, and what it makes way for")
struct AdvertisingSurroundingsStories {
    private let friends = (1...3).map { DeviceAddress(value: 0xC0DE_0000_0000 | $0, kind: .random) }

    private func admitting(_ devices: [DeviceAddress]) -> Advertising {
        var advertising = AdvertiserStories.lamp
        advertising.admission = .only(devices)
        return advertising
    }

    @Test("the list holds those whom any set admits, before a set relies on it")
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

    @Test("a set waits for the list while the initiator has it")
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

    @Test("a list that cannot hold them all lets nobody in")
    func listTooSmall() throws {
        var bench = try AdvertiserBench()
        bench.refuse(.memoryCapacityExceeded) { order in
            if case .admit = order { true } else { false }
        }
        try bench.add(1, admitting(friends))
        #expect(bench.ends == [1: .failed(.refused(.memoryCapacityExceeded))])
        #expect(!bench.needsList)
    }

    @Test("advertising makes way for what the controller cannot do beside it, and comes back")
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

    @Test("a controller that tells nothing of its states is asked to do everything at once")
    func untold() throws {
        var capabilities = ControllerCapabilities.advertising()
        capabilities.states = []
        var bench = try AdvertiserBench(capabilities)
        try bench.use([.activeScanning, .initiating, .central, .peripheral])
        try bench.add(1, AdvertiserStories.lamp)
        #expect(bench.model.onAir.count == 1)
    }
}
