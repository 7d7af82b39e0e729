// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension AdapterSpecification {
    /// The name of the adapter for stored data, or `nil` if it is not known yet.
    ///
    /// The kernel's number may belong to another adapter after a restart, so the name is the
    /// adapter's address if it has one. The address of an adapter that is absent or not set up is
    /// not known. The speed of a serial port is not part of the name.
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
            // An adapter that is set up without an address never gets one, so only its number
            // remains.
            return adapter.state == .settingUp ? nil : description
        case .serial(let line): return "serial:\(line.path)"
        case .hciAddress, .tcp, .unix, .gateway: return description
        }
    }

    /// Whether the system has no adapter with this number now. The value is `false` for all other
    /// kinds.
    package var isAbsent: Bool {
        isAbsent { SystemAdapters.list() }
    }

    package func isAbsent(among adapters: () -> [SystemAdapter]) -> Bool {
        guard case .hci(let index) = self else { return false }
        return !adapters().contains { $0.index == index }
    }
}
