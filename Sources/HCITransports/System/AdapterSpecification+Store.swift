// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension AdapterSpecification {
    /// The name under which the adapter's data is stored, or `nil` if it is not known yet.
    ///
    /// An adapter that is specified by its number in the kernel is stored under its address if it
    /// has one, because the number may belong to another adapter after a restart. The name is not
    /// known while the adapter is absent, or while the kernel is setting it up and it has no
    /// address yet. The speed of a serial port is not part of the name.
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
            // An adapter that has no address once it is set up never gets one, so its number is
            // used.
            return adapter.state == .settingUp ? nil : description
        case .serial(let line): return "serial:\(line.path)"
        case .hciAddress, .tcp, .unix, .gateway: return description
        }
    }

    /// Whether the adapter is specified by its number in the kernel, and the system has no adapter
    /// with this number now.
    package var isAbsent: Bool {
        isAbsent { SystemAdapters.list() }
    }

    package func isAbsent(among adapters: () -> [SystemAdapter]) -> Bool {
        guard case .hci(let index) = self else { return false }
        return !adapters().contains { $0.index == index }
    }
}
