// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The kernel's information about an adapter: the first part of a `struct hci_dev_info`, in the
/// byte order of the machine.
package struct SystemAdapterRecord: Hashable, Sendable {
    /// The length of the complete structure in bytes.
    static let length = 92

    /// The bus to which an adapter is attached.
    package enum Bus: UInt8, Hashable, Sendable {
        case virtual = 0
        case usb = 1
        case pcCard = 2
        case uart = 3
        case pci = 5
        case sdio = 6
        case spi = 7
        case i2c = 8
        case smd = 9
    }

    /// The address, or `nil` if the adapter has none now. Some adapters get one only when they are
    /// set up.
    package let address: DeviceAddress?
    /// Whether the adapter is up, for the kernel's own host or for a program that uses it
    /// exclusively.
    package let isUp: Bool
    /// Whether the kernel is starting the adapter.
    package let isStarting: Bool
    /// The bus of the adapter, or `nil` if it is unknown to this package.
    package let bus: Bus?
    /// Whether the adapter supports Low Energy, or `nil` if its features are not read yet (Vol 2,
    /// Part C, 3.3: bit 38).
    package let supportsLowEnergy: Bool?

    /// Decodes the structure, or returns `nil` if it is too short.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.length else { return nil }
        // The offsets are dev_id: 0, name: 2, bdaddr: 10 (least significant byte first), flags: 16,
        // type: 20, features: 21.
        let value = bytes[10..<16].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        address = value == 0 ? nil : DeviceAddress(value: value, kind: .public)
        // HCI_UP and HCI_INIT are the lowest bits in either byte order.
        let flags = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 16, as: UInt32.self) }
        isUp = flags & 1 != 0
        isStarting = flags & 2 != 0
        bus = Bus(rawValue: bytes[20] & 0x0F)
        let isAsked = bytes[21..<29].contains { $0 != 0 }
        supportsLowEnergy = isAsked ? bytes[25] & 0x40 != 0 : nil
    }
}
