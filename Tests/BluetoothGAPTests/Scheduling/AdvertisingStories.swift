// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothGAP
@testable import BluetoothHCI

@Suite("Advertising")
struct AdvertiserStories {
    static let lamp = Advertising(AdvertisingContent(localName: "Lamp"))
    private let phone = DeviceAddress(value: 0xC0DE_0000_0001, kind: .random)

    @Test("A set gets parameters, address, data and Enable in this order")
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

    @Test("A legacy controller gets no address, and both kinds of data")
    func legacyOrder() throws {
        var bench = try AdvertiserBench(.advertising(isExtended: false))
        try bench.add(1, Self.lamp)
        #expect(bench.orders.map(\.isSetData) == [false, true, true, false])
        #expect(bench.model.onAir.first?.data == Self.lamp.layout.advertisingData.bytes)
        #expect(bench.inForce[1]?.count == 1)
    }

    @Test("A set that the caller removes is disabled and removed", arguments: [true, false])
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

    @Test("New data replaces the old data without a pause", arguments: [true, false])
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

    @Test("Another kind of advertising creates the set again")
    func updateManner() throws {
        var bench = try AdvertiserBench()
        try bench.add(1, Self.lamp)
        try bench.update(1, Advertising(kind: .nonConnectable))
        #expect(bench.orders.contains { $0.isRemove })
        #expect(bench.model.onAir.first?.parameters?.properties == .legacy)
        #expect(bench.model.onAir.count == 1)
        #expect(bench.inForce[1]?.count == 2)
    }

    @Test("An update that the controller does not support leaves the set unchanged")
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
        "Data longer than one command is sent in pieces while the set is off the air",
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

    @Test("New data during the first piece of the old data is sent from its beginning")
    func updateDuringFirstPiece() throws {
        var bench = try AdvertiserBench()
        bench.answersAtOnce = false
        try bench.add(1, Self.long(502, 1))
        while bench.outstanding?.order.isSetData == false { try bench.answer() }
        try bench.update(1, Self.long(502, 2))
        bench.answersAtOnce = true
        try bench.answer()
        let onAir = try #require(bench.model.onAir.first)
        #expect(
            Advertising.Content.raw(advertisingData: onAir.data, scanResponse: [])
                == Self.long(502, 2).content
        )
    }

    /// Returns extended advertising with this number of data bytes.
    static func long(_ count: Int, _ filling: UInt8) -> Advertising {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let length = min(count - bytes.count, 200)
            // One byte cannot be a structure.
            let taken = count - bytes.count - length == 1 ? length - 1 : length
            bytes += [UInt8(taken - 1), 0xFF] + [UInt8](repeating: filling, count: taken - 2)
        }
        return Advertising(rawAdvertisingData: bytes, kind: .nonConnectable, form: .extended)
    }

    @Test("Sets have separate handles, and a set beyond the limit fails")
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
        "A set continues after a connection unless it is directed",
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

    @Test("A set that does not continue after a connection ends with it")
    func once() throws {
        var bench = try AdvertiserBench()
        var once = Self.lamp
        once.continuesAfterConnection = false
        try bench.add(1, once)
        try bench.connect(through: 0)
        #expect(bench.ends == [1: .connected])
    }

    @Test("All sets that may have led to a connection are started again if no event names one")
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

    @Test("A set that no event names is started again although an event names another set")
    func oneOfTwoTerminationsNamed() throws {
        var bench = try AdvertiserBench()
        try bench.add(1, Self.lamp)
        try bench.add(2, Self.lamp)
        try bench.connect(through: 0, tellsSet: false)
        try bench.connect(through: 1)
        #expect(bench.model.onAir.count == 1)
        try bench.advance(by: Advertiser.terminationLimit)
        #expect(bench.model.onAir.count == 2)
        #expect(bench.advertiser.nextDeadline == nil)
    }

    @Test("High duty cycle advertising ends after its time", arguments: [true, false])
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

    @Test("A duration ends the set, even if only the host counts it", arguments: [true, false])
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

    @Test("A set ends after its number of advertisements, across connections")
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
        "The data contains the transmit power that the controller reports",
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

    @Test("All sets return after a reset", arguments: [true, false])
    func reset(isExtended: Bool) throws {
        var bench = try AdvertiserBench(.advertising(isExtended: isExtended))
        try bench.add(1, Self.lamp)
        try bench.reset()
        #expect(bench.ends.isEmpty)
        try bench.configure()
        #expect(bench.model.onAir.count == 1)
        #expect(bench.inForce[1]?.count == 1)
    }

    @Test("Sets beyond the limit of another controller end")
    func smallerController() throws {
        var bench = try AdvertiserBench()
        for id in 1...3 as ClosedRange<UInt64> { try bench.add(id, Self.lamp) }
        try bench.reset()
        bench.capabilities.advertisingSetCount = 2
        try bench.configure()
        #expect(bench.ends == [3: .failed(.tooManySets(limit: 2))])
        #expect(bench.model.onAir.count == 2)
    }

    @Test("Sets requested without a controller begin when there is one")
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
    /// The layout on a legacy controller.
    var layout: AdvertisingLayout {
        guard case .composed(let content) = content else {
            return AdvertisingLayout(AdvertisingContent(), in: .legacy)
        }
        return AdvertisingLayout(content, in: .legacy)
    }
}
