// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// What a server keeps of a bonded client from one connection to the next, over restarts too
/// (Vol 3, Part G, 2.5.2.1, 3.3.3.3 and 7.2).
package struct ClientMemory: Hashable, Sendable {
    /// A Client Characteristic Configuration that is not zero, and what it belongs to: handles alone
    /// would give a client's subscription to whatever has the handle after a change.
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

    /// The Client Characteristic Configurations that are not zero, by the handle of the descriptor.
    package var configurations: [AttributeHandle: Configuration] = [:]

    /// The octet of Client Supported Features.
    package var supportedFeatures: UInt8 = 0

    /// The hash of the table that the client knows; nil if it knows none that is whole.
    package var knownHash: [UInt8]?

    /// The counter of the last command whose signature was good; nil if there was none
    /// (Vol 3, Part H, 2.4.5).
    package var lastSignCounter: UInt32?

    package init() {}
}
