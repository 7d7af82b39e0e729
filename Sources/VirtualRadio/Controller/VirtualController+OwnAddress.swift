// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

extension HCI.OwnAddressType {
    /// The largest defined value.
    static let last = resolvableOrRandom

    /// Whether the controller uses a resolvable private address if it can make one.
    var prefersPrivate: Bool { self == .resolvableOrPublic || self == .resolvableOrRandom }

    /// Whether the controller uses the host's random address, either always, or when it cannot make
    /// a private address.
    var usesRandom: Bool { self == .random || self == .resolvableOrRandom }
}

extension VirtualController {
    /// Throws Invalid HCI Command Parameters if the type needs a random address and none was set
    /// (Vol 4, Part E, 7.8.11 and 7.8.12).
    func checkIsSet(_ type: HCI.OwnAddressType) throws(HCI.ErrorCode) {
        guard !type.usesRandom || settings.randomAddress != nil else {
            throw .invalidCommandParameters
        }
    }

    /// Returns the controller's identity address for the type: the public address, or the random
    /// address that the host has set; `nil` if it has set none.
    func identityAddress(_ type: HCI.OwnAddressType) -> DeviceAddress? {
        type.usesRandom ? settings.randomAddress : publicAddress
    }

    /// Returns the controller's private address for the peer; `nil` if the type does not ask for
    /// one, or the resolving list has no entry with a local key for the peer.
    func privateAddress(
        _ type: HCI.OwnAddressType,
        toward peer: DeviceAddress
    ) -> DeviceAddress? {
        type.prefersPrivate ? resolvingList.localAddress(toward: peer) : nil
    }

    /// The relation of this controller to the address that a packet is directed to.
    enum Target: Equatable {
        /// This controller's identity address.
        case own
        /// A private address of this controller.
        case ownPrivate
        /// A resolvable private address that none of the controller's own keys resolves. It may be
        /// an address of this controller.
        case unresolved
        /// Any other address.
        case other
    }

    /// Returns the relation of the target address to this controller, which uses addresses of the
    /// type (Vol 6, Part B, 4.3.3).
    func recognize(_ target: DeviceAddress, _ type: HCI.OwnAddressType) -> Target {
        if target == identityAddress(type) { return .own }
        guard target.randomKind == .resolvablePrivate else { return .other }
        return resolvingList.ownEntry(target) != nil ? .ownPrivate : .unresolved
    }
}
