// SPDX-License-Identifier: Apache-2.0

/// The condition under which a field is present.
enum FieldCondition: Hashable, Sendable {
    /// The field is always present.
    case always
    /// The field is present if bytes remain.
    case ifBytesRemain
    /// The field is present if the flags have all bits of `set` and no bits of `clear`.
    case bits(set: Int64, clear: Int64)
    /// The field is present if the first field contains this number.
    case selected(Int64)

    /// Returns whether the field is present. `selector` is the content of the flags, or of the
    /// first field if there are no flags.
    func holds(_ selector: Int64, isAtEnd: Bool) -> Bool {
        switch self {
        case .always: true
        case .ifBytesRemain: !isAtEnd
        case .bits(let set, let clear): selector & set == set && selector & clear == 0
        case .selected(let number): selector == number
        }
    }

    /// Changes the flags in `selector` so that the field is present.
    func require(in selector: inout Int64) {
        guard case .bits(let set, let clear) = self else { return }
        selector = selector & ~clear | set
    }

    /// Changes the flags in `selector` so that the field is absent. Only a field that needs no set
    /// bit requires a change: any other field is absent until its bits are set.
    func exclude(in selector: inout Int64) {
        guard case .bits(0, let clear) = self, holds(selector, isAtEnd: false) else { return }
        selector |= clear
    }
}

/// A part of a field of bits: a single bit, or several bits that form a number.
struct BitField: Hashable, Sendable {
    let lowest: Int
    let count: Int
    /// The name of the part; for a single bit, its meaning when it is set.
    let name: String
    /// The meanings of the numbers 0, 1, 2 and so on; empty if the numbers have no meanings.
    let meanings: [String]

    private var mask: Int64 { (1 << count - 1) << lowest }

    /// Returns the number in the part.
    func number(in bits: Int64) -> Int64 { (bits & mask) >> lowest }

    /// Replaces the number in the part.
    func put(_ number: Int64, into bits: inout Int64) {
        bits = bits & ~mask | (number << lowest & mask)
    }

    /// Returns the text of the part; `nil` for a single bit that is clear.
    func describe(_ bits: Int64) -> String? {
        let number = number(in: bits)
        guard count > 1 else { return number == 1 ? name : nil }
        let meaning = meanings.indices.contains(Int(number)) ? meanings[Int(number)] : "\(number)"
        return "\(name) \(meaning)"
    }
}
