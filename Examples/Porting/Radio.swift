// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth

#if canImport(os)
    import os
#else
    import PortingShims
#endif

/// Bluetooth as an actor on the manager's own queue, as written for an iPhone.
actor Radio {
    private let queue = DispatchSerialQueue(label: "com.example.radio")
    private let logger = Logger(subsystem: "com.example", category: "radio")
    private let listener = Listener()
    private var manager: CBCentralManager?
    private(set) var states: [CBManagerState] = []
    private var waiting: CheckedContinuation<Void, Never>?

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// Waits for the first state of Bluetooth.
    func start(_ options: [String: any Sendable] = [:]) async {
        listener.radio = self
        manager = CBCentralManager(delegate: listener, queue: queue, options: options)
        await withCheckedContinuation { waiting = $0 }
    }

    private func stateChanged(to state: CBManagerState) {
        logger.notice("Bluetooth is in the state \(state.rawValue)")
        states.append(state)
        waiting?.resume()
        waiting = nil
    }

    private final class Listener: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
        // Unchecked: set before the manager is made, and then used on its queue.
        weak var radio: Radio?

        func centralManagerDidUpdateState(_ central: CBCentralManager) {
            let state = central.state
            radio?.assumeIsolated { $0.stateChanged(to: state) }
        }
    }
}
