// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothGAP
@testable import BluetoothHCI

@Suite("Advertising")
struct AdvertiserTests {
    static let lamp = Advertising(AdvertisingContent(localName: "Lamp"))
    private let phone = DeviceAddress(value: 0xC0DE_0000_0001, kind: .random)

    @Test("A set gets parameters, address, data and Enable in this order")
    func operation() throws {
        var harness = try AdvertiserHarness()
        try harness.add(1, Self.lamp)
        try #require(harness.operations.count == 4)
        #expect(harness.operations[0].isSetParameters)
        #expect(harness.operations[1] == .setAddress(set: 0, AdvertiserHarness.ownAddress))
        #expect(harness.operations[2].isSetData)
        #expect(harness.operations[3] == .enable(set: 0, duration: nil, eventLimit: 0))
        #expect(harness.inForce[1]?.count == 1)
        #expect(harness.advertiser.nextDeadline == nil)
    }

    @Test("A legacy controller gets both kinds of data, but no address")
    func legacyOperation() throws {
        var harness = try AdvertiserHarness(.advertising(isExtended: false))
        try harness.add(1, Self.lamp)
        #expect(harness.operations.map(\.isSetData) == [false, true, true, false])
        #expect(harness.model.onAir.first?.data == Self.lamp.layout.advertisingData.bytes)
        #expect(harness.inForce[1]?.count == 1)
    }

    @Test("A set that the caller removes is disabled and removed", arguments: [true, false])
    func remove(isExtended: Bool) throws {
        var harness = try AdvertiserHarness(.advertising(isExtended: isExtended))
        try harness.add(1, Self.lamp)
        try harness.remove(1)
        #expect(harness.ends == [1: .stopped])
        #expect(harness.model.onAir.isEmpty)
        #expect(harness.model.sets.isEmpty == isExtended)
        #expect(harness.advertiser.sets.isEmpty)
        try harness.add(1, Self.lamp)
        #expect(harness.model.onAir.count == 1)
    }

    @Test("New data replaces the old data without a pause", arguments: [true, false])
    func updateInPlace(isExtended: Bool) throws {
        var harness = try AdvertiserHarness(.advertising(isExtended: isExtended))
        try harness.add(1, Self.lamp)
        let before = harness.operations.count
        let other = Advertising(AdvertisingContent(localName: "Other"))
        try harness.update(1, other)
        #expect(!harness.operations.dropFirst(before).contains { !$0.isSetData })
        #expect(harness.model.onAir.first?.data == other.layout.advertisingData.bytes)
        #expect(harness.inForce[1]?.count == 2)
        #expect(harness.model.enableCount == 1)
    }

    @Test("A change of the kind of advertising removes the set and creates it again")
    func updateConfiguration() throws {
        var harness = try AdvertiserHarness()
        try harness.add(1, Self.lamp)
        try harness.update(1, Advertising(kind: .nonConnectable))
        #expect(harness.operations.contains { $0.isRemove })
        #expect(harness.model.onAir.first?.parameters?.properties == .legacy)
        #expect(harness.model.onAir.count == 1)
        #expect(harness.inForce[1]?.count == 2)
    }

    @Test("An update that the controller does not support leaves the set unchanged")
    func updateRefused() throws {
        var harness = try AdvertiserHarness(.advertising(isExtended: false))
        try harness.add(1, Self.lamp)
        #expect(throws: AdvertisingError.unsupported("extended advertising")) {
            try harness.update(1, Advertising(form: .extended))
        }
        #expect(harness.ends.isEmpty)
        #expect(harness.model.onAir.count == 1)
    }

    @Test(
        "Data longer than one command is sent in pieces while the set is off the air",
        arguments: [
            252, 502, 503, 1650,
        ]
    )
    func pieces(count: Int) throws {
        var harness = try AdvertiserHarness()
        try harness.add(1, Self.long(count, 1))
        #expect(harness.model.onAir.first?.data.count == count)
        #expect(harness.operations.count { $0.isSetData } == (count + 250) / 251)
        try harness.update(1, Self.long(count, 2))
        #expect(harness.model.onAir.first?.data.last == 2)
        #expect(harness.inForce[1]?.count == 2)
    }

    @Test("If data changes while its first piece is sent, the new data is sent from its beginning")
    func updateDuringFirstPiece() throws {
        var harness = try AdvertiserHarness()
        harness.answersAtOnce = false
        try harness.add(1, Self.long(502, 1))
        while harness.outstanding?.operation.isSetData == false { try harness.answer() }
        try harness.update(1, Self.long(502, 2))
        harness.answersAtOnce = true
        try harness.answer()
        let onAir = try #require(harness.model.onAir.first)
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
        var harness = try AdvertiserHarness()
        for id in 1...4 as ClosedRange<UInt64> { try harness.add(id, Self.lamp) }
        #expect(harness.model.onAir.count == 3)
        #expect(harness.ends == [4: .failed(.tooManySets(limit: 3))])
        try harness.remove(2)
        try harness.add(5, Self.lamp)
        #expect(harness.model.onAir.count == 3)
    }

    @Test(
        "A set continues after a connection unless it is directed",
        arguments: [
            true, false,
        ]
    )
    func connection(isExtended: Bool) throws {
        var harness = try AdvertiserHarness(.advertising(isExtended: isExtended))
        try harness.add(1, Self.lamp)
        try harness.connect(through: 0)
        #expect(harness.model.onAir.count == 1)
        try harness.remove(1)
        try harness.add(2, Advertising(kind: .directed(phone, .low)))
        #expect(harness.model.onAir.first?.parameters?.target == phone)
        try harness.connect(through: 0)
        #expect(harness.ends[2] == .connected)
        #expect(harness.model.onAir.isEmpty)
    }

    @Test("A set that does not continue after a connection ends with it")
    func once() throws {
        var harness = try AdvertiserHarness()
        var once = Self.lamp
        once.continuesAfterConnection = false
        try harness.add(1, once)
        try harness.connect(through: 0)
        #expect(harness.ends == [1: .connected])
    }

    @Test("All sets that may have led to a connection are started again if no event names one")
    func unnamedTermination() throws {
        var harness = try AdvertiserHarness()
        try harness.add(1, Self.lamp)
        try harness.add(2, Advertising(kind: .nonConnectable))
        try harness.connect(through: 0, reportsSet: false)
        #expect(harness.model.onAir.count == 1)
        try harness.advance(by: .seconds(1))
        #expect(harness.model.onAir.count == 2)
        #expect(harness.model.enableCount == 3)
        #expect(harness.advertiser.nextDeadline == nil)
    }

    @Test("A set that no event reports as ended is started again, even if another set is reported")
    func otherTerminationNamed() throws {
        var harness = try AdvertiserHarness()
        try harness.add(1, Self.lamp)
        try harness.add(2, Self.lamp)
        try harness.connect(through: 0, reportsSet: false)
        try harness.connect(through: 1)
        #expect(harness.model.onAir.count == 1)
        try harness.advance(by: Advertiser.terminationLimit)
        #expect(harness.model.onAir.count == 2)
        #expect(harness.advertiser.nextDeadline == nil)
    }

    @Test("High duty cycle advertising ends after its time", arguments: [true, false])
    func highDuty(isExtended: Bool) throws {
        var harness = try AdvertiserHarness(.advertising(isExtended: isExtended))
        try harness.add(1, Advertising(kind: .directed(phone, .high)))
        #expect(harness.inForce[1]?.count == 1)
        if isExtended {
            #expect(harness.model.onAir.first?.duration == .milliseconds(1280))
            try harness.terminate(0, .advertisingTimeout)
        } else {
            try harness.timeOutDirected()
        }
        #expect(harness.ends == [1: .durationElapsed])
    }

    @Test("A duration ends the set, even if only the host counts it", arguments: [true, false])
    func duration(isExtended: Bool) throws {
        var harness = try AdvertiserHarness(.advertising(isExtended: isExtended))
        var short = Self.lamp
        short.duration = .seconds(10)
        try harness.add(1, short)
        try harness.advance(by: .seconds(4))
        try harness.connect(through: 0)
        #expect(harness.model.onAir.first?.duration == (isExtended ? .seconds(6) : nil))
        try harness.advance(by: .milliseconds(5_900))
        #expect(harness.ends.isEmpty)
        try harness.advance(by: .milliseconds(1_100))
        #expect(harness.ends == [1: .durationElapsed])
        #expect(harness.model.onAir.isEmpty)
    }

    @Test("A new duration applies to a set on the air", arguments: [true, false])
    func newDuration(isExtended: Bool) throws {
        var harness = try AdvertiserHarness(.advertising(isExtended: isExtended))
        var lamp = Self.lamp
        try harness.add(1, lamp)
        for seconds in [10, 20] {
            lamp.duration = .seconds(seconds)
            try harness.update(1, lamp)
            let onAir = try #require(harness.model.onAir.first)
            #expect(onAir.duration == (isExtended ? .seconds(seconds) : nil))
            try harness.advance(by: .seconds(9))
            #expect(harness.ends.isEmpty)
        }
        try harness.advance(by: .seconds(12))
        #expect(harness.ends == [1: .durationElapsed])
        #expect(harness.model.onAir.isEmpty)
    }

    @Test("A new duration is not lost while an earlier one takes effect")
    func newDurationWhileEnabling() throws {
        var harness = try AdvertiserHarness()
        var lamp = Self.lamp
        lamp.duration = .seconds(10)
        harness.answersAtOnce = false
        try harness.add(1, lamp)
        let enable = AdvertisingOperation.enable(
            set: 0,
            duration: .seconds(10),
            eventLimit: 0
        )
        while harness.outstanding?.operation != enable { try harness.answer() }
        lamp.duration = .seconds(20)
        try harness.update(1, lamp)
        harness.answersAtOnce = true
        try harness.answer()
        #expect(harness.model.onAir.first?.duration == .seconds(20))
    }

    @Test("A new number of advertisements applies to a set on the air")
    func newEventLimit() throws {
        var harness = try AdvertiserHarness()
        var lamp = Self.lamp
        try harness.add(1, lamp)
        for limit in [10, 20] as [UInt8] {
            lamp.eventLimit = limit
            try harness.update(1, lamp)
            let onAir = try #require(harness.model.onAir.first)
            #expect(onAir.eventLimit == limit)
        }
    }

    @Test("A set ends after its number of advertisements, across connections")
    func eventLimit() throws {
        var harness = try AdvertiserHarness()
        var counted = Self.lamp
        counted.eventLimit = 10
        try harness.add(1, counted)
        #expect(harness.model.onAir.first?.eventLimit == 10)
        try harness.terminate(0, .success, events: 4)
        #expect(harness.model.onAir.first?.eventLimit == 6)
        try harness.terminate(0, .limitReached, events: 6)
        #expect(harness.ends == [1: .eventLimitReached])
    }

    @Test(
        "The data contains the transmit power that the controller reports",
        arguments: [true, false]
    )
    func statedPower(isExtended: Bool) throws {
        var harness = try AdvertiserHarness(.advertising(isExtended: isExtended))
        var content = AdvertisingContent()
        content.transmitPower = .ofController
        try harness.add(1, Advertising(content))
        let data = AdvertisingData(try #require(harness.model.onAir.first).data)
        #expect(data.txPowerLevel == (isExtended ? 5 : -3))
        #expect(harness.inForce[1]?.last?.advertisingData.txPowerLevel == data.txPowerLevel)
    }

    @Test("All sets return after a reset", arguments: [true, false])
    func reset(isExtended: Bool) throws {
        var harness = try AdvertiserHarness(.advertising(isExtended: isExtended))
        try harness.add(1, Self.lamp)
        try harness.reset()
        #expect(harness.ends.isEmpty)
        try harness.configure()
        #expect(harness.model.onAir.count == 1)
        #expect(harness.inForce[1]?.count == 1)
    }

    @Test("Sets beyond the limit of another controller end")
    func smallerController() throws {
        var harness = try AdvertiserHarness()
        for id in 1...3 as ClosedRange<UInt64> { try harness.add(id, Self.lamp) }
        try harness.reset()
        harness.capabilities.advertisingSetCount = 2
        try harness.configure()
        #expect(harness.ends == [3: .failed(.tooManySets(limit: 2))])
        #expect(harness.model.onAir.count == 2)
    }

    @Test("Sets that are requested without a controller begin when a controller is ready")
    func beforeController() throws {
        var harness = try AdvertiserHarness()
        try harness.reset()
        try harness.add(1, Self.lamp)
        #expect(harness.operations.isEmpty)
        try harness.configure()
        #expect(harness.inForce[1]?.count == 1)
    }
}

extension Advertising {
    /// The layout of composed content on a legacy controller.
    var layout: AdvertisingLayout {
        guard case .composed(let content) = content else {
            return AdvertisingLayout(AdvertisingContent(), in: .legacy)
        }
        return AdvertisingLayout(content, in: .legacy)
    }
}
