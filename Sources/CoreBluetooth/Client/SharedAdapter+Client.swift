// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHost
import BluetoothTypes

/// What an adapter keeps of managers that use the services of peers.
struct ClientPart: Sendable {
}

extension SharedAdapter {
    func notified(_ value: ArraySlice<UInt8>, of handle: AttributeHandle, on link: LinkIdentifier) {
    }

    func servicesChanged(_ handles: ClosedRange<AttributeHandle>, on link: LinkIdentifier) {}

    func clientMTUChanged(_ mtu: Int, on link: LinkIdentifier) {}

    /// A link is gone; the managers that used it are told after this.
    func clientLinkClosed(_ link: LinkIdentifier, _ error: HostError) {}
}
