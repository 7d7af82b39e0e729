// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

/// Values of every length around the edges of a PDU, to and fro.
@Suite struct LongValueTests {
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

    @Test("A value is read whole, whatever its length and the MTU", arguments: lengths)
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

    @Test("A short read takes one request and what fits")
    func readShort() throws {
        var pair = try pair(mtu: 23, value: Self.value(100))
        #expect(try pair.succeed(.read(Self.handle)) == .value(Array(Self.value(100).prefix(22))))
        #expect(pair.sent.count == 1)
    }

    @Test("A value is written whole, whatever its length and the MTU", arguments: lengths)
    func writeLong(length: Int) throws {
        let value = Self.value(length)
        for mtu in ExplorationTests.mtus {
            var pair = try pair(mtu: mtu)
            #expect(try pair.succeed(.writeLong(Self.handle, offset: 0, value)) == .done)
            #expect(pair.server.value(Self.handle) == value)
            #expect(pair.server.prepared.isEmpty)
        }
    }

    @Test("A value is written from an offset on")
    func writeLongFromOffset() throws {
        var pair = try pair(mtu: 23, value: Self.value(30))
        #expect(try pair.succeed(.writeLong(Self.handle, offset: 10, Self.value(50))) == .done)
        let expected = Array(Self.value(30).prefix(10)) + Self.value(50)
        #expect(pair.server.value(Self.handle) == expected)
    }

    @Test("Reliable writes change all values together, long ones too")
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

    @Test("What comes back damaged is not written", arguments: [0, 1, 2])
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

    @Test("A value that no attribute can have is not sent")
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

    @Test("An operation that ATT cannot express is not sent")
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

    @Test("The whole MTU can be written with one request, and with none")
    func writeUpToMTU() throws {
        var pair = try pair(mtu: 185)
        #expect(try pair.succeed(.write(Self.handle, Self.value(182))) == .done)
        #expect(pair.server.value(Self.handle) == Self.value(182))
        #expect(try pair.succeed(.writeWithoutResponse(Self.handle, Self.value(180))) == .done)
        #expect(pair.server.value(Self.handle) == Self.value(180))
    }
}
