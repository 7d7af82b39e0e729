// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

// The identifiers of peers, bonded or not.
extension HostCore {
    /// Returns the identifier of the device with this address. The identifier of a bonded peer
    /// comes from the bond, regardless of the address that the peer uses, and that of any other
    /// device from the address.
    package mutating func identifier(of address: DeviceAddress) -> PeerIdentifier {
        let identity = identity(of: address)
        let bond = bonds.last { $0.peer == identity }
        return bond?.identifier ?? context.peerCipher.identifier(of: address)
    }

    /// Returns the address of the device with this identifier: the identity address of a bonded
    /// peer; `nil` if this host cannot have made the identifier.
    package func address(of identifier: PeerIdentifier) -> DeviceAddress? {
        let bond = bonds.last { $0.identifier == identifier }
        return bond?.peer ?? context.peerCipher.address(of: identifier)
    }
}

extension BluetoothHost {
    /// Returns the identifier of the device with this address. The identifier is valid on this host
    /// only, as long as the host's store exists. A peer that bonds while it is connected keeps its
    /// identifier.
    package func identifier(of address: DeviceAddress) -> PeerIdentifier {
        core.identifier(of: address)
    }

    /// Returns the address of the device with this identifier, or `nil` if this host cannot have
    /// made it.
    package func address(of identifier: PeerIdentifier) -> DeviceAddress? {
        core.address(of: identifier)
    }
}
