// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// An operation that `AddressScheduler` requests from the controller.
package enum PrivacyOperation: Hashable, Sendable {
    /// Sets the address for scanning and initiating, and for advertising with the legacy commands.
    case setRandomAddress(DeviceAddress)
    case enableResolution(Bool)
    case clearList
    case add(ResolvingListUpdater.Entry)
    case remove(DeviceAddress)
    /// Sets device privacy mode, in which the peer may also use its identity address.
    case setDeviceMode(DeviceAddress)

    var command: HCI.EncodedCommand {
        switch self {
        case .setRandomAddress(let address):
            .init(HCI.LESetRandomAddress(address: .init(address)))
        case .enableResolution(let isEnabled):
            .init(HCI.LESetAddressResolutionEnable(isEnabled: isEnabled))
        case .clearList: .init(HCI.LEClearResolvingList())
        case .add(let entry):
            .init(
                HCI.LEAddDeviceToResolvingList(
                    peerIdentity: .init(entry.identity),
                    peerKey: entry.peerKey,
                    localKey: entry.localKey
                )
            )
        case .remove(let identity):
            .init(HCI.LERemoveDeviceFromResolvingList(peerIdentity: .init(identity)))
        case .setDeviceMode(let identity):
            .init(HCI.LESetPrivacyMode(peerIdentity: .init(identity), mode: .device))
        }
    }
}

/// One request for an operation, like ``CentralStep``.
package struct PrivacyStep: Hashable, Sendable {
    package let number: UInt64
    package let operation: PrivacyOperation
}
