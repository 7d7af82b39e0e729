// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothGAP
@testable import BluetoothHCI

@Suite("Advertising")
struct AdvertiserStories {
    static let lamp = Advertising(AdvertisingContent(localName: "Lamp"))
    private let phone = DeviceAddress(value: 0xC0DE_0000_0001, kind: .random)

    @Test("a set is made, addressed, filled, and enabled, in this order")
    func order() throws {
        var bench = try AdvertiserBench()
        try bench.add(1, Self.lamp)
        try #require(bench.orders.count == 4)
        #expect(bench.orders[0].isSetParameters)
        #expect(bench.orders[1] == .setAddress(set: 0, AdvertiserBench.ownAddress))
        #expect(bench.orders[2].isSetData)
        #expect(bench.orders[3] == .enable(set: 0, duration: nil, eventLimit: 0))
        #expect(bench.inForce[1]?.count == 1)
        #expect(bench.advertiser.nextDeadline == nil)
    }

    @Test("a legacy controller needs no address, and is told all of its data")
    func legacyOrder() throws {
        var bench = try AdvertiserBench(.advertising(isExtended: false))
        try bench.add(1, Self.lamp)
        #expect(bench.orders.map(\.isSetData) == [false, true, true, false])
        #expect(bench.model.onAir.first?.data == Self.lamp.layout.advertisingData.bytes)
        #expect(bench.inForce[1]?.count == 1)
    }

    @Test("a set that is given up is stopped, and removed", arguments: [true, false])
    func remove(isExtended: Bool) throws {
        var bench = try AdvertiserBench(.advertising(isExtended: isExtended))
        try bench.add(1, Self.lamp)
        try bench.remove(1)
        #expect(bench.ends == [1: .stopped])
        #expect(bench.model.onAir.isEmpty)
        #expect(bench.model.sets.isEmpty == isExtended)
        #expect(bench.advertiser.sets.isEmpty)
        try bench.add(1, Self.lamp)
        #expect(bench.model.onAir.count == 1)
    }

    @Test("new data replaces the old without a pause", arguments: [true, false])
    func updateInPlace(isExtended: Bool) throws {
        var bench = try AdvertiserBench(.advertising(isExtended: isExtended))
        try bench.add(1, Self.lamp)
        let before = bench.orders.count
        let other = Advertising(AdvertisingContent(localName: "Other"))
        try bench.update(1, other)
        #expect(!bench.orders.dropFirst(before).contains { !$0.isSetData })
        #expect(bench.model.onAir.first?.data == other.layout.advertisingData.bytes)
        #expect(bench.inForce[1]?.count == 2)
        #expect(bench.model.enableCount == 1)
    }

    @Test("another manner makes a pause, and a new set where there are sets")
    func updateManner() throws {
        var bench = try AdvertiserBench()
        try bench.add(1, Self.lamp)
        try bench.update(1, Advertising(kind: .nonConnectable))
        #expect(bench.orders.contains { $0.isRemove })
        #expect(bench.model.onAir.first?.parameters?.properties == .legacy)
        #expect(bench.model.onAir.count == 1)
        #expect(bench.inForce[1]?.count == 2)
    }

    @Test("what a controller cannot do leaves the set as it was")
    func updateRefused() throws {
        var bench = try AdvertiserBench(.advertising(isExtended: false))
        try bench.add(1, Self.lamp)
        #expect(throws: AdvertisingError.unsupported("extended advertising")) {
            try bench.update(1, Advertising(form: .extended))
        }
        #expect(bench.ends.isEmpty)
        #expect(bench.model.onAir.count == 1)
    }

    @Test(
        "data longer than one command goes in pieces, and only at rest",
        arguments: [
            252, 502, 503, 1650,
        ]
    )
    func pieces(count: Int) throws {
        var bench = try AdvertiserBench()
        try bench.add(1, Self.long(count, 1))
        #expect(bench.model.onAir.first?.data.count == count)
        #expect(bench.orders.count { $0.isSetData } == (count + 250) / 251)
        try bench.update(1, Self.long(count, 2))
        #expect(bench.model.onAir.first?.data.last == 2)
        #expect(bench.inForce[1]?.count == 2)
    }

    /// Extended data of that many octets.
    static func long(_ count: Int, _ filling: UInt8) -> Advertising {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let length = min(count - bytes.count, 200)
            // One octet cannot be a structure.
            let taken = count - bytes.count - length == 1 ? length - 1 : length
            bytes += [UInt8(taken - 1), 0xFF] + [UInt8](repeating: filling, count: taken - 2)
        }
        return Advertising(rawAdvertisingData: bytes, kind: .nonConnectable, form: .extended)
    }

    @Test("several sets have handles of their own, and one too many is refused")
    func severalSets() throws {
        var bench = try AdvertiserBench()
        for id in 1...4 as ClosedRange<UInt64> { try bench.add(id, Self.lamp) }
        #expect(bench.model.onAir.count == 3)
        #expect(bench.ends == [4: .failed(.tooManySets(limit: 3))])
        try bench.remove(2)
        try bench.add(5, Self.lamp)
        #expect(bench.model.onAir.count == 3)
    }

    @Test(
        "a set goes on after a connection, except one that calls a device",
        arguments: [
            true, false,
        ]
    )
    func connection(isExtended: Bool) throws {
        var bench = try AdvertiserBench(.advertising(isExtended: isExtended))
        try bench.add(1, Self.lamp)
        try bench.connect(through: 0)
        #expect(bench.model.onAir.count == 1)
        try bench.remove(1)
        try bench.add(2, Advertising(kind: .directed(phone, .low)))
        #expect(bench.model.onAir.first?.parameters?.target == phone)
        try bench.connect(through: 0)
        #expect(bench.ends[2] == .connected)
        #expect(bench.model.onAir.isEmpty)
    }

    @Test("a set that is not to go on ends with the connection")
    func once() throws {
        var bench = try AdvertiserBench()
        var once = Self.lamp
        once.continuesAfterConnection = false
        try bench.add(1, once)
        try bench.connect(through: 0)
        #expect(bench.ends == [1: .connected])
    }

    @Test("when nobody says which set led to a connection, all that may have are started again")
    func unnamedTermination() throws {
        var bench = try AdvertiserBench()
        try bench.add(1, Self.lamp)
        try bench.add(2, Advertising(kind: .nonConnectable))
        try bench.connect(through: 0, tellsSet: false)
        #expect(bench.model.onAir.count == 1)
        try bench.advance(by: .seconds(1))
        #expect(bench.model.onAir.count == 2)
        #expect(bench.model.enableCount == 3)
        #expect(bench.advertiser.nextDeadline == nil)
    }

    @Test("calling with a high duty cycle ends in vain after its time", arguments: [true, false])
    func highDuty(isExtended: Bool) throws {
        var bench = try AdvertiserBench(.advertising(isExtended: isExtended))
        try bench.add(1, Advertising(kind: .directed(phone, .high)))
        #expect(bench.inForce[1]?.count == 1)
        if isExtended {
            #expect(bench.model.onAir.first?.duration == .milliseconds(1280))
            try bench.terminate(0, .advertisingTimeout)
        } else {
            try bench.timeOutDirected()
        }
        #expect(bench.ends == [1: .durationElapsed])
    }

    @Test("a duration ends the set, also where only the host counts", arguments: [true, false])
    func duration(isExtended: Bool) throws {
        var bench = try AdvertiserBench(.advertising(isExtended: isExtended))
        var short = Self.lamp
        short.duration = .seconds(10)
        try bench.add(1, short)
        try bench.advance(by: .seconds(4))
        try bench.connect(through: 0)
        #expect(bench.model.onAir.first?.duration == (isExtended ? .seconds(6) : nil))
        try bench.advance(by: .milliseconds(5_900))
        #expect(bench.ends.isEmpty)
        try bench.advance(by: .milliseconds(1_100))
        #expect(bench.ends == [1: .durationElapsed])
        #expect(bench.model.onAir.isEmpty)
    }

    @Test("so many advertisements and no more, connections included")
    func eventLimit() throws {
        var bench = try AdvertiserBench()
        var counted = Self.lamp
        counted.eventLimit = 10
        try bench.add(1, counted)
        #expect(bench.model.onAir.first?.eventLimit == 10)
        try bench.terminate(0, .success, events: 4)
        #expect(bench.model.onAir.first?.eventLimit == 6)
        try bench.terminate(0, .limitReached, events: 6)
        #expect(bench.ends == [1: .eventLimitReached])
    }

    @Test(
        "the power that the controller tells is the one that is stated",
        arguments: [true, false]
    )
    func statedPower(isExtended: Bool) throws {
        var bench = try AdvertiserBench(.advertising(isExtended: isExtended))
        var content = AdvertisingContent()
        content.transmitPower = .ofController
        try bench.add(1, Advertising(content))
        let data = AdvertisingData(try #require(bench.model.onAir.first).data)
        #expect(data.txPowerLevel == (isExtended ? 5 : -3))
        #expect(bench.inForce[1]?.last?.advertisingData.txPowerLevel == data.txPowerLevel)
    }

    @Test("after a reset everything comes back", arguments: [true, false])
    func reset(isExtended: Bool) throws {
        var bench = try AdvertiserBench(.advertising(isExtended: isExtended))
        try bench.add(1, Self.lamp)
        try bench.reset()
        #expect(bench.ends.isEmpty)
        try bench.configure()
        #expect(bench.model.onAir.count == 1)
        #expect(bench.inForce[1]?.count == 1)
    }

    @Test("sets that a smaller controller has no room for end")
    func smallerController() throws {
        var bench = try AdvertiserBench()
        for id in 1...3 as ClosedRange<UInt64> { try bench.add(id, Self.lamp) }
        try bench.reset()
        bench.capabilities.advertisingSetCount = 2
        try bench.configure()
        #expect(bench.ends == [3: .failed(.tooManySets(limit: 2))])
        #expect(bench.model.onAir.count == 2)
    }

    @Test("what is asked for while there is no controller begins when there is one")
    func beforeController() throws {
        var bench = try AdvertiserBench()
        try bench.reset()
        try bench.add(1, Self.lamp)
        #expect(bench.orders.isEmpty)
        try bench.configure()
        #expect(bench.inForce[1]?.count == 1)
    }
}

extension Advertising {
    /// How it is laid out on a legacy controller.
    var layout: AdvertisingLayout {
        guard case .composed(let content) = content else {
            return AdvertisingLayout(AdvertisingContent(), in: .legacy)
        }
        return AdvertisingLayout(content, in: .legacy)
    }
}
