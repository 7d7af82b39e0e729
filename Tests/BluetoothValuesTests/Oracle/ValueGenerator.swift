// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import LanyardTestSupport

@testable import BluetoothValues

/// Random values of a layout: most have its length, some are cut or extended.
struct ValueGenerator {
    var generator: SplitMix64
    /// Whether bits without a meaning are random. Otherwise they are 0.
    let setsReservedBits: Bool

    init(seed: UInt64, setsReservedBits: Bool = true) {
        generator = SplitMix64(seed: seed)
        self.setsReservedBits = setsReservedBits
    }

    mutating func value(of layout: ValueLayout) -> Data {
        var data = Data()
        var selector: Int64 = 0
        for (index, field) in layout.fields.enumerated() {
            if case .ifBytesRemain = field.condition {
                guard Bool.random(using: &generator) else { break }
            } else if !field.condition.holds(selector, isAtEnd: false) {
                continue
            }
            let bytes = bytes(of: field)
            if index == layout.selectorIndex { selector = number(bytes.prefix(6)) }
            data.append(bytes)
        }
        switch Int.random(in: 0..<16, using: &generator) {
        case 0 where !data.isEmpty: data.removeLast()
        case 1: data.append(UInt8.random(in: .min ... .max, using: &generator))
        default: break
        }
        return data
    }

    private func number(_ bytes: Data) -> Int64 {
        bytes.reversed().reduce(0) { $0 << 8 | Int64($1) }
    }

    private mutating func bytes(of field: FieldLayout) -> Data {
        switch field.kind {
        case .unsigned(let count), .signed(let count): return number(bytes: count, of: field)
        case .enumeration(let count):
            let known = field.meanings.keys.sorted().randomElement(using: &generator) ?? 0
            if isLikely { return encode(known, count) }
            return Bool.random(using: &generator)
                ? encode(known + Int64.random(in: -1...1, using: &generator), count) : random(count)
        case .bits(let count):
            let bits = random(count)
            return setsReservedBits ? bits : encode(number(bits) & field.namedBits, count)
        case .presence(let count): return random(count)
        case .list(let count, _): return random(count * Int.random(in: 0...4, using: &generator))
        case .medfloat(let count):
            guard Int.random(in: 0..<16, using: &generator) == 0 else { return random(count) }
            // The special numbers are between the largest mantissa and the smallest.
            let first: Int64 = count == 2 ? 0x7FE : 0x7F_FFFE
            return encode(first + Int64.random(in: 0...4, using: &generator), count)
        case .float32: return random(4)
        case .text(let count): return text(count)
        case .terminatedText: return text(nil) + [0]
        case .date: return date
        case .uuid: return random(Bool.random(using: &generator) ? 2 : 16)
        case .bytes(let count): return random(count ?? Int.random(in: 0...8, using: &generator))
        }
    }

    /// A random Boolean value that is `true` three times out of four.
    private var isLikely: Bool { mutating get { Int.random(in: 0..<4, using: &generator) > 0 } }

    private mutating func number(bytes count: Int, of field: FieldLayout) -> Data {
        let range = field.range ?? field.kind.range
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: return Data(repeating: 0xFF, count: count)
        case 1: return encode(field.meanings.keys.sorted().first ?? 0, count)
        case 2: return encode(edge(of: range), count)
        case 3...4: return encode(Int64.random(in: range, using: &generator), count)
        default: return random(count)
        }
    }

    /// Returns the first or last number of a range, or the adjacent number outside the range.
    private mutating func edge(of range: ClosedRange<Int64>) -> Int64 {
        Bool.random(using: &generator)
            ? range.lowerBound - Int64.random(in: 0...1, using: &generator)
            : range.upperBound + Int64.random(in: 0...1, using: &generator)
    }

    private func encode(_ number: Int64, _ count: Int) -> Data {
        withUnsafeBytes(of: number.littleEndian) { Data($0.prefix(count)) }
    }

    private mutating func random(_ count: Int) -> Data {
        Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    private mutating func text(_ count: Int?) -> Data {
        let length = count ?? Int.random(in: 0...12, using: &generator)
        let letters = Array("abc XYZ-09äß€".utf8)
        var data = Data()
        while data.count < length { data.append(letters[data.count % letters.count]) }
        if isLikely, String(validating: data, as: UTF8.self) != nil { return data }
        return isLikely ? Data(repeating: UInt8(ascii: "a"), count: length) : random(length)
    }

    private var date: Data {
        mutating get {
            guard isLikely else { return random(7) }
            var writer = ValueWriter()
            writer.write(
                UInt16.random(in: 1970...2100, using: &generator),
                UInt8.random(in: 1...12, using: &generator),
                UInt8.random(in: 1...28, using: &generator),
                UInt8.random(in: 0...23, using: &generator),
                UInt8.random(in: 0...59, using: &generator),
                UInt8.random(in: 0...59, using: &generator)
            )
            return writer.data
        }
    }
}
