// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A parameter in which each bit is a flag. Bits without a name are kept.
package protocol BitSet: OptionSet, HCIParameters, Hashable, CustomStringConvertible
where RawValue: FixedWidthInteger & HCIParameters {
    /// The names for printing, keyed by the value in which only the named bit is set.
    static var bitNames: [RawValue: String] { get }
}

extension BitSet {
    package static var bitNames: [RawValue: String] { [:] }

    /// The names of the set bits, joined by `+`. The value in hexadecimal if no bit is set or a set
    /// bit has no name.
    package var description: String {
        let bits = (0..<RawValue.bitWidth).map { 1 << $0 as RawValue }.filter { rawValue & $0 != 0 }
        let names = bits.compactMap { Self.bitNames[$0] }
        guard !bits.isEmpty, names.count == bits.count else {
            return "0x" + rawValue.hexadecimal(digits: RawValue.bitWidth / 4)
        }
        return names.joined(separator: "+")
    }
}
