// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Dispatch
import Foundation
import Testing
import VirtualAccessories

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("Delegates")
struct DelegateTests {
    @Test("1.3 Delegates may be set on any thread while they are called")
    func race() {
        let options = [CBManagerOptionAdapterKey: "nonsense"]
        let queue = DispatchQueue(label: "app")
        queue.suspend()
        defer { queue.resume() }
        let central = CBCentralManager(delegate: nil, queue: queue, options: options)
        let server = CBPeripheralManager(delegate: nil, queue: queue, options: options)
        // The threads set and read the delegates at the same time: this is what the test checks.
        nonisolated(unsafe) let peripheral = CBPeripheral(
            PeerIdentifier(UUID()),
            of: central,
            name: nil
        )
        nonisolated(unsafe) let managers = (central, server)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for _ in 0..<1_000 {
                guard thread.isMultiple(of: 2) else {
                    managers.0.delegate?.centralManagerDidUpdateState(managers.0)
                    managers.1.delegate?.peripheralManagerDidUpdateState(managers.1)
                    peripheral.delegate?.peripheralDidUpdateName(peripheral)
                    continue
                }
                let listener = DelegateListener()
                managers.0.delegate = listener
                managers.1.delegate = listener
                peripheral.delegate = listener
            }
        }
        // Delegates are not retained, except by a callback, and the queue runs no callback.
        #expect(central.delegate == nil)
        #expect(server.delegate == nil)
        #expect(peripheral.delegate == nil)
    }

    @Test("1.3 A delegate that is set while values arrive gets the later values")
    func change() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let phone = fixture.central()
            let strap = try await phone.connectedPeripheral("Strap")
            await phone.explore(strap)
            strap.setNotifyValue(true, for: try strap.characteristic("2A37"))
            await phone.journal.wait(for: "value 2A37")
            for _ in 0..<1_000 {
                strap.delegate = nil
                strap.delegate = phone
            }
            phone.journal.clear()
            await phone.journal.wait(for: "value 2A37", count: 2)
        }
    }
}

private final class DelegateListener: NSObject, CBCentralManagerDelegate,
    CBPeripheralManagerDelegate,
    CBPeripheralDelegate
{
    func centralManagerDidUpdateState(_ central: CBCentralManager) {}
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
}
