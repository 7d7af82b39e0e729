// SPDX-License-Identifier: Apache-2.0

import HCITransports
import Lanyard

extension Timeline {
    /// The maximum number of packets of one log.
    static let packetLimit = 3_000

    /// Adds the packets of a log, at most `packetLimit`, to the rows of a device, each decoded to
    /// one line.
    ///
    /// Events about buffers are left out, and repeated advertising is folded, because they would
    /// hide the other packets. Throws if the file is not a valid log. The packets before the fault
    /// stay.
    ///
    /// - Parameter zero: The origin of this timeline, in microseconds since 1970; the first
    ///   packet's time if `nil`.
    mutating func addPackets(ofLog path: String, device name: String, zero: Int64?) throws {
        var packets = PacketGathering(device: device(name), zero: zero)
        defer {
            for event in packets.events { add(event) }
            if packets.leftOut > 0 {
                remark("\(packets.leftOut) later packets of \(devices[packets.device]) left out")
            }
        }
        try TraceFile.read(path) { record in
            try Task.checkCancellation()
            packets.receive(record)
        }
    }
}

/// The decoded packets of one log, with repeated ones folded.
struct PacketGathering {
    /// The longest gap in microseconds between reports of one advertiser that are folded into one.
    static let repetitionGap: Int64 = 2_000_000
    /// The maximum number of advertisers whose reports are folded.
    static let advertiserLimit = 1_000

    let device: Int
    private(set) var events: [Timeline.Event] = []
    /// The number of packets beyond the limit.
    private(set) var leftOut = 0
    private var zero: Int64?
    private var decoder = TraceDecoder()
    private var redaction = KeyRedaction()
    /// The index of the folded event of each advertiser.
    private var reports: [Substring: Int] = [:]

    init(device: Int, zero: Int64?) {
        self.device = device
        self.zero = zero
    }

    mutating func receive(_ record: Btsnoop.Record) {
        let packet = redaction.blank(record.packet, record.direction)
        guard let line = decoder.decode(record), !line.isAboutBuffers else { return }
        let origin = zero ?? line.microsecondsSince1970
        zero = origin
        let (time, overflow) = line.microsecondsSince1970.subtractingReportingOverflow(origin)
        guard !overflow, time.magnitude <= Timeline.timeLimit.magnitude, !fold(line, at: time)
        else {
            return
        }
        guard events.count < Timeline.packetLimit else { return leftOut += 1 }
        if let advertiser = line.advertiser, reports.count < Self.advertiserLimit {
            reports[advertiser] = events.count
        }
        events.append(line.event(at: time, device: device, bytes: packet))
    }

    /// Returns whether the line is one more report of an advertiser that was received shortly
    /// before.
    private mutating func fold(_ line: TraceLine, at time: Int64) -> Bool {
        guard let advertiser = line.advertiser, let index = reports[advertiser] else {
            return false
        }
        return events[index].fold(at: time, gap: Self.repetitionGap)
    }
}

extension TraceLine {
    /// Whether the packet only reports free buffers, which would hide the other packets.
    var isAboutBuffers: Bool {
        layer == .hci && text.hasPrefix("Number Of Completed Packets")
    }

    /// The address of an advertising report.
    fileprivate var advertiser: Substring? {
        guard layer == .hci, text.hasPrefix("LE "), text.contains("Advertising Report"),
            let range = text.firstRange(of: "address=")
        else { return nil }
        return text[range.upperBound...].prefix { $0 != "," }
    }

    /// Returns the event of the packet on the row of a device.
    ///
    /// - Parameter bytes: The HCI packet.
    func event(at time: Int64, device: Int, bytes: ArraySlice<UInt8>) -> Timeline.Event {
        Timeline.Event(
            microseconds: time,
            device: device,
            lane: .packet,
            text: isMalformed ? "malformed: \(text)" : text,
            detail: connection.map { "connection \($0)" },
            packet: Timeline.Packet(
                isSent: direction == .sent,
                layer: layer,
                bytes: Array(bytes.prefix(Timeline.Packet.byteLimit))
            )
        )
    }
}
