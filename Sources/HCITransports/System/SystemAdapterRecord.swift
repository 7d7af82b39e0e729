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

    /// Its address; nil if it has none before it is set up.
    package let address: DeviceAddress?
    /// Whether it is in use, by the kernel's own host.
    package let isUp: Bool
    /// How it is attached; nil for a way that is not known here.
    package let bus: Bus?

    /// Reads the structure; nil if it is too short.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.length else { return nil }
        // dev_id: 0, name: 2, bdaddr: 10 (least significant octet first), flags: 16, type: 20.
        let value = bytes[10..<16].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        address = value == 0 ? nil : DeviceAddress(value: value, kind: .public)
        // HCI_UP is the lowest bit, on machines of either byte order.
        let flags = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 16, as: UInt32.self) }
        isUp = flags & 1 != 0
        bus = Bus(rawValue: bytes[20] & 0x0F)
    }
}
