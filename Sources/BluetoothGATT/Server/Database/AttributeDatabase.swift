// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// A server's table of attributes, in the order of their handles.
package struct AttributeDatabase: Sendable {
    /// All attributes, by ascending handle.
    package private(set) var attributes: [Attribute] = []

    package init() {}

    /// The attribute with this handle; nil if there is none.
    package func attribute(_ handle: AttributeHandle) -> Attribute? {
        let index = firstIndex(notBefore: handle)
        guard index < attributes.count, attributes[index].handle == handle else { return nil }
        return attributes[index]
    }

    /// The attributes whose handles lie in this range.
    package func attributes(in range: ClosedRange<AttributeHandle>) -> ArraySlice<Attribute> {
        let start = firstIndex(notBefore: range.lowerBound)
        let end = range.upperBound.next.map(firstIndex(notBefore:)) ?? attributes.count
        return attributes[start..<end]
    }

    private func firstIndex(notBefore handle: AttributeHandle) -> Int {
        var low = 0
        var high = attributes.count
        while low < high {
            let middle = (low + high) / 2
            if attributes[middle].handle < handle { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
