// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A descriptor of a characteristic to be published: one that describes it in words (2901, a
/// String), or that says what its octets mean (2904, Data). The others the system adds itself.
open class CBMutableDescriptor: CBDescriptor {
    /// Makes a descriptor with a value that does not change.
    ///
    /// - Precondition: The type is 2901 or 2904 and the value of the type that goes with it; any
    ///   other traps, as it does on Apple's.
    public init(type UUID: CBUUID, value: Any?) {
        if DescriptorValue.octets(of: UUID.value, value: value) == nil {
            let shown = value.map { "\($0)" } ?? "nil"
            Misuse.stop("Descriptor \(UUID.uuidString) cannot be published with the value \(shown)")
        }
        super.init(published: UUID, value: value)
    }
}
