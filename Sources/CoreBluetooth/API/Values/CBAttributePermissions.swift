// SPDX-License-Identifier: Apache-2.0

/// What a central may do with the value of a characteristic that is published here. The system
/// checks it before the application is asked (Vol 3, Part F, 3.2.5).
public struct CBAttributePermissions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Makes the set of these bits.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// It may be read.
    public static var readable: CBAttributePermissions { .init(rawValue: 0x1) }
    /// It may be written.
    public static var writeable: CBAttributePermissions { .init(rawValue: 0x2) }
    /// It may be read on an encrypted link.
    public static var readEncryptionRequired: CBAttributePermissions { .init(rawValue: 0x4) }
    /// It may be written on an encrypted link.
    public static var writeEncryptionRequired: CBAttributePermissions { .init(rawValue: 0x8) }
}
