// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// Who is behind which private addresses (Vol 6, Part B, 4.7 and 6).
package struct ResolvingList: Sendable {
    /// How many devices there may be.
    let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// What a controller makes of a peer's address on the air.
    package enum Resolution: Equatable, Sendable {
        /// It is as it was: resolution is off, or it is nobody's in the list.
        case unresolved
        /// It is a private address of the device with this identity.
        case identity(DeviceAddress)
        /// It is the identity address of a device in the list that must not use it: in network
        /// privacy mode, with a key that is not zero. The packet is to be ignored.
        case refused
    }

    /// Whether LE Set Address Resolution Enable has switched it on.
    package private(set) var isEnabled = false

    /// Who is behind a peer's address.
    package mutating func resolve(_ address: DeviceAddress) -> Resolution { .unresolved }

    /// The address that the controller goes by towards the device with the identity: its own
    /// private address made with the local key of that entry; nil if there is no such entry, its
    /// local key is zero, or resolution is off.
    package func localAddress(toward identity: DeviceAddress) -> DeviceAddress? { nil }

    /// The present private address of the device with the identity, made with its key (for directed
    /// advertising); nil if there is no such entry or its key is zero.
    package func peerAddress(of identity: DeviceAddress) -> DeviceAddress? { nil }

    /// Whether an address on the air is the controller's own private address of an entry: the
    /// identity of that entry. For what is addressed to this controller.
    package func ownEntry(_ address: DeviceAddress) -> DeviceAddress? { nil }

    /// The commands of the list (Vol 4, Part E, 7.8.38 to 7.8.45 and 7.8.77).
    static let handlers: [CommandHandler] = []
}

extension VirtualController {
    /// The private addresses have been in use for as long as they may.
    mutating func replacePrivateAddresses(_ ether: inout Ether) {}
}
