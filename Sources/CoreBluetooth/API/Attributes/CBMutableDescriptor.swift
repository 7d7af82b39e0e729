// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import Foundation

/// A descriptor of a characteristic that the app publishes: the Characteristic User Description
/// (2901, a `String`) or the Characteristic Presentation Format (2904, `Data`). An app cannot
/// publish other descriptors.
open class CBMutableDescriptor: CBDescriptor {
    /// Creates a descriptor with a constant value.
    ///
    /// - Precondition: The type is 2901 with a `String` or 2904 with `Data`. As with Apple's class,
    ///   any other combination ends the process.
    public init(type UUID: CBUUID, value: Any?) {
        if DescriptorValue.bytes(of: UUID.value, value: value) == nil {
            let shown = value.map { "\($0)" } ?? "nil"
            Misuse.stop("Descriptor \(UUID.uuidString) cannot be published with the value \(shown)")
        }
        super.init(published: UUID, value: value)
    }
}
