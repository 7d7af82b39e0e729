// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

// What peers are known by, whether or not they are bonded.
extension HostCore {
    /// What the device with this address is known by: a bonded peer, whatever address it uses, by what
    /// its bond says, and any other by its address.
    package mutating func identifier(of address: DeviceAddress) -> PeerIdentifier {
        let identity = identity(of: address)
        let bond = bonds.last { $0.peer == identity }
        return bond?.identifier ?? peerCipher.identifier(of: address)
    }

    /// The address of whoever is known by this; of a bonded peer the one that stays the same. Nil if
    /// it is nobody that this host can have met.
    package func address(of identifier: PeerIdentifier) -> DeviceAddress? {
        let bond = bonds.last { $0.identifier == identifier }
        return bond?.peer ?? peerCipher.address(of: identifier)
    }
}

extension BluetoothHost {
    /// What the device with this address is known by, on this host only, and for as long as its store
    /// lasts. A peer that is bonded while it is connected keeps what it was known by.
    package func identifier(of address: DeviceAddress) -> PeerIdentifier {
        core.identifier(of: address)
    }

    /// The address of whoever is known by this; nil if it is nobody that this host can have met.
    package func address(of identifier: PeerIdentifier) -> DeviceAddress? {
        core.address(of: identifier)
    }
}
