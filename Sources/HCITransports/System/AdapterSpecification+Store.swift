// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension AdapterSpecification {
    /// What an adapter is called where something is kept for it: the same after the next start, and
    /// however it is reached. Nil as long as that is not known.
    ///
    /// The number of the kernel's may be another adapter's then, so it goes by its address, which one that
    /// is not there, or not set up, has not told yet. How fast a serial port is does not matter.
    package var storeName: String? {
        storeName { SystemAdapters.list() }
    }

    package func storeName(among adapters: () -> [SystemAdapter]) -> String? {
        switch self {
        case .hci(let index):
            guard let adapter = adapters().first(where: { $0.index == index }) else { return nil }
            if let address = adapter.address {
                return AdapterSpecification.hciAddress(address).description
            }
            // One that is set up without an address never gets one: there is nothing but its number.
            return adapter.state == .settingUp ? nil : description
        case .serial(let line): return "serial:\(line.path)"
        case .hciAddress, .tcp, .unix: return description
        }
    }

    /// Whether the system has no adapter of that number now; false of all that are named otherwise.
    package var isAbsent: Bool {
        isAbsent { SystemAdapters.list() }
    }

    package func isAbsent(among adapters: () -> [SystemAdapter]) -> Bool {
        guard case .hci(let index) = self else { return false }
        return !adapters().contains { $0.index == index }
    }
}
