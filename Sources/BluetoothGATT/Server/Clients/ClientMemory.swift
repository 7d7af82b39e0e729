// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// What a server keeps of a bonded client from one connection to the next, over restarts too
/// (Vol 3, Part G, 2.5.2.1, 3.3.3.3 and 7.2).
package struct ClientMemory: Hashable, Sendable {
    /// The Client Characteristic Configurations that are not zero, by the handle of the descriptor.
    package var configurations: [AttributeHandle: UInt16] = [:]

    /// The octet of Client Supported Features.
    package var supportedFeatures: UInt8 = 0

    /// The hash of the table that the client knows; nil if it knows none that is whole.
    package var knownHash: [UInt8]?

    package init() {}
}
