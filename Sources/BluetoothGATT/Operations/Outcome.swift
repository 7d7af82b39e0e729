// SPDX-License-Identifier: Apache-2.0

extension GATT {
    /// The result of a successful operation.
    package enum Outcome: Equatable, Sendable {
        /// The operation has no further result.
        case done
        /// The MTU of the bearer in bytes.
        case mtu(Int)
        /// Services in the order of their handles.
        case services([Service])
        /// Include declarations in the order of their handles.
        case includedServices([IncludedService])
        /// Characteristics in the order of their handles.
        case characteristics([Characteristic])
        /// Descriptors in the order of their handles.
        case descriptors([Descriptor])
        /// The bytes of one value, or of several concatenated values.
        case value([UInt8])
        /// Values with their attributes, in the order of the response.
        case values([AttributeValue])
    }
}
