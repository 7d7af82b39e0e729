// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothHCI

@Suite("Events") struct EventCodecTests {
    private func decode(_ h4: String) throws -> HCI.Event {
        let bytes = try #require([UInt8](hexadecimal: h4))
        guard case .event(let code, let parameters) = try HCI.Packet(h4: bytes[...]) else {
            throw MalformedBytes.invalid(field: "packet type")
        }
        return try HCI.Event(code: code, parameters: parameters)
    }

    @Test("encode to the bytes that other implementations read", arguments: EventSample.all)
    func encode(sample: EventSample) {
        #expect(sample.event.packet.h4Bytes.hexadecimal == sample.h4)
    }

    @Test("decode to what was encoded", arguments: EventSample.all)
    func decode(sample: EventSample) throws {
        #expect(try decode(sample.h4) == sample.event)
    }

    @Test("refuse every truncation and every byte too many", arguments: EventSample.all)
    func refuseWrongLengths(sample: EventSample) throws {
        guard case .event(let code, let parameters) = sample.event.packet else { return }
        // Command Complete ends with whatever the command returns.
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

    @Test("survive random parameters, and print") func surviveRandomBytes() {
        var generator = SplitMix64(seed: 3)
        for _ in 0..<5_000 {
            let isLE = Bool.random(using: &generator)
            let code = isLE ? .leMeta : HCI.EventCode(rawValue: UInt8(generator.next() & 0x5F))
            var bytes = generator.bytes(Int.random(in: 0...60, using: &generator))
            if !bytes.isEmpty { bytes[0] &= 0x2F }
            _ = try? HCI.Event(code: code, parameters: bytes[...])
            _ = HCI.describe(.event(code: code, parameters: bytes[...]))
        }
    }

    @Test("without a type here are kept whole") func unknown() throws {
        let vendor = try HCI.Event(code: .vendor, parameters: [1, 2, 3])
        #expect(vendor == .unknown(.vendor, nil, parameters: [1, 2, 3]))
        let subevent = HCI.LESubeventCode(rawValue: 0x7F)
        let le = try HCI.Event(code: .leMeta, parameters: [0x7F, 9])
        #expect(le == .unknown(.leMeta, subevent, parameters: [9]))
        #expect(le.packet.h4Bytes == [0x04, 0x3E, 2, 0x7F, 9])
    }

    @Test(
        "whose counts lie are malformed",
        arguments: [
            "04130802" + "40000200" + "410001",  // An octet less than the count says.
            "04130a02" + "40000200" + "41000100" + "00",  // An octet more than the count says.
            "041305ff" + "40000200",  // 255 links in four octets.
            "043e0c02ff00000100000000f0c400",  // 255 reports in one.
            "043e0f0201000101000000f0c4ff020106c4",  // 255 octets of data in three.
            "043e020201",  // A report without a single octet.
            "043e00",  // An LE event without its code.
        ]
    )
    func lies(h4: String) {
        #expect(throws: MalformedBytes.self) { try decode(h4) }
    }

    @Test("with no entries at all are read") func empty() throws {
        #expect(try decode("04130100") == .numberOfCompletedPackets(.init(completed: [])))
        #expect(try decode("043e020200") == .advertisingReports([]))
    }

    @Test("ignore the reserved bits of a connection handle") func reservedHandleBits() throws {
        let event = HCI.DisconnectionComplete(
            status: .success,
            connectionHandle: Sample.link,
            reason: .remoteUserTerminatedConnection
        )
        #expect(try decode("0405040040f013") == .disconnectionComplete(event))
    }

    @Test("share the storage of the packet they were read from") func slices() throws {
        let bytes = try #require([UInt8](hexadecimal: EventSample.advertising[0].h4))
        guard case .event(let code, let parameters) = try HCI.Packet(h4: bytes[...]),
            case .advertisingReports(let reports) =
                try HCI.Event(code: code, parameters: parameters)
        else {
            Issue.record("not a report")
            return
        }
        #expect(reports[0].data.startIndex == 14)
        #expect(reports[0].data == [2, 1, 6])
        #expect(reports[1].data.isEmpty)
    }
}

@Suite("The type of an extended report") struct ExtendedReportTypeTests {
    @Test("is read bit by bit") func bits() {
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
