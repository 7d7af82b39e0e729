// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import Lanyard

@testable import HCITransports
@testable import LanyardCLI

/// Reads a btsnoop file in chunks, and writes it as text, as JSON, without its keys, and as a
/// timeline.
func fuzzPacketLog(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let size = 1 + 16 * Int(input.byte())
    let file = input.remaining()
    var reader = BtsnoopReader()
    var records: [Btsnoop.Record] = []
    for start in stride(from: 0, to: file.count, by: size) {
        reader.append(file[start..<min(start + size, file.count)])
        guard let found = try? readRecords(from: &reader) else { break }
        records += found
    }
    try? reader.finish()
    var decoder = TraceDecoder()
    var redaction = KeyRedaction()
    var timeline = Timeline(title: "a log")
    var packets = PacketGathering(device: timeline.device("host"), zero: nil)
    for record in records {
        let blanked = redaction.blank(record.packet, record.direction)
        require(blanked.count == record.packet.count, "blanking changes the length")
        if let line = decoder.decode(record) {
            check(line, since: records[0].microsecondsSince1970)
        }
        packets.receive(record)
    }
    require(packets.events.count <= Timeline.packetLimit, "more events than there may be")
    for event in packets.events { timeline.add(event) }
    check(timeline)
}

private func readRecords(from reader: inout BtsnoopReader) throws(BtsnoopError) -> [Btsnoop.Record]
{
    var records: [Btsnoop.Record] = []
    while let record = try reader.next() { records.append(record) }
    return records
}

/// Reads a pcap file of a sniffer, with a key for its links.
func fuzzCapture(_ bytes: [UInt8]) {
    let central = DeviceAddress(value: 0xC000_0000_0001, kind: .random)
    let peripheral = DeviceAddress(value: 0xC000_0000_0002, kind: .random)
    guard var file = try? Pcap(bytes),
        let keys = try? ExportedKey.parse(
            """
            [{"central": "\(central)/random", "peripheral": "\(peripheral)/random", \
            "ltk": "\(String(repeating: "0F", count: 16))"}]
            """
        )
    else { return }
    var decoder = CaptureDecoder(keys: keys)
    var start: Int64?
    while let record = try? file.next() {
        start = start ?? record.microseconds
        guard let packet = AirPacket(record, file.linkType), let line = decoder.decode(packet)
        else {
            continue
        }
        check(line, since: start ?? 0)
    }
}

private func check(_ line: TraceLine, since start: Int64) {
    let text = line.text(since: start)
    require(!text.isEmpty, "a line without text")
    require(text.unicodeScalars.allSatisfy { $0.isPrintable }, "not for a terminal: \(text)")
    require(!line.json.compact.isEmpty, "a line without JSON")
}

private func check(_ timeline: Timeline) {
    var timeline = timeline
    timeline.fit(to: 4)
    require(timeline.events.count <= 4, "more events than fit")
    require(!timeline.json.compact.isEmpty, "a page without JSON")
}

/// Reads a recording of a FlightRecorder, and writes it again and as a timeline.
func fuzzFlightRecording(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self),
        let recording = try? FlightRecording(jsonLines: text)
    else { return }
    let again = try? FlightRecording(jsonLines: recording.jsonLines)
    require(again?.events == recording.events, "other events come back")
    require(again?.dropped == recording.dropped, "another count comes back")
    require(
        recording.description.isEmpty == (recording.events.isEmpty && recording.dropped == 0),
        "a wrong description"
    )
    var timeline = Timeline(title: "a recording")
    timeline.add(recording, central: "Central")
    check(timeline)
}
