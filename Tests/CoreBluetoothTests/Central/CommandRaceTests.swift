// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization
import Testing
import VirtualAccessories

@testable import BluetoothClients
@testable import CoreBluetooth

/// Commands that an app gives while the state changes on the manager's queue.
@Suite("Commands that race with state changes")
struct CommandRaceTests {
    @Test("1.6 A scan that starts while Bluetooth turns off is not shown as running")
    func scan() async throws {
        try await withManager { manager, _ in
            manager.interrupt { $0.receive(.stateChanged(.poweredOff)) }
            manager.scanForPeripherals(withServices: nil)
            #expect(manager.state == .poweredOff)
            #expect(!manager.isScanning)
        }
    }

    @Test("1.6 A connection request made while Bluetooth turns off is not shown as pending")
    func connect() async throws {
        try await withManager { manager, peripheral in
            manager.interrupt { $0.receive(.stateChanged(.poweredOff)) }
            manager.connect(peripheral)
            #expect(peripheral.state == .disconnected)
            #expect(peripheral.snapshot.read { $0.remote.request } == nil)
        }
    }

    @Test("1.7 A peripheral that was discovered before a reset cannot be connected after it")
    func reset() async throws {
        try await withManager { manager, peripheral in
            manager.interrupt {
                $0.receive(.stateChanged(.resetting))
                $0.receive(.stateChanged(.poweredOn))
            }
            manager.connect(peripheral)
            #expect(peripheral.state == .disconnected)
        }
    }

    private func withManager(
        _ body: (InterruptedManager, CBPeripheral) throws -> Void
    ) async throws {
        let watcher = StateWatcher()
        let manager = InterruptedManager(
            delegate: watcher,
            queue: DispatchQueue(label: "app"),
            options: [CBManagerOptionAdapterKey: "nonsense"]
        )
        // The adapter's only report arrives before the reports of the test.
        for await state in watcher.states where state == .unsupported { break }
        manager.delegate = nil
        manager.receive(.stateChanged(.poweredOn))
        let peripheral = manager.peripheral(for: PeerIdentifier(UUID()))
        try body(manager, peripheral)
    }
}

/// An observer of a manager's states.
private final class StateWatcher: NSObject, CBCentralManagerDelegate {
    let states: AsyncStream<CBManagerState>
    private let continuation: AsyncStream<CBManagerState>.Continuation

    override init() {
        (states, continuation) = AsyncStream.makeStream()
        super.init()
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        continuation.yield(central.state)
    }
}

/// A manager that calls a closure right after the next read of its state.
private final class InterruptedManager: CBCentralManager, @unchecked Sendable {
    // Unchecked: the test uses it alone, after the queue's only callback.
    private var interruption: ((InterruptedManager) -> Void)?

    func interrupt(_ interruption: @escaping (InterruptedManager) -> Void) {
        self.interruption = interruption
    }

    override var state: CBManagerState {
        let seen = super.state
        let interruption = interruption
        self.interruption = nil
        interruption?(self)
        return seen
    }
}
