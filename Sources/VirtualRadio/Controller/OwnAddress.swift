// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

extension HCI.OwnAddressType {
    /// The largest value that is defined.
    static let last = resolvableOrRandom

    /// Whether the controller makes private addresses where it can.
    var prefersPrivate: Bool { self == .resolvableOrPublic || self == .resolvableOrRandom }

    /// Whether the random address of the host is used, at least where the controller cannot make one.
    var usesRandom: Bool { self == .random || self == .resolvableOrRandom }
}

extension VirtualController {
    /// Throws Invalid HCI Command Parameters if the type is reserved.
    func checkRange(_ type: HCI.OwnAddressType) throws(HCI.ErrorCode) {
        guard type.rawValue <= HCI.OwnAddressType.last.rawValue else {
            throw .invalidCommandParameters
        }
    }

    /// Throws Invalid HCI Command Parameters if the type needs a random address and none was set
    /// (Vol 4, Part E, 7.8.11 and 7.8.12).
    func checkIsSet(_ type: HCI.OwnAddressType) throws(HCI.ErrorCode) {
        guard !type.usesRandom || settings.randomAddress != nil else {
            throw .invalidCommandParameters
        }
    }

    /// The address that the controller is known by: public, or the random one that was set. Nil if
    /// none was.
    func identityAddress(_ type: HCI.OwnAddressType) -> DeviceAddress? {
        type.usesRandom ? settings.randomAddress : publicAddress
    }

    /// The private address that the controller makes for the peer; nil if the type does not ask for
    /// one, or the peer is not in the resolving list with a local key.
    func privateAddress(
        _ type: HCI.OwnAddressType,
        toward peer: DeviceAddress
    ) -> DeviceAddress? {
        type.prefersPrivate ? resolvingList.localAddress(toward: peer) : nil
    }

    /// What the controller makes of the address that something is directed to.
    enum Target: Equatable {
        /// Itself, by its identity address.
        case own
        /// Itself, by a private address of its own.
        case ownPrivate
        /// Perhaps itself: a resolvable private address that no key of its own resolves.
        case unresolved
        /// Somebody else.
        case other
    }

    /// Whether something directed to the address is for this controller, which goes by addresses of
    /// the type (Vol 6, Part B, 4.3.3).
    func recognize(_ target: DeviceAddress, _ type: HCI.OwnAddressType) -> Target {
        if target == identityAddress(type) { return .own }
        guard target.randomKind == .resolvablePrivate else { return .other }
        return resolvingList.ownEntry(target) != nil ? .ownPrivate : .unresolved
    }
}
