// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The Filter Accept List, which limits the devices to which the advertiser, the scanner and the
/// initiator react, if their filter policy uses it (Vol 6, Part B, 4.3.1).
///
/// An entry is the identity address of a device, or the address that it uses. One entry, with
/// address type 0xFF, matches all anonymous advertisers.
package struct FilterAcceptList: Sendable {
    /// The capacity of the list.
    let limit: Int

    private var addresses: Set<DeviceAddress> = []
    /// Whether anonymous advertisements match.
    package private(set) var containsAnonymous = false

    init(limit: Int) {
        // The size in LE Read Filter Accept List Size is one byte.
        self.limit = min(limit, Int(UInt8.max))
    }

    /// The number of entries.
    var count: Int { addresses.count + (containsAnonymous ? 1 : 0) }

    /// Returns whether the device is in the list.
    ///
    /// - Parameter address: The identity address, if the controller resolved one, or the address on
    ///   the air.
    package func contains(_ address: DeviceAddress) -> Bool { addresses.contains(address) }

    /// Adds the device. Does nothing if it is in the list.
    ///
    /// - Throws: `memoryCapacityExceeded` if the list is full.
    mutating func add(_ device: Device) throws(HCI.ErrorCode) {
        guard !contains(device) else { return }
        guard count < limit else { throw .memoryCapacityExceeded }
        switch device {
        case .anonymous: containsAnonymous = true
        case .address(let address): addresses.insert(address)
        }
    }

    /// Removes the device. Does nothing if it is not in the list.
    mutating func remove(_ device: Device) {
        switch device {
        case .anonymous: containsAnonymous = false
        case .address(let address): addresses.remove(address)
        }
    }

    /// Removes all devices.
    mutating func removeAll() {
        addresses = []
        containsAnonymous = false
    }

    private func contains(_ device: Device) -> Bool {
        switch device {
        case .anonymous: containsAnonymous
        case .address(let address): addresses.contains(address)
        }
    }
}

extension FilterAcceptList {
    /// The subject of an entry.
    enum Device {
        /// Any anonymous advertiser.
        case anonymous
        /// The device with the address.
        case address(DeviceAddress)

        /// Creates the device that a command specifies. Only these three address types are valid
        /// (Vol 4, Part E, 7.8.16).
        ///
        /// - Throws: `invalidCommandParameters` for another address type.
        init(_ field: HCI.PeerAddress) throws(HCI.ErrorCode) {
            switch field.type {
            case .public: self = .address(DeviceAddress(value: field.value, kind: .public))
            case .random: self = .address(DeviceAddress(value: field.value, kind: .random))
            case .anonymous: self = .anonymous
            default: throw .invalidCommandParameters
            }
        }
    }
}
