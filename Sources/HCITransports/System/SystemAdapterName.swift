// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The identification of an adapter of the system.
enum SystemAdapterName: Hashable, Sendable, CustomStringConvertible {
    /// `hci0`: the number in the kernel, which another adapter may have after a restart.
    case index(UInt16)
    /// `hci:AA:BB:CC:DD:EE:FF`: the adapter with this address, whatever its number is.
    case address(DeviceAddress)

    var description: String {
        switch self {
        case .index(let index): "hci\(index)"
        case .address(let address): "hci:\(address)"
        }
    }

    /// Returns the number of the adapter, or `nil` if there is no such adapter.
    func index(in kernel: any BluetoothKernel) throws(SystemError) -> UInt16? {
        let indices = try kernel.adapterIndices()
        switch self {
        case .index(let index): return indices.contains(index) ? index : nil
        case .address(let address):
            for index in indices {
                // An adapter that was removed in the meantime is not the requested one.
                if let record = try? kernel.record(of: index), record.address == address {
                    return index
                }
            }
            return nil
        }
    }
}
