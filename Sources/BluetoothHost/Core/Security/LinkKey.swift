// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes

/// A key with which a link is about to be encrypted, for somebody who wants to follow what travels
/// on it. The addresses are those that the two ends use on this link.
package struct LinkKey: Hashable, Sendable {
    package let central: DeviceAddress
    package let peripheral: DeviceAddress
    package let key: LongTermKey

    package init(central: DeviceAddress, peripheral: DeviceAddress, key: LongTermKey) {
        self.central = central
        self.peripheral = peripheral
        self.key = key
    }
}

extension HostCore {
    /// Tells who wants to know of keys; to be called where a controller is given one.
    mutating func reportUse(of key: LongTermKey, on handle: ConnectionHandle) {
        guard configuration.keyObserver != nil, let link = links[handle] else { return }
        let local = link.localAddress
        let (central, peripheral) =
            link.role == .central ? (local, link.peer) : (link.peer, local)
        emit(.usesKey(LinkKey(central: central, peripheral: peripheral, key: key)))
    }
}
