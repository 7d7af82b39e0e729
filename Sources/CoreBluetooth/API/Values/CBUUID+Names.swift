// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension CBUUID {
    /// The services that Apple's framework knows by name.
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
    ]
}

extension CBUUID {
    /// A peer's UUID, as short as the assigned numbers allow.
    convenience init(_ value: BluetoothUUID) {
        self.init(Form(value))
    }

    /// The UUID itself, whatever its width.
    var value: BluetoothUUID { form.value }
}
