// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Lanyard
import LanyardTesting
import Testing

/// The system of a phone whose controller does not know the signal strength of a link.
private struct UnknownSignalSystem: AccessorySystem {
    let system: any AccessorySystem

    func makeCentral(
        restoring restoreIdentifier: String?,
        on queue: DispatchQueue
    ) -> any SystemCentral {
        UnknownSignalCentral(system.makeCentral(restoring: restoreIdentifier, on: queue))
    }

    func makeServer(
        restoring restoreIdentifier: String?,
        on queue: DispatchQueue
    ) -> any SystemServer {
        system.makeServer(restoring: restoreIdentifier, on: queue)
    }
}

/// A central that passes everything on, except for the measured signal strength.
private final class UnknownSignalCentral: SystemCentral {
    private let central: any SystemCentral

    init(_ central: any SystemCentral) {
        self.central = central
    }

    var availability: Availability { central.availability }

    func begin(_ receive: @escaping @Sendable (SystemCentralEvent) -> Void) {
        central.begin { event in
            if case .peripheral(let peripheral, .signal, let failure) = event {
                receive(.peripheral(peripheral, .signal(127), failure))
            } else {
                receive(event)
            }
        }
    }

    func end() { central.end() }
    func setInBackground(_ isInBackground: Bool) { central.setInBackground(isInBackground) }
    func scan(_ scan: PlannedScan) { central.scan(scan) }
    func stopScan() { central.stopScan() }

    func peripherals(with identifiers: [UUID]) -> [SystemPeripheral] {
        central.peripherals(with: identifiers)
    }

    func connectedPeripherals(with services: [BluetoothID]) -> [SystemPeripheral] {
        central.connectedPeripherals(with: services)
    }

    func connect(_ peripheral: SystemPeripheral, _ options: ConnectionOptions) {
        central.connect(peripheral, options)
    }

    func cancelConnection(_ peripheral: SystemPeripheral) { central.cancelConnection(peripheral) }

    func linkState(of peripheral: SystemPeripheral) -> SystemLinkState {
        central.linkState(of: peripheral)
    }

    func writeCapacity(of peripheral: SystemPeripheral) -> WriteCapacity {
        central.writeCapacity(of: peripheral)
    }

    func send(_ request: PeripheralRequest, to peripheral: SystemPeripheral) {
        central.send(request, to: peripheral)
    }
}

@Suite("An unknown signal strength", .eachSystem)
struct UnknownSignalTests {
    @Test("An unknown signal strength is an error, and not 127 dBm")
    func unknown() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central { $0.system = UnknownSignalSystem(system: $0.system) }
            let strap = try await central.pair(CentralFixture.strap)
            await #expect(
                throws: AccessoryError.refused(code: nil, text: "the signal strength is unknown")
            ) {
                try await strap.rssi()
            }
            #expect(central.connectionSlots.holders.map(\.signal) == [nil])
            await central.shutDown()
        }
    }
}
