// SPDX-License-Identifier: Apache-2.0

extension GATT {
    /// How an operation ended well.
    package enum Outcome: Equatable, Sendable {
        /// There is nothing more to say.
        case done
        /// The MTU of the bearer, in octets.
        case mtu(Int)
        /// Services in the order of their handles.
        case services([Service])
        /// References in the order of their handles.
        case includedServices([IncludedService])
        /// Characteristics in the order of their handles.
        case characteristics([Characteristic])
        /// Descriptors in the order of their handles.
        case descriptors([Descriptor])
        /// The octets of one value, or of several without anything between them.
        case value([UInt8])
        /// Values with their attributes, in the order of the answer.
        case values([AttributeValue])
    }
}
