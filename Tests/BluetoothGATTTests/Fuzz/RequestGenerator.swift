// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import LanyardTestSupport

/// Makes PDUs that a client might send: sensible ones, hostile ones, and sensible ones gone wrong.
struct RequestGenerator {
    var random: SplitMix64
    /// How far the table reaches; now and then a handle lies beyond.
    var lastHandle: UInt16 = 64

    private static let types: [BluetoothUUID] = [
        .init(0x2800), .init(0x2801), .init(0x2802), .init(0x2803), .init(0x2902), .init(0x2A05),
        .init(0x2B29), .init(0x2B2A), .init(0x2A00), .init(0xE001), .init(0xE002),
    ]

    /// The next PDU; nil where what was made cannot be read, for that the bearer answers by itself.
    mutating func next() -> ATT.PDU? {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: try? ATT.PDU(parsing: random.bytes(upTo: 40)[...])
        case 1, 2: mutated()
        default: sensible()
        }
    }

    private mutating func mutated() -> ATT.PDU? {
        var bytes = sensible().encode()
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
        case 1: bytes += random.bytes(upTo: 8)
        default:
            let index = Int.random(in: bytes.indices, using: &random)
            bytes[index] = UInt8.random(in: .min ... .max, using: &random)
        }
        return try? ATT.PDU(parsing: bytes[...])
    }

    private mutating func handle() -> AttributeHandle {
        random.happens(oneIn: 40)
            ? AttributeHandle(UInt16.random(in: .min ... .max, using: &random))
            : AttributeHandle(UInt16.random(in: 1...lastHandle, using: &random))
    }

    private mutating func handles() -> [AttributeHandle] {
        (0..<Int.random(in: 2...6, using: &random)).map { _ in handle() }
    }

    private mutating func range() -> (start: AttributeHandle, end: AttributeHandle) {
        if random.happens(oneIn: 4) { return (.first, .last) }
        let (one, other) = (handle(), handle())
        return random.happens(oneIn: 20) ? (one, other) : (min(one, other), max(one, other))
    }

    private mutating func type() -> BluetoothUUID {
        Self.types.randomElement(using: &random) ?? Self.types[0]
    }

    private mutating func value() -> ArraySlice<UInt8> {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: [UInt8.random(in: 0...3, using: &random), 0]
        case 1: random.bytes(upTo: 500)[...]
        default: random.bytes(upTo: 20)[...]
        }
    }

    private mutating func offset() -> UInt16 {
        random.happens(oneIn: 10)
            ? UInt16.random(in: .min ... .max, using: &random)
            : UInt16.random(in: 0...40, using: &random)
    }

    private mutating func sensible() -> ATT.PDU {
        Bool.random(using: &random) ? reading() : writing()
    }

    private mutating func reading() -> ATT.PDU {
        let (start, end) = range()
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return .readRequest(.init(handle: handle()))
        case 1: return .readBlobRequest(.init(handle: handle(), offset: offset()))
        case 2: return .readMultipleRequest(.init(handles: handles()))
        case 3: return .readMultipleVariableRequest(.init(handles: handles()))
        case 4: return .readByTypeRequest(.init(start: start, end: end, type: type()))
        case 5: return .readByGroupTypeRequest(.init(start: start, end: end, type: type()))
        case 6: return .findInformationRequest(.init(start: start, end: end))
        default:
            return .findByTypeValueRequest(
                .init(start: start, end: end, type: type().short16 ?? 0, value: value())
            )
        }
    }

    private mutating func writing() -> ATT.PDU {
        switch Int.random(in: 0..<7, using: &random) {
        case 0, 1: return .writeRequest(.init(handle: handle(), value: value()))
        case 2: return .writeCommand(.init(handle: handle(), value: value()))
        case 3:
            return .signedWriteCommand(
                .init(handle: handle(), value: value(), signature: random.bytes(12)[...])
            )
        case 4, 5:
            return .prepareWriteRequest(
                .init(handle: handle(), offset: offset(), value: value())
            )
        default:
            return .executeWriteRequest(
                .init(flags: random.happens(oneIn: 3) ? .cancelAll : .writeAll)
            )
        }
    }
}
