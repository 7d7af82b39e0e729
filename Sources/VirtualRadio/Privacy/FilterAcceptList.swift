// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// Whom advertiser, scanner and initiator care for, where they are asked to be choosy
/// (Vol 6, Part B, 4.3.1).
///
/// A device is in the list by its identity address, or by whatever address it uses. One entry, of
/// address type 0xFF, can stand for all advertisers that do not tell who they are.
package struct FilterAcceptList: Sendable {
    /// How many devices there may be.
    let limit: Int

    private var addresses: Set<DeviceAddress> = []
    /// Whether advertisements without an advertiser's address are welcome.
    package private(set) var containsAnonymous = false

    init(limit: Int) {
        // LE Read Filter Accept List Size has one octet for it.
        self.limit = min(limit, Int(UInt8.max))
    }

    /// How many devices there are.
    var count: Int { addresses.count + (containsAnonymous ? 1 : 0) }

    /// Whether the device, or whoever is behind its address, is in the list. `address` is the
    /// identity address where one was resolved.
    package func contains(_ address: DeviceAddress) -> Bool { addresses.contains(address) }

    /// Puts the device into the list; nothing happens if it is there.
    mutating func add(_ device: Device) throws(HCI.ErrorCode) {
        guard !contains(device) else { return }
        guard count < limit else { throw .memoryCapacityExceeded }
        switch device {
        case .anonymous: containsAnonymous = true
        case .address(let address): addresses.insert(address)
        }
    }

    /// Takes the device out of the list; nothing happens if it is not there.
    mutating func remove(_ device: Device) {
        switch device {
        case .anonymous: containsAnonymous = false
        case .address(let address): addresses.remove(address)
        }
    }

    /// Takes all devices out of the list.
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
    /// What an entry is about.
    enum Device {
        /// Advertisers that do not tell who they are.
        case anonymous
        /// The device with the address.
        case address(DeviceAddress)

        /// The device that a command is about. Only these three address types name one
        /// (Vol 4, Part E, 7.8.16).
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
