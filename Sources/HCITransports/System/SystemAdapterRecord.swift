// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// What Linux tells of an adapter: its `struct hci_dev_info`, in the machine's own byte order, of which
/// only the beginning is of interest.
package struct SystemAdapterRecord: Hashable, Sendable {
    /// The whole structure, in octets.
    static let length = 92

    /// How the adapter is attached.
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

    /// Its address; nil if it has none before it is set up, or never has one of its own.
    package let address: DeviceAddress?
    /// Whether it runs: for the kernel's own host, or for a program that has it for itself.
    package let isUp: Bool
    /// Whether the kernel is just starting it.
    package let isStarting: Bool
    /// How it is attached; nil for a way that is not known here.
    package let bus: Bus?
    /// Whether it does Low Energy at all; nil if it was not asked yet (Vol 2, Part C, 3.3: bit 38).
    package let supportsLowEnergy: Bool?

    /// Reads the structure; nil if it is too short.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.length else { return nil }
        // dev_id: 0, name: 2, bdaddr: 10 (least significant octet first), flags: 16, type: 20,
        // features: 21.
        let value = bytes[10..<16].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        address = value == 0 ? nil : DeviceAddress(value: value, kind: .public)
        // HCI_UP and HCI_INIT are the lowest bits, on machines of either byte order.
        let flags = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 16, as: UInt32.self) }
        isUp = flags & 1 != 0
        isStarting = flags & 2 != 0
        bus = Bus(rawValue: bytes[20] & 0x0F)
        let isAsked = bytes[21..<29].contains { $0 != 0 }
        supportsLowEnergy = isAsked ? bytes[25] & 0x40 != 0 : nil
    }
}
