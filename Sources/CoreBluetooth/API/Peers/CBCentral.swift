// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothPort
import Foundation

/// A central that is connected to this device, for a `CBPeripheralManager`. The delegate first gets
/// it with a subscription, a request or a channel.
open class CBCentral: CBPeer {
    private let length: LockedState<Int>

    init(identity: UUID, maximumUpdateValueLength: Int) {
        length = LockedState(maximumUpdateValueLength)
        super.init(identity: identity)
    }

    /// The length in bytes that fits into a notification or indication to this central. Longer
    /// values are truncated. It changes with the ATT MTU of the link.
    open var maximumUpdateValueLength: Int { length.read { $0 } }

    /// The text that Apple's logs show for a central.
    open override var description: String {
        summary(
            ["identifier": identifier.uuidString, "MTU": "\(maximumUpdateValueLength)"],
            afterAddress: " "
        )
    }

    /// Sets the length that fits, after the MTU has changed.
    func setMaximumUpdateValueLength(_ newLength: Int) {
        length.change { $0 = newLength }
    }
}
