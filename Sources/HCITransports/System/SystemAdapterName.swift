// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// Which adapter of the system is meant.
enum SystemAdapterName: Hashable, Sendable, CustomStringConvertible {
    /// `hci0`: the number that the kernel gave it, which another adapter may have after the next start.
    case index(UInt16)
    /// `hci:AA:BB:CC:DD:EE:FF`: the one with this address, whatever its number is.
    case address(DeviceAddress)

    var description: String {
        switch self {
        case .index(let index): "hci\(index)"
        case .address(let address): "hci:\(address)"
        }
    }

    /// The number of the adapter; nil if there is none such.
    func index(in kernel: any BluetoothKernel) throws(SystemError) -> UInt16? {
        let indices = try kernel.adapterIndices()
        switch self {
        case .index(let index): return indices.contains(index) ? index : nil
        case .address(let address):
            for index in indices {
                // One that has gone meanwhile is not the one that is meant.
                if let record = try? kernel.record(of: index), record.address == address {
                    return index
                }
            }
            return nil
        }
    }
}
