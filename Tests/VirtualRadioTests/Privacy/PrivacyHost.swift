// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

/// A peer of the resolving list: its identity, and both keys.
struct PrivatePeer: Sendable {
    var identity: DeviceAddress
    var peerKey: HCI.Key128
    var localKey: HCI.Key128

    /// Creates a peer with a random static address and keys that are made from the numbers. The
    /// number 0 makes the zero key.
    init(_ number: UInt8, peerKey: UInt8? = nil, localKey: UInt8 = 0xA0) throws {
        identity = DeviceAddress(value: 0xC000_0000_0000 | UInt64(number), kind: .random)
        self.peerKey = try .repeating(peerKey ?? number)
        self.localKey = try .repeating(localKey)
    }

    /// The command that adds the peer to the list.
    var adding: HCI.LEAddDeviceToResolvingList {
        HCI.LEAddDeviceToResolvingList(
            peerIdentity: HCI.PeerAddress(identity),
            peerKey: peerKey,
            localKey: localKey
        )
    }

    /// The command that removes the peer from the list.
    var removing: HCI.LERemoveDeviceFromResolvingList {
        HCI.LERemoveDeviceFromResolvingList(peerIdentity: HCI.PeerAddress(identity))
    }

    /// Returns a private address of the peer.
    func makeAddress(seed: UInt64 = 1) throws -> DeviceAddress {
        var generator = WorldSeed(seed).stream("peer")
        return try #require(IdentityResolvingKey(peerKey).makeAddress(using: &generator))
    }
}

extension HCI.Key128 {
    /// Returns the key of sixteen equal bytes.
    static func repeating(_ byte: UInt8) throws -> HCI.Key128 {
        try #require(HCI.Key128([UInt8](repeating: byte, count: 16)))
    }
}

extension TestHost {
    /// The current state of the controller.
    var controller: VirtualController { world.core.controllers[Int(id.radio.rawValue)] }

    /// Enables or disables address resolution.
    func setResolution(_ isEnabled: Bool) throws {
        try perform(HCI.LESetAddressResolutionEnable(isEnabled: isEnabled))
    }

    /// Returns the controller's private address for the peer. Throws the error code if the
    /// controller has none.
    func localAddress(_ peer: PrivatePeer) throws -> DeviceAddress {
        let identity = HCI.PeerAddress(peer.identity)
        return try perform(HCI.LEReadLocalResolvableAddress(peerIdentity: identity))
            .address.deviceAddress(.random)
    }

    /// Returns the peer's private address. Throws the error code if the controller has none.
    func peerAddress(_ peer: PrivatePeer) throws -> DeviceAddress {
        let identity = HCI.PeerAddress(peer.identity)
        return try perform(HCI.LEReadPeerResolvableAddress(peerIdentity: identity))
            .address.deviceAddress(.random)
    }
}
