// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Foundation
import Synchronization

/// An app with a central manager. It writes every callback as a line into its journal, and
/// keeps every peripheral that it gets.
///
/// The closure of `react` runs in each callback, on the manager's queue, after the callback's line
/// was written.
///
/// Unchecked: its variables are behind a lock, and a manager may be used on any thread.
final class CentralRecorder: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate,
    @unchecked Sendable
{
    let journal = Journal()
    let queue: DispatchQueue
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    private(set) var manager: CBCentralManager!
    private let state = Mutex(())
    private var knownPeripherals: [String: CBPeripheral] = [:]
    private var reaction: (@Sendable (String, CentralRecorder) -> Void)?

    init(queue: DispatchQueue, options: [String: Any]) {
        self.queue = queue
        super.init()
        manager = CBCentralManager(delegate: self, queue: queue, options: options)
    }

    /// Sets the closure that runs in callbacks.
    func react(_ reaction: @escaping @Sendable (String, CentralRecorder) -> Void) {
        state.withLock { _ in self.reaction = reaction }
    }

    /// Returns a peripheral by its name.
    subscript(name: String) -> CBPeripheral? { state.withLock { _ in knownPeripherals[name] } }

    func drop(_ name: String) {
        _ = state.withLock { _ in knownPeripherals.removeValue(forKey: name) }
    }

    func dropManager() { manager = nil }

    private func note(_ line: String) {
        dispatchPrecondition(condition: .onQueue(queue))
        journal.add(line)
        state.withLock { _ in reaction }?(line, self)
    }

    private func add(_ peripheral: CBPeripheral) -> String {
        let name = peripheral.name ?? peripheral.identifier.uuidString
        state.withLock { _ in knownPeripherals[name] = peripheral }
        return name
    }

    // MARK: CBCentralManagerDelegate

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        note("state \(Journal.text(central.state))")
    }

    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
        for peripheral in dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
        {
            _ = add(peripheral)
        }
        note("restored \(dict.keys.sorted().joined(separator: " "))")
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        note("discovered \(add(peripheral))")
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        note("connected \(add(peripheral))")
    }

    func centralManager(
        _ central: CBCentralManager,
        didFailToConnect peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        note("failed \(add(peripheral)) \(Journal.text(error))")
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        timestamp: CFAbsoluteTime,
        isReconnecting: Bool,
        error: (any Error)?
    ) {
        let reconnecting = isReconnecting ? " reconnecting" : ""
        note("disconnected \(add(peripheral)) \(Journal.text(error))\(reconnecting)")
    }

    func centralManager(
        _ central: CBCentralManager,
        connectionEventDidOccur event: CBConnectionEvent,
        for peripheral: CBPeripheral
    ) {
        note("event \(event == .peerConnected ? "connected" : "disconnected") \(add(peripheral))")
    }

    // MARK: CBPeripheralDelegate

    func peripheralDidUpdateName(_ peripheral: CBPeripheral) {
        note("name \(peripheral.name ?? "nil")")
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didModifyServices invalidatedServices: [CBService]
    ) {
        note("modified \(invalidatedServices.map(\.uuid.uuidString).joined(separator: " "))")
    }

    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
        note("rssi \(RSSI) \(Journal.text(error))")
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        note("services \(list(peripheral.services)) \(Journal.text(error))")
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverIncludedServicesFor service: CBService,
        error: (any Error)?
    ) {
        note(
            "included \(service.uuid.uuidString): \(list(service.includedServices)) \(Journal.text(error))"
        )
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: (any Error)?
    ) {
        let found = list(service.characteristics)
        note("characteristics \(service.uuid.uuidString): \(found) \(Journal.text(error))")
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverDescriptorsFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        let found = list(characteristic.descriptors)
        note("descriptors \(characteristic.uuid.uuidString): \(found) \(Journal.text(error))")
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        let value = hexadecimal(characteristic.value)
        note("value \(characteristic.uuid.uuidString) \(value) \(Journal.text(error))")
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didWriteValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        note("wrote \(characteristic.uuid.uuidString) \(Journal.text(error))")
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        let state = characteristic.isNotifying ? "on" : "off"
        note("notifying \(characteristic.uuid.uuidString) \(state) \(Journal.text(error))")
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor descriptor: CBDescriptor,
        error: (any Error)?
    ) {
        let value = descriptor.value.map { "\($0)" } ?? "nil"
        note("descriptor \(descriptor.uuid.uuidString) \(value) \(Journal.text(error))")
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didWriteValueFor descriptor: CBDescriptor,
        error: (any Error)?
    ) {
        note("wrote descriptor \(descriptor.uuid.uuidString) \(Journal.text(error))")
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        note("ready")
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didOpen channel: CBL2CAPChannel?,
        error: (any Error)?
    ) {
        note("opened \(channel.map { "\($0.psm)" } ?? "nil") \(Journal.text(error))")
    }

    // MARK: Text

    private func list(_ attributes: [CBAttribute]?) -> String {
        attributes.map { $0.map(\.uuid.uuidString).joined(separator: ",") } ?? "nil"
    }

    private func hexadecimal(_ data: Data?) -> String {
        data.map { [UInt8]($0).map { String(format: "%02x", $0) }.joined() } ?? "nil"
    }
}
