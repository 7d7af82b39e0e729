// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension GATT {
    /// What may be done with an attribute, and by whom. Permissions are a server's own business:
    /// no client can read them.
    public struct Permissions: Hashable, Sendable {
        /// Who may read; nil for nobody.
        public var read: SecurityRequirement?

        /// Who may write; nil for nobody.
        public var write: SecurityRequirement?

        /// Whom a characteristic's value is notified and indicated to; nil for whoever may read,
        /// or, if nobody may, for everybody. Without meaning on other attributes.
        public var subscribe: SecurityRequirement?

        /// Everybody may read, nobody write.
        public static let readable = Permissions(read: .open)

        /// Makes permissions; what is left out is not permitted.
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
