// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// The information about a bonded client that a server stores between connections and across
/// restarts (Vol 3, Part G, 2.5.2.1, 3.3.3.3 and 7.2).
package struct ClientRecord: Hashable, Sendable {
    /// A Client Characteristic Configuration that is not zero, with the UUIDs of its service and
    /// characteristic. After a change of the database, the handle may belong to another
    /// characteristic. The UUIDs ensure that the subscription does not apply to that
    /// characteristic.
    package struct Configuration: Hashable, Sendable {
        package var bits: UInt16
        package var service: BluetoothUUID
        package var characteristic: BluetoothUUID

        package init(bits: UInt16, service: BluetoothUUID, characteristic: BluetoothUUID) {
            self.bits = bits
            self.service = service
            self.characteristic = characteristic
        }
    }

    /// The Client Characteristic Configurations that are not zero, keyed by the handle of the
    /// descriptor.
    package var configurations: [AttributeHandle: Configuration] = [:]

    /// The value of Client Supported Features.
    package var supportedFeatures: UInt8 = 0

    /// The hash of the latest database for which the client was change-aware, or `nil` if there is
    /// none.
    package var knownHash: [UInt8]?

    /// The counter of the last command with a valid signature, or `nil` if there was none (Vol 3,
    /// Part H, 2.4.5).
    package var lastSignCounter: UInt32?

    package init() {}
}
