// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension GATT {
    /// The security that clients need to access an attribute. Permissions are internal to a server,
    /// and clients cannot read them.
    public struct Permissions: Hashable, Sendable {
        /// The security required for reading, or `nil` if no client may read.
        public var read: SecurityRequirement?

        /// The security required for writing, or `nil` if no client may write.
        public var write: SecurityRequirement?

        /// The security required to receive notifications and indications of a characteristic's
        /// value.
        ///
        /// `nil` means the requirement for reading, or no requirement if no client may read. The
        /// property has no effect on other attributes.
        public var subscribe: SecurityRequirement?

        /// All clients may read, and no client may write.
        public static let readable = Permissions(read: .open)

        /// Creates permissions. If `read` or `write` is `nil`, no client may read or write. If
        /// `subscribe` is `nil`, the requirement for reading applies.
        public init(
            read: SecurityRequirement? = nil,
            write: SecurityRequirement? = nil,
            subscribe: SecurityRequirement? = nil
        ) {
            self.read = read
            self.write = write
            self.subscribe = subscribe
        }
    }
}
