// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// What a controller knows of one peer that uses private addresses.
struct ResolvingListEntry: Sendable {
    /// The identity address.
    let peer: DeviceAddress
    /// With which its private addresses are made.
    let peerKey: IdentityResolvingKey
    /// With which the controller's own are made that it uses towards the peer.
    let localKey: IdentityResolvingKey
    /// Whether it may also use its identity address.
    var mode = HCI.PrivacyMode.network

    /// The private address by which the peer was heard last.
    var heardAddress: DeviceAddress?
    /// A private address of the peer that the controller has made, to call it by.
    private(set) var peerAddress: DeviceAddress?
    /// The controller's own private address towards the peer.
    private(set) var localAddress: DeviceAddress?

    init(peer: DeviceAddress, peerKey: HCI.Key128, localKey: HCI.Key128) {
        self.peer = peer
        self.peerKey = IdentityResolvingKey(peerKey)
        self.localKey = IdentityResolvingKey(localKey)
    }

    /// Whether both are about the same device, or could not be told apart.
    func isLike(_ other: ResolvingListEntry) -> Bool {
        peer == other.peer || (!peerKey.isZero && peerKey.key == other.peerKey.key)
    }

    /// Makes both private addresses new.
    mutating func makeAddresses(using dice: inout RandomStream) {
        peerAddress = peerKey.makeAddress(using: &dice)
        localAddress = localKey.makeAddress(using: &dice)
    }

    /// Leaves the entry without private addresses.
    mutating func forgetAddresses() {
        heardAddress = nil
        peerAddress = nil
        localAddress = nil
    }
}
