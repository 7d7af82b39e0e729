// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation

/// A central that is connected to this device, as a `CBPeripheralManager` sees it: once it has
/// subscribed, read or written.
open class CBCentral: CBPeer {
    private let length: Guarded<Int>

    init(identity: UUID, maximumUpdateValueLength: Int) {
        length = Guarded(maximumUpdateValueLength)
        super.init(identity: identity)
    }

    /// How many octets fit into one notification or indication to this central: what is longer is
    /// cut. It grows when the central negotiates a larger MTU.
    open var maximumUpdateValueLength: Int { length.read { $0 } }

    /// Sets what fits after the MTU has changed.
    func setMaximumUpdateValueLength(_ newLength: Int) {
        length.change { $0 = newLength }
    }
}
