// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import CoreBluetooth
import Foundation
import HCITransports
import Testing

@Suite("The name of an adapter")
struct AdapterNameTests {
    /// Checks the name that a central reads.
    private func expect(_ name: String, on stage: Stage, number: UInt64) async throws {
        try await stage.visitor(number: number) { visitor in
            let values = try await visitor.link.read(uuid: BluetoothUUID(0x2A00))
            #expect(values.map(\.value) == [Array(name.utf8)])
        }
    }

    @Test("Centrals read the name that was set, before and after the first manager is made")
    func setting() async throws {
        let stage = try Stage { $0.name = "Configured" }
        #expect(stage.adapter.name == "Configured")
        stage.adapter.name = "Early"
        try await stage.serve([]) { _ in
            try await expect("Early", on: stage, number: 0xF1)
            stage.adapter.name = "Late"
            try await expect("Late", on: stage, number: 0xF2)
            stage.adapter.name = ""
            #expect(stage.adapter.name == "Configured")
            try await expect("Configured", on: stage, number: 0xF3)
        }
    }

    @Test("An adapter without a name of its own has the default name")
    func standard() {
        #expect(CBAdapter("unix:/nowhere/named").name == DeviceName.standard())
    }
}
