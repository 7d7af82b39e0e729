// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import CoreBluetooth
import Lanyard

extension TestPhone {
    /// The phone's Bluetooth adapter, for code that creates managers itself:
    /// `options: [CBManagerOptionAdapterKey: phone.adapter]`. Its managers and the configurations
    /// of this phone share one adapter.
    public var adapter: CBAdapter { CBAdapter(usage) }

    /// Runs the body with phones whose configurations use the module CoreBluetooth, as a program on
    /// Linux does, instead of the adapter's port.
    package static func usingCoreBluetooth<Value>(
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        try await $makeSystem.withValue(
            { CoreBluetoothSystem(adapter: CBAdapter($0)) },
            operation: body
        )
    }
}
