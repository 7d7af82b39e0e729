// SPDX-License-Identifier: Apache-2.0

/// The requests that centrals may make for the value of a published characteristic. The system
/// checks these permissions before the app gets a request (Vol 3, Part F, 3.2.5).
public struct CBAttributePermissions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Creates a set from its bits.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// The value may be read.
    public static var readable: CBAttributePermissions { .init(rawValue: 0x1) }
    /// The value may be written.
    public static var writeable: CBAttributePermissions { .init(rawValue: 0x2) }
    /// The value may be read on an encrypted link only, even if `readable` is set too.
    public static var readEncryptionRequired: CBAttributePermissions { .init(rawValue: 0x4) }
    /// The value may be written on an encrypted link only, even if `writeable` is set too.
    public static var writeEncryptionRequired: CBAttributePermissions { .init(rawValue: 0x8) }
}
