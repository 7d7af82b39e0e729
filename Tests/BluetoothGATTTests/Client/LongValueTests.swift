// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes
import Testing

@testable import BluetoothGATT

/// Values with lengths around the boundaries of a PDU, read and written.
@Suite("Long values")
struct LongValueTests {
    private static let lengths = [
        0, 1, 17, 18, 19, 21, 22, 23, 36, 44, 45, 183, 184, 246, 492, 511, 512,
    ]
    private static let handle = AttributeHandle(24)

    private static func value(_ length: Int) -> [UInt8] {
        (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    }

    private func pair(mtu: Int, value: [UInt8] = []) throws -> Pair {
        var pair = Pair(Accessory.server(longValue: value), receiveMTU: mtu)
        if mtu > 23 { _ = try pair.succeed(.exchangeMTU) }
        return pair
    }

    @Test("A value of any length is read completely at any MTU", arguments: lengths)
    func readLong(length: Int) throws {
        let value = Self.value(length)
        for mtu in ExplorationTests.mtus {
            for end in TableServer.EndOfValue.allCases {
                var pair = try pair(mtu: mtu, value: value)
                pair.server.endOfValue = end
                #expect(try pair.succeed(.readLong(Self.handle)) == .value(value))
            }
        }
    }

    @Test("A long read continues after a part that fills the MTU, even if the MTU has shrunk")
    func readLongAcrossSmallerMTU() throws {
        var read = ReadLongCharacteristicValues(handle: Self.handle)
        _ = read.begin(mtu: 100)
        let value = Self.value(60)
        func part(_ range: Range<Int>) -> ATT.PDU { .readBlobResponse(.init(value: value[range])) }
        // The server responds after a second MTU exchange has made the MTU smaller.
        let first = try read.receive(.readResponse(.init(value: value[0..<49])), mtu: 50)
        guard case .send = first else { return #expect(Bool(false), "\(first)") }
        guard case .complete(.value(value)) = try read.receive(part(49..<60), mtu: 50) else {
            return #expect(Bool(false), "The value is incomplete")
        }
    }

    @Test("A short read sends one request and returns the part that fits")
    func readShort() throws {
        var pair = try pair(mtu: 23, value: Self.value(100))
        #expect(try pair.succeed(.read(Self.handle)) == .value(Array(Self.value(100).prefix(22))))
        #expect(pair.sent.count == 1)
    }

    @Test("A value of any length is written completely at any MTU", arguments: lengths)
    func writeLong(length: Int) throws {
        let value = Self.value(length)
        for mtu in ExplorationTests.mtus {
            var pair = try pair(mtu: mtu)
            #expect(try pair.succeed(.writeLong(Self.handle, offset: 0, value)) == .done)
            #expect(pair.server.value(Self.handle) == value)
            #expect(pair.server.prepared.isEmpty)
        }
    }

    @Test("A value is written from an offset")
    func writeLongFromOffset() throws {
        var pair = try pair(mtu: 23, value: Self.value(30))
        #expect(try pair.succeed(.writeLong(Self.handle, offset: 10, Self.value(50))) == .done)
        let expected = Array(Self.value(30).prefix(10)) + Self.value(50)
        #expect(pair.server.value(Self.handle) == expected)
    }

    @Test("Reliable writes change all values together, including long values")
    func reliableWrites() throws {
        var pair = try pair(mtu: 23)
        let values: [GATT.AttributeValue] = [
            .init(handle: .init(20), value: [42]),
            .init(handle: Self.handle, value: Self.value(40)),
        ]
        #expect(try pair.succeed(.reliableWrite(values)) == .done)
        #expect(pair.server.value(.init(20)) == [42])
        #expect(pair.server.value(Self.handle) == Self.value(40))
    }

    @Test("A prepared write with a corrupted echo is not executed", arguments: [0, 1, 2])
    func damagedEcho(number: Int) throws {
        for operation in [
            GATT.Operation.writeLong(Self.handle, offset: 0, Self.value(40)),
            .reliableWrite([.init(handle: Self.handle, value: Self.value(40))]),
        ] {
            var pair = try pair(mtu: 23, value: [1])
            pair.server.corruptedEcho = number
            #expect(try pair.run(operation) == .failure(.echoMismatch(handle: Self.handle)))
            #expect(pair.server.value(Self.handle) == [1])
            #expect(pair.server.prepared.isEmpty)
        }
    }

    @Test("A value beyond the maximum length is not sent")
    func tooLong() throws {
        var pair = try pair(mtu: 23)
        let long = Self.value(513)
        #expect(
            try pair.run(.writeLong(Self.handle, offset: 0, long))
                == .failure(.valueTooLong(limit: 512))
        )
        #expect(
            try pair.run(.writeLong(Self.handle, offset: 500, Self.value(13)))
                == .failure(.valueTooLong(limit: 12))
        )
        #expect(
            try pair.run(.reliableWrite([.init(handle: Self.handle, value: long)]))
                == .failure(.valueTooLong(limit: 512))
        )
        #expect(
            try pair.run(.write(Self.handle, Self.value(21)))
                == .failure(.valueTooLong(limit: 20))
        )
        #expect(
            try pair.run(.writeWithoutResponse(Self.handle, Self.value(21)))
                == .failure(.valueTooLong(limit: 20))
        )
        #expect(pair.sent.isEmpty)
    }

    @Test("An operation with an invalid number of handles or an invalid offset is not sent")
    func inexpressible() throws {
        var pair = try pair(mtu: 23)
        let tooMany = (1...12).map { AttributeHandle(UInt16($0)) }
        for operation in [
            GATT.Operation.readMultiple([]), .readMultiple([.init(3)]), .readMultiple(tooMany),
            .readMultipleVariable([.init(3)]), .readMultipleVariable(tooMany),
            .reliableWrite([]), .writeLong(Self.handle, offset: -1, [1]),
            .writeLong(Self.handle, offset: 513, []),
        ] {
            guard case .failure(.invalidOperation) = try pair.run(operation) else {
                Issue.record("\(operation) is carried out")
                continue
            }
        }
        #expect(pair.sent.isEmpty)
    }

    @Test("A value up to the MTU is written with and without a response")
    func writeUpToMTU() throws {
        var pair = try pair(mtu: 185)
        #expect(try pair.succeed(.write(Self.handle, Self.value(182))) == .done)
        #expect(pair.server.value(Self.handle) == Self.value(182))
        #expect(try pair.succeed(.writeWithoutResponse(Self.handle, Self.value(180))) == .done)
        #expect(pair.server.value(Self.handle) == Self.value(180))
    }
}
