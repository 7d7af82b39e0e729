// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The entry of one peer in the resolving list.
struct ResolvingListEntry: Sendable {
    /// The identity address of the peer.
    let peer: DeviceAddress
    /// The key from which the peer makes its private addresses.
    let peerKey: IdentityResolvingKey
    /// The key from which the controller makes its own private addresses for the peer.
    let localKey: IdentityResolvingKey
    /// The privacy mode, which decides whether the peer may also use its identity address.
    var mode = HCI.PrivacyMode.network

    /// The private address at which the controller last received the peer.
    var receivedAddress: DeviceAddress?
    /// A private address of the peer that the controller has made.
    private(set) var peerAddress: DeviceAddress?
    /// The controller's own private address for the peer.
    private(set) var localAddress: DeviceAddress?

    init(peer: DeviceAddress, peerKey: HCI.Key128, localKey: HCI.Key128) {
        self.peer = peer
        self.peerKey = IdentityResolvingKey(peerKey)
        self.localKey = IdentityResolvingKey(localKey)
    }

    /// Returns whether both entries describe the same device, or resolve the same addresses.
    func conflicts(with other: ResolvingListEntry) -> Bool {
        peer == other.peer || (!peerKey.isZero && peerKey.key == other.peerKey.key)
    }

    /// Replaces both private addresses.
    mutating func makeAddresses(using generator: inout RandomStream) {
        peerAddress = peerKey.makeAddress(using: &generator)
        localAddress = localKey.makeAddress(using: &generator)
    }
}
