// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransports
import Lanyard
import Testing

@testable import LanyardCLI

@Suite("Timelines") struct TimelineTests {
    private func event(
        _ time: Int64,
        _ text: String,
        lane: FlightEvent.Lane = .callback,
        device: Int = 0
    ) -> Timeline.Event {
        Timeline.Event(microseconds: time, device: device, lane: lane, text: text)
    }

    @Test("A recording becomes events") func recording() {
        var timeline = Timeline(title: "")
        timeline.add(
            FlightRecording(
                start: Date(timeIntervalSince1970: 7),
                events: [
                    FlightEvent(time: .seconds(1), device: "", lane: .call, text: "stopScan"),
                    FlightEvent(
                        time: .milliseconds(1),
                        device: "a\u{202E}b",
                        lane: .state,
                        text: "ready",
                        detail: "\u{7}"
                    ),
                ],
                dropped: 2
            ),
            central: "phone"
        )
        #expect(timeline.devices == ["phone", "a\\u{202E}b"])
        #expect(timeline.start == 7_000_000)
        #expect(timeline.sortedEvents.map(\.microseconds) == [1_000, 1_000_000])
        #expect(timeline.sortedEvents[0].detail == "\\u{7}")
        #expect(timeline.remarks == ["2 earlier events were dropped by the recorder"])
    }

    @Test("Times that are too large to represent do not trap and keep their order")
    func distantEvents() {
        var timeline = Timeline(title: "")
        let times: [Duration] = [.seconds(Int64.max), .seconds(Int64.min), .zero]
        timeline.add(
            FlightRecording(
                events: times.map { FlightEvent(time: $0, device: "", lane: .note, text: "") }
            ),
            central: "phone"
        )
        #expect(timeline.sortedEvents.map { $0.microseconds.signum() } == [-1, 0, 1])
        #expect(!timeline.json.compact.isEmpty)
    }

    @Test("Events of the same time keep their order") func sameTime() {
        var timeline = Timeline(title: "")
        for text in ["b", "a", "c"] { timeline.add(event(5, text)) }
        timeline.add(event(4, "first"))
        #expect(timeline.sortedEvents.map(\.text) == ["first", "b", "a", "c"])
    }

    @Test("Long texts are shortened") func longTexts() {
        var timeline = Timeline(title: "")
        timeline.add(event(0, String(repeating: "x", count: 10_000)))
        #expect(timeline.events[0].text.count == Timeline.textLimit)
        #expect(timeline.events[0].text.hasSuffix("x…"))
    }

    @Test("Texts that recur are written once") func repeatedTexts() {
        var timeline = Timeline(title: "t")
        _ = timeline.device("strap")
        timeline.chapters = [Timeline.Chapter(microseconds: 1, title: "Pairing")]
        timeline.add(event(10, "didUpdateValue"))
        timeline.add(event(30, "didUpdateValue"))
        var packet = event(31, "ATT", lane: .packet)
        packet.packet = Timeline.Packet(isSent: true, layer: .att)
        packet.detail = "didUpdateValue"
        timeline.add(packet)
        packet.count = 3
        packet.lastsMicroseconds = 9
        timeline.add(packet)
        packet.count = 1
        packet.lastsMicroseconds = 0
        packet.packet?.bytes = [0x02, 0xFF]
        timeline.add(packet)
        #expect(
            timeline.json.compact
                == #"{"title":"t","subtitle":"","start":null,"live":false,"devices":["strap"],"#
                + #""chapters":[{"time":1,"title":"Pairing"}],"remarks":[],"#
                + #""texts":["didUpdateValue","ATT","02ff"],"events":[[10,0,2,0,-1],[20,0,2,0,-1],"#
                + #"[1,0,3,1,0,1,3],[0,0,3,1,0,1,3,3,9],[0,0,3,1,0,1,3,1,0,2]]}"#
        )
    }

    @Test("A short timeline is not folded") func shortTimeline() {
        var timeline = Timeline(title: "")
        for number in 0..<10 { timeline.add(event(Int64(number), "x")) }
        let before = timeline
        timeline.fit(to: 10)
        #expect(timeline == before)
    }

    @Test("Repeated events of a long timeline are folded") func repeatedEvents() {
        var timeline = Timeline(title: "")
        for number in 0..<10 {
            timeline.add(event(Int64(number), "x"))
            timeline.add(event(Int64(number), "x", lane: .state, device: 1))
        }
        timeline.add(event(Timeline.repetitionGap + 10, "x"))
        timeline.fit(to: 15)
        #expect(timeline.events.filter { $0.device == 0 }.map(\.count) == [10, 1])
        #expect(timeline.events.filter { $0.device == 1 }.count == 10)
        #expect(timeline.events[0].lastsMicroseconds == 9)
        #expect(timeline.remarks == ["9 repeated events are shown together"])
    }

    @Test("A timeline that is still too long loses its beginning")
    func longTimeline() {
        var timeline = Timeline(title: "")
        for number in 0..<10 { timeline.add(event(Int64(number), "\(number)")) }
        timeline.fit(to: 4)
        #expect(timeline.events.map(\.text) == ["6", "7", "8", "9"])
        #expect(timeline.remarks == ["6 earlier events are left out"])
    }
}

@Suite("Gathering packets") struct PacketGatheringTests {
    /// Returns an empty legacy advertising report of an advertiser.
    private func report(_ advertiser: UInt8) -> [UInt8] {
        [4, 0x3E, 12, 2, 1, 0, 0, advertiser, 0, 0, 0, 0, 0xC0, 0, 0xC8]
    }

    private func gather(_ packets: [(Int64, [UInt8])], zero: Int64? = nil) -> PacketGathering {
        var gathering = PacketGathering(device: 3, zero: zero)
        for (time, bytes) in packets {
            gathering.receive(
                Btsnoop.Record(
                    microsecondsSince1970: time,
                    direction: bytes[0] == 1 ? .sent : .received,
                    packet: bytes[...]
                )
            )
        }
        return gathering
    }

    @Test("Each packet is decoded to a line") func decodedPackets() {
        let reset: [UInt8] = [1, 3, 0x0C, 0]
        let events = gather([(50, reset), (70, [4, 0x0E, 4, 1, 3, 0x0C, 0])]).events
        #expect(events.map(\.text) == ["Reset", "Command Complete: Reset, status=success"])
        #expect(events.map(\.microseconds) == [0, 20])
        #expect(events.map(\.packet?.isSent) == [true, false])
        #expect(events.allSatisfy { $0.device == 3 && $0.lane == .packet })
        #expect(gather([(50, reset)], zero: 20).events.map(\.microseconds) == [30])
    }

    @Test("The bytes of a packet have zeros in place of keys") func keyBytes() {
        let secret = [UInt8](0xA1...0xB0)
        let reply: [UInt8] = [1, 0x1A, 0x20, 18, 0x40, 0]
        let frame: [UInt8] = [2, 0x40, 0x20, 21, 0, 17, 0, 6, 0, 6]
        let zeros = [UInt8](repeating: 0, count: 16)
        let events = gather([(0, reply + secret), (1, frame + secret)]).events
        #expect(events.map(\.packet?.bytes) == [reply + zeros, frame + zeros])
    }

    @Test("Packets whose times are too far apart to be subtracted are left out")
    func distantTimes() {
        let packets: [(Int64, [UInt8])] = [(0, report(1)), (.max, report(1)), (.min, report(2))]
        var timeline = Timeline(title: "")
        _ = timeline.device("strap")
        for event in gather(packets + [(1, report(1)), (.max, report(2))]).events {
            timeline.add(event)
        }
        #expect(timeline.events.map(\.count) == [2])
        #expect(timeline.json.compact.contains("events"))
    }

    @Test("Repeated advertising is folded by advertiser")
    func repeatedAdvertising() {
        let packets = (0..<20).map { (Int64($0) * 100_000, report(UInt8($0 % 2))) }
        let events = gather(packets).events
        #expect(events.map(\.count) == [10, 10])
        #expect(events.map(\.lastsMicroseconds) == [1_800_000, 1_800_000])
    }

    @Test("Advertising after a pause is not folded") func pausedAdvertising() {
        let pause = PacketGathering.repetitionGap + 1
        let events = gather([(0, report(1)), (1, report(1)), (1 + pause, report(1))]).events
        #expect(events.map(\.count) == [2, 1])
    }

    @Test("Events about buffers are left out") func bufferEvents() {
        #expect(gather([(0, [4, 0x13, 5, 1, 1, 0, 1, 0])]).events.isEmpty)
    }

    @Test("A malformed packet is shown") func malformedPacket() {
        let events = gather([(0, [9, 9, 9])]).events
        #expect(events.count == 1 && events[0].text.hasPrefix("malformed: "))
    }

    @Test("Packets beyond the limit are counted") func packetLimit() {
        let packets = (0..<Timeline.packetLimit + 5).map { (Int64($0), [UInt8]([1, 3, 0x0C, 0])) }
        let gathering = gather(packets)
        #expect(gathering.events.count == Timeline.packetLimit)
        #expect(gathering.leftOut == 5)
    }

    @Test("Invalid times do not trap") func invalidTimes() {
        let reset: [UInt8] = [1, 3, 0x0C, 0]
        #expect(gather([(.max, reset), (.min, reset), (0, reset)]).events.count <= 3)
    }
}
