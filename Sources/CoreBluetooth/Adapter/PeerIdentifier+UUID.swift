// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation

extension UUID {
    /// Makes the UUID by which the application knows the peer.
    init(_ peer: PeerIdentifier) {
        let octets = peer.bytes
        self.init(
            uuid: (
                octets[0], octets[1], octets[2], octets[3], octets[4], octets[5], octets[6],
                octets[7], octets[8], octets[9], octets[10], octets[11], octets[12], octets[13],
                octets[14], octets[15]
            )
        )
    }
}

extension PeerIdentifier {
    /// Makes the identifier of the peer that the application knows by `identifier`.
    init(_ identifier: UUID) {
        self.init(octets: withUnsafeBytes(of: identifier.uuid) { Array($0) })
    }
}
