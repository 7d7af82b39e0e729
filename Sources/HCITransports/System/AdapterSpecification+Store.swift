// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension AdapterSpecification {
    /// What an adapter is called where something is kept for it: the same after the next start, and
    /// however it is reached.
    ///
    /// The number of the kernel's may be another adapter's then, so its address is asked for; where there
    /// is no such adapter now, there is nothing but the number. How fast a serial port is does not matter.
    package var storeName: String {
        storeName { SystemBluetooth.adapter($0)?.address }
    }

    package func storeName(addressOf: (UInt16) -> DeviceAddress?) -> String {
        switch self {
        case .hci(let index):
            addressOf(index).map { AdapterSpecification.hciAddress($0).description } ?? description
        case .serial(let line): "serial:\(line.path)"
        case .hciAddress, .tcp, .unix: description
        }
    }
}
