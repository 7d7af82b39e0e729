// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothTypes

extension CBUUID {
    /// The names of the services and descriptors that Apple's framework shows by name.
    static let names: [BluetoothUUID: String] = [
        BluetoothUUID(0x1800): "Generic Access Profile",
        BluetoothUUID(0x1801): "Generic Attribute Profile",
        BluetoothUUID(0x1805): "Current Time",
        BluetoothUUID(0x1808): "Glucose",
        BluetoothUUID(0x1809): "Health Thermometer",
        BluetoothUUID(0x180A): "Device Information",
        BluetoothUUID(0x180D): "Heart Rate",
        BluetoothUUID(0x180F): "Battery",
        BluetoothUUID(0x1810): "Blood Pressure",
        BluetoothUUID(0x1812): "Human Interface Device",
        BluetoothUUID(0x1816): "Cycling Speed and Cadence",
        BluetoothUUID(0x2900): "Characteristic Extended Properties",
        BluetoothUUID(0x2902): "Client Characteristic Configuration",
    ]
}

extension CBUUID {
    /// Creates the shortest form of a UUID.
    convenience init(_ value: BluetoothUUID) {
        self.init(WrittenUUID(value))
    }

    /// The UUID without its width.
    var value: BluetoothUUID { written.value }
}
