// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import CoreBluetooth
import Foundation
import HCITransports
import Testing

@Suite("The name of an adapter")
struct AdapterNameTests {
    /// Checks the name that a central reads.
    private func expect(_ name: String, on fixture: Fixture, number: UInt64) async throws {
        try await fixture.client(number: number) { client in
            let values = try await client.link.read(uuid: BluetoothUUID(0x2A00))
            #expect(values.map(\.value) == [Array(name.utf8)])
        }
    }

    @Test("Centrals read the name that was set, before and after the first manager is made")
    func setting() async throws {
        let fixture = try Fixture { $0.name = "Configured" }
        #expect(fixture.adapter.name == "Configured")
        fixture.adapter.name = "Early"
        try await fixture.serve([]) { _ in
            try await expect("Early", on: fixture, number: 0xF1)
            fixture.adapter.name = "Late"
            try await expect("Late", on: fixture, number: 0xF2)
            fixture.adapter.name = ""
            #expect(fixture.adapter.name == "Configured")
            try await expect("Configured", on: fixture, number: 0xF3)
        }
    }

    @Test("An adapter without a name of its own has the default name")
    func standard() {
        #expect(CBAdapter("unix:/nowhere/named").name == DefaultDeviceName.standard())
    }
}
