// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothGATT
import BluetoothTypes
import CoreBluetooth
import Testing

extension Stage {
    /// A phone that has explored a peripheral whose values nobody ever gives an answer for.
    func mute(
        _ body: (CentralRecorder, CBPeripheral) async throws -> Void
    ) async throws {
        try await host { host in
            // Somebody has to listen for questions, or they are refused.
            let questions = try await host.serverEvents()
            _ = try await host.publish(
                .init(BluetoothUUID(0xB000), [.init(BluetoothUUID(0xB001), [.read, .write])])
            )
            _ = try await host.advertise(Advertising(AdvertisingContent(localName: "Kit")))
            let phone = central()
            let kit = try await phone.visit("Kit")
            await phone.explore(kit)
            try await body(phone, kit)
            withExtendedLifetime(questions) {}
        }
    }
}
