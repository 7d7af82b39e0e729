// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// Something `AddressKeeper` has the controller do.
package enum PrivacyOrder: Hashable, Sendable {
    /// The address with which the controller scans and initiates, and, if it has legacy commands
    /// only, advertises.
    case setRandomAddress(DeviceAddress)
    case enableResolution(Bool)
    case clearList
    case add(ResolvingListKeeper.Entry)
    case remove(DeviceAddress)
    /// The peer may use its identity address as well.
    case setDeviceMode(DeviceAddress)

    /// The command that carries the order out.
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

/// One issue of an order; see `Step`.
package struct PrivacyStep: Hashable, Sendable {
    package let number: UInt64
    package let order: PrivacyOrder
}
