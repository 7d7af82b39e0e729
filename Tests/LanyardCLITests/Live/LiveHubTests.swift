// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes
import HCITransports
import JSONText
import Testing

@testable import LanyardCLI

@Suite("The state of the live page")
struct LiveHubTests {
    private let hub = LiveHub(adapters: ["hci0", "hci1"], now: { .zero }, clock: { 1_000_000 })

    private func update() throws -> [String: JSON] {
        let text = try #require(hub.takeUpdate())
        return try #require(JSONNode(parsing: text).value.members)
    }

    private func advertisement(_ number: UInt64, rssi: Int = -50) -> Advertisement {
        Advertisement(
            address: DeviceAddress(value: number, kind: .random),
            rssi: rssi,
            data: AdvertisingData([])
        )
    }

    private func report(_ number: UInt8, at time: Int64 = 2_000_000) -> Btsnoop.Record {
        Btsnoop.Record(
            microsecondsSince1970: time,
            direction: .received,
            packet: [0x04, 0x3E, 0x0C, 0x02, 1, 0, 0, number, 0, 0, 0, 0, 0xC0, 0, 0xC4][...]
        )
    }

    private func reset(_ number: Int64 = 0) -> Btsnoop.Record {
        Btsnoop.Record(
            microsecondsSince1970: 2_000_000 + number,
            direction: .sent,
            packet: [0x01, 0x03, 0x0C, 0x00][...]
        )
    }

    @Test(
        "Only the first update describes a device, and each update has the signals since the last one"
    )
    func devices() throws {
        hub.receive(advertisement(1))
        hub.receive(advertisement(1))
        hub.receive(advertisement(2, rssi: -80))
        let first = try update()
        #expect(first["devices"]?.elements?.count == 2)
        let signals = try #require(first["signals"]?.elements)
        #expect(Set(signals.compactMap { $0.elements?[2] }) == [.integer(2), .integer(1)])
        hub.receive(advertisement(1))
        let second = try update()
        #expect(second["devices"] == nil)
        #expect(second["signals"]?.elements?.count == 1)
        #expect(hub.takeUpdate() == nil)
    }

    @Test("A page that opens gets the devices, links and packets of earlier updates")
    func present() throws {
        hub.receive(advertisement(1))
        hub.receive(reset(), from: 0)
        hub.sendLink("D", isOver: false, [.init("state", .string("connected"))])
        _ = try update()
        let members = try #require(JSONNode(parsing: hub.present).value.members)
        #expect(members["reset"] == .bool(true))
        #expect(members["devices"]?.elements?.count == 1)
        #expect(members["levels"]?.elements?.count == 1)
        #expect(members["messages"]?.elements?.first?.members?["state"]?.text == "connected")
        #expect(members["timeline"]?.members?["events"]?.elements?.count == 1)
    }

    @Test("The timeline has one advertising report for each period, and the number of the others")
    func reports() throws {
        for number in 0..<200 { hub.receive(report(UInt8(number)), from: 0) }
        hub.receive(reset(), from: 0)
        let timeline = try #require(try update()["timeline"]?.members)
        #expect(timeline["events"]?.elements?.count == 2)
        #expect(timeline["leftOut"] == .integer(199))
        hub.receive(report(1, at: 2_000_000 + LiveBacklog.reportPeriod), from: 0)
        hub.receive(report(2, at: 2_000_001 + LiveBacklog.reportPeriod), from: 0)
        let next = try #require(try update()["timeline"]?.members)
        #expect(next["events"]?.elements?.count == 1)
        #expect(next["leftOut"] == .integer(200))
    }

    @Test("The entries and messages of an update, and the earlier entries, are bounded")
    func bounds() throws {
        for round in 0..<8 {
            for number in 0..<2_000 { hub.receive(reset(Int64(round * 2_000 + number)), from: 0) }
            for _ in 0..<2_000 { hub.send("remark", .init("text", .string("x"))) }
            let members = try update()
            #expect(members["messages"]?.elements?.count == LiveHub.messageLimit)
            let events = members["timeline"]?.members?["events"]?.elements
            #expect(events?.count == LiveBacklog.entryLimit)
        }
        let members = try #require(JSONNode(parsing: hub.present).value.members)
        let past = members["timeline"]?.members?["events"]?.elements
        #expect(past?.count == LiveTimeline.historyLimit)
    }

    @Test("The state of a link is sent although the limit of messages is reached")
    func linkBeyondTheLimit() throws {
        for _ in 0...LiveHub.messageLimit { hub.send("value") }
        for state in ["lost", "idle"] {
            hub.sendLink("D", isOver: state == "idle", [.init("state", .string(state))])
        }
        let messages = try #require(try update()["messages"]?.elements)
        #expect(messages.count == LiveHub.messageLimit + 1)
        #expect(messages.last?.members?["state"]?.text == "idle")
    }

    /// Returns the event of a central's connection to the device with this number, with the handle
    /// 0x0040 (Vol 4, Part E, 7.7.65.1).
    private func connected(to number: UInt8) -> Btsnoop.Record {
        record(
            .received,
            [0x04, 0x3E, 0x13, 0x01, 0, 0x40, 0, 0, 1, number, 0, 0, 0, 0, 0xC0]
                + [0x18, 0, 0, 0, 0x48, 0, 0]
        )
    }

    private func record(_ direction: Btsnoop.Direction, _ packet: [UInt8]) -> Btsnoop.Record {
        Btsnoop.Record(
            microsecondsSince1970: 2_000_000,
            direction: direction,
            packet: packet[...]
        )
    }

    /// ATT_READ_REQ on the connection 0x0040.
    private var request: Btsnoop.Record {
        record(.sent, [0x02, 0x40, 0, 7, 0, 3, 0, 4, 0, 0x0A, 3, 0])
    }

    /// Returns the names of the rows of the new events.
    private func rows() throws -> [String] {
        let timeline = try #require(try update()["timeline"]?.members)
        let names = try #require(timeline["devices"]?.elements).map(\.text)
        let events = try #require(timeline["events"]?.elements)
        return try events.map { event in
            let row = try #require(event.elements?[1].double)
            return try #require(names[Int(row)])
        }
    }

    @Test(
        "Packets have the row of the device that is connected on their adapter, until the link ends"
    )
    func adapters() throws {
        let one = "C0:00:00:00:00:01", two = "C0:00:00:00:00:02"
        hub.receive(connected(to: 1), from: 0)
        hub.receive(connected(to: 2), from: 1)
        hub.receive(request, from: 0)
        hub.receive(request, from: 1)
        #expect(try rows() == [one, two, one, two])
        // Disconnection Complete (Vol 4, Part E, 7.7.5).
        let end = record(.received, [0x04, 0x05, 4, 0, 0x40, 0, 0x13])
        hub.receive(end, from: 0)
        hub.receive(request, from: 0)
        hub.receive(request, from: 1)
        #expect(try rows() == [one, "hci0", two])
        hub.receive(request, from: 2)
        #expect(hub.takeUpdate() == nil)
    }

    @Test("Random packets never trap", arguments: [1, 2, 3])
    func random(seed: UInt64) throws {
        var state = seed
        for _ in 0..<500 {
            var packet: [UInt8] = []
            for _ in 0..<24 {
                state = state &* 6_364_136_223_846_793_005 &+ 1
                packet.append(UInt8(truncatingIfNeeded: state >> 40))
            }
            packet[0] = [1, 2, 4][Int(state >> 60) % 3]
            if packet[0] == 4 { packet[1] = 0x3E }
            let record = Btsnoop.Record(
                microsecondsSince1970: Int64(truncatingIfNeeded: state),
                direction: .received,
                packet: packet[...]
            )
            hub.receive(record, from: 0)
            _ = hub.takeUpdate()
        }
        #expect(hub.present.contains("\"events\":["))
    }

    @Test("A command runs words on a device, moves a device, or switches its power")
    func commands() throws {
        let words = try LiveCommandBody(Array(##"{"device":"D","words":["read","#3"]}"##.utf8))
        #expect(words == .words(["read", "#3"], device: "D"))
        let move = try LiveCommandBody(Array(#"{"move":3,"x":1.5,"y":-2}"#.utf8))
        #expect(move == .move(3, x: 1.5, y: -2))
        let power = try LiveCommandBody(Array(#"{"power":3,"on":false}"#.utf8))
        #expect(power == .power(3, isOn: false))
    }

    @Test(
        "A command that is not valid is refused",
        arguments: [
            "", "[]", "{}", #"{"words":["read"]}"#, #"{"device":"D","words":"read"}"#,
            #"{"move":-1,"x":0,"y":0}"#, #"{"move":1,"x":1e99,"y":0}"#, #"{"power":1}"#,
            #"{"device":"D","words":["1","2","3","4","5","6","7","8","9","0","1","2","3","4","5","6","7"]}"#,
        ]
    )
    func wrongCommands(text: String) {
        #expect(throws: JSONError.self) { try LiveCommandBody(Array(text.utf8)) }
    }
}
