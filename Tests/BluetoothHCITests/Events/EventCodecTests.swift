// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothHCI

@Suite("HCI events") struct EventCodecTests {
    private func decode(_ h4: String) throws -> HCI.Event {
        let bytes = try #require([UInt8](hexadecimal: h4))
        guard case .event(let code, let parameters) = try HCI.Packet(h4: bytes[...]) else {
            throw MalformedBytes.invalid(field: "packet type")
        }
        return try HCI.Event(code: code, parameters: parameters)
    }

    @Test("Events encode to the bytes that other implementations read", arguments: EventSample.all)
    func encode(sample: EventSample) {
        #expect(sample.event.packet.h4Bytes.hexadecimal == sample.h4)
    }

    @Test("Events decode to the value that was encoded", arguments: EventSample.all)
    func decode(sample: EventSample) throws {
        #expect(try decode(sample.h4) == sample.event)
    }

    @Test("Events refuse every truncation and any additional byte", arguments: EventSample.all)
    func refuseWrongLengths(sample: EventSample) throws {
        guard case .event(let code, let parameters) = sample.event.packet else { return }
        // The return parameters at the end of Command Complete may have any length.
        let fixed = code == .commandComplete ? 3 : parameters.count
        for length in 0..<fixed {
            #expect(throws: MalformedBytes.self) {
                try HCI.Event(code: code, parameters: parameters.prefix(length))
            }
        }
        guard code != .commandComplete else { return }
        #expect(throws: MalformedBytes.trailing(count: 1)) {
            try HCI.Event(code: code, parameters: parameters + [0])
        }
    }

    @Test(
        "Decoding and printing an event with random parameters never traps",
        arguments: RunSeed.seeds(1)
    )
    func surviveRandomBytes(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<5_000 {
            let isLE = Bool.random(using: &generator)
            let code = isLE ? .leMeta : HCI.EventCode(rawValue: UInt8(generator.next() & 0x5F))
            var bytes = generator.bytes(Int.random(in: 0...60, using: &generator))
            if !bytes.isEmpty { bytes[0] &= 0x2F }
            _ = try? HCI.Event(code: code, parameters: bytes[...])
            _ = HCI.describe(.event(code: code, parameters: bytes[...]))
        }
    }

    @Test("An event of unknown type is kept whole") func unknown() throws {
        let vendor = try HCI.Event(code: .vendor, parameters: [1, 2, 3])
        #expect(vendor == .unknown(.vendor, nil, parameters: [1, 2, 3]))
        let subevent = HCI.LESubeventCode(rawValue: 0x7F)
        let le = try HCI.Event(code: .leMeta, parameters: [0x7F, 9])
        #expect(le == .unknown(.leMeta, subevent, parameters: [9]))
        #expect(le.packet.h4Bytes == [0x04, 0x3E, 2, 0x7F, 9])
    }

    @Test(
        "An event with a wrong count or missing bytes is malformed",
        arguments: [
            "04130802" + "40000200" + "410001",  // One byte less than the count requires.
            "04130a02" + "40000200" + "41000100" + "00",  // One byte more than the count requires.
            "041305ff" + "40000200",  // 255 links in four bytes.
            "043e0c02ff00000100000000f0c400",  // 255 reports in one.
            "043e0f0201000101000000f0c4ff020106c4",  // 255 bytes of data in three.
            "043e020201",  // A report without any bytes.
            "043e00",  // An LE event without its code.
        ]
    )
    func wrongCounts(h4: String) {
        #expect(throws: MalformedBytes.self) { try decode(h4) }
    }

    @Test("Entries of Number Of Completed Packets are read one by one, and wrong lengths throw")
    func completedPackets() throws {
        func read(_ bytes: [UInt8]) throws -> [HCI.CompletedPackets] {
            Array(try HCI.NumberOfCompletedPackets.Entries(of: bytes[...]))
        }
        let (one, other) = (ConnectionHandle(rawValue: 0x40), ConnectionHandle(rawValue: 0x41))
        let bytes: [UInt8] = [2, 0x40, 0, 3, 0, 0x41, 0, 1, 1]
        #expect(
            try read(bytes) == [
                .init(connectionHandle: one, count: 3), .init(connectionHandle: other, count: 257),
            ]
        )
        #expect(try read([0]) == [])
        for count in 0..<bytes.count {
            #expect(throws: MalformedBytes.self) { try read(Array(bytes.prefix(count))) }
        }
        #expect(throws: MalformedBytes.trailing(count: 1)) { try read(bytes + [0]) }
    }

    @Test("An event without entries decodes") func empty() throws {
        #expect(try decode("04130100") == .numberOfCompletedPackets(.init(completed: [])))
        #expect(try decode("043e020200") == .advertisingReports([]))
    }

    @Test("An event ignores the reserved bits of a connection handle")
    func reservedHandleBits() throws {
        let event = HCI.DisconnectionComplete(
            status: .success,
            connectionHandle: Sample.link,
            reason: .remoteUserTerminatedConnection
        )
        #expect(try decode("0405040040f013") == .disconnectionComplete(event))
    }

    @Test("The data of a report shares the storage of its packet") func slices() throws {
        let bytes = try #require([UInt8](hexadecimal: EventSample.advertising[0].h4))
        guard case .event(let code, let parameters) = try HCI.Packet(h4: bytes[...]),
            case .advertisingReports(let reports) =
                try HCI.Event(code: code, parameters: parameters)
        else {
            Issue.record("The event is not a report")
            return
        }
        #expect(reports[0].data.startIndex == 14)
        #expect(reports[0].data == [2, 1, 6])
        #expect(reports[1].data.isEmpty)
    }
}

@Suite("Event type of an extended advertising report") struct ExtendedReportTypeTests {
    @Test("Each bit of the event type is decoded") func bits() {
        let legacy = HCI.ExtendedReportType(rawValue: 0x0013)
        #expect(legacy.isConnectable && legacy.isScannable && legacy.isLegacy)
        #expect(!legacy.isDirected && !legacy.isScanResponse)
        #expect(legacy.dataStatus == .complete)
        #expect(HCI.ExtendedReportType(rawValue: 0x0020).dataStatus == .incomplete)
        #expect(HCI.ExtendedReportType(rawValue: 0x0040).dataStatus == .truncated)
        #expect(HCI.ExtendedReportType(rawValue: 0xFFFF).dataStatus == .reserved)
        let directed = HCI.ExtendedReportType(rawValue: 0x002C)
        #expect("\(directed)" == "extended directed scan response incomplete")
    }
}
