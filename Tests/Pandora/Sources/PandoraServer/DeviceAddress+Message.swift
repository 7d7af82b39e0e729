// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import GRPCCore

// Addresses in messages: six bytes, the most significant first.
extension DeviceAddress {
    /// Creates an address from the bytes of a message.
    ///
    /// - Throws: `RPCError` unless there are six bytes.
    init(_ bytes: Data, _ kind: Kind) throws {
        guard let address = DeviceAddress(littleEndian: bytes.reversed(), kind: kind) else {
            throw RPCError.invalid("an address has six bytes, not \(bytes.count)")
        }
        self = address
    }

    /// The bytes for a message.
    var messageBytes: Data { Data(littleEndianBytes.reversed()) }
}
