// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation

extension UUID {
    /// Creates the UUID by which the application knows the peer.
    package init(_ peer: PeerIdentifier) {
        let bytes = peer.bytes
        self.init(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6],
                bytes[7], bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13],
                bytes[14], bytes[15]
            )
        )
    }
}

extension PeerIdentifier {
    /// Creates the identifier of the peer that the application knows by `identifier`.
    package init(_ identifier: UUID) {
        self.init(bytes: withUnsafeBytes(of: identifier.uuid) { Array($0) })
    }
}
