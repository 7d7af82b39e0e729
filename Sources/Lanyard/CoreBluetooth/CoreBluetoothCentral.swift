// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// A `CBCentralManager` as a `SystemCentral`.
///
/// Unchecked: all mutable state is used on the manager's queue only.
final class CoreBluetoothCentral: NSObject, SystemCentral, @unchecked Sendable {
    typealias Receiver = @Sendable (SystemCentralEvent) -> Void

    private let makeManager: @Sendable (CoreBluetoothCentral) -> CBCentralManager
    /// The manager that the app passed; `nil` if this object creates its own.
    private let adoption: Adoption?
    private(set) var manager: CBCentralManager?
    private var receiver: Receiver?

    /// Creates a central.
    ///
    /// - Parameter makeManager: A closure that makes the manager, with this central as its
    ///   delegate.
    init(_ makeManager: @escaping @Sendable (CoreBluetoothCentral) -> CBCentralManager) {
        self.makeManager = makeManager
        adoption = nil
    }

    /// Creates a central that takes over a manager of the app.
    init(adopting adoption: Adoption) {
        makeManager = { adoption.begin($0) }
        self.adoption = adoption
    }

    var availability: Availability { manager.map { Availability($0.state) } ?? .unknown }

    func begin(_ receive: @escaping Receiver) {
        receiver = receive
        manager = makeManager(self)
    }

    func end() {
        manager?.delegate = nil
        adoption?.end()
        receiver = nil
        manager = nil
    }

    func setInBackground(_ isInBackground: Bool) {
        #if os(Linux)
            manager?.followsBackgroundRules = isInBackground
        #endif
    }

    /// Passes an event on.
    func post(_ event: SystemCentralEvent) { receiver?(event) }

    // MARK: Calls

    func scan(_ scan: PlannedScan) {
        manager?.scanForPeripherals(
            withServices: scan.services?.sorted { $0.text < $1.text }.map(\.cbuuid),
            options: [CBCentralManagerScanOptionAllowDuplicatesKey: scan.reportsDuplicates]
        )
    }

    func stopScan() { manager?.stopScan() }

    func peripherals(with identifiers: [UUID]) -> [SystemPeripheral] {
        let found = manager?.retrievePeripherals(withIdentifiers: identifiers) ?? []
        return found.map { peripheral(of: $0) }
    }

    func connectedPeripherals(with services: [BluetoothID]) -> [SystemPeripheral] {
        let services = services.map(\.cbuuid)
        let found = manager?.retrieveConnectedPeripherals(withServices: services) ?? []
        return found.map { peripheral(of: $0) }
    }

    func connect(_ peripheral: SystemPeripheral, _ options: ConnectionOptions) {
        var keys: [String: Any] = [:]
        if options.reconnects { keys[CBConnectPeripheralOptionEnableAutoReconnect] = true }
        if options.delay > .zero {
            // Core Bluetooth takes whole seconds; rounding up avoids an early attempt.
            let seconds = (options.delay / .seconds(1)).rounded(.up)
            keys[CBConnectPeripheralOptionStartDelayKey] = Int(seconds)
        }
        guard let source = peripheral.coreBluetooth else { return }
        manager?.connect(source.peripheral, options: keys)
    }

    func cancelConnection(_ peripheral: SystemPeripheral) {
        guard let source = peripheral.coreBluetooth else { return }
        manager?.cancelPeripheralConnection(source.peripheral)
    }

    func linkState(of peripheral: SystemPeripheral) -> SystemLinkState {
        switch peripheral.coreBluetooth?.peripheral.state {
        case .connecting: .connecting
        case .connected: .connected
        case .disconnecting: .disconnecting
        default: .disconnected
        }
    }

    func writeCapacity(of peripheral: SystemPeripheral) -> WriteCapacity {
        let source = peripheral.coreBluetooth?.peripheral
        return WriteCapacity(
            withResponse: source?.maximumWriteValueLength(for: .withResponse) ?? 0,
            withoutResponse: source?.maximumWriteValueLength(for: .withoutResponse) ?? 0,
            canSendWithoutResponse: source?.canSendWriteWithoutResponse ?? false
        )
    }

    func send(_ request: PeripheralRequest, to peripheral: SystemPeripheral) {
        peripheral.coreBluetooth?.send(request)
    }

    /// Returns the existing `SystemPeripheral` of a `CBPeripheral`, or creates one.
    func peripheral(of source: CBPeripheral) -> SystemPeripheral {
        if let known = source.delegate as? CoreBluetoothPeripheral, known.belongs(to: self),
            let owner = known.owner
        {
            owner.name = source.name
            return owner
        }
        let peripheral = CoreBluetoothPeripheral.make(source)
        peripheral.coreBluetooth?.attach(to: self)
        return peripheral
    }
}

extension SystemPeripheral {
    /// The object for Core Bluetooth.
    var coreBluetooth: CoreBluetoothPeripheral? { source as? CoreBluetoothPeripheral }
}
