// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Foundation
import Synchronization

/// An app with a peripheral manager. It writes every callback as a line into its journal,
/// and keeps every request and every central that it gets.
///
/// The closure of `react` runs in each callback, on the manager's queue, after the callback's line
/// was written. The closure of `answer` handles the requests.
///
/// Unchecked: its variables are behind a lock, and a manager may be used on any thread.
final class PeripheralRecorder: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    typealias Reaction = @Sendable (PeripheralRecorder, [CBATTRequest]) -> Void

    let journal = Journal()
    let queue: DispatchQueue
    // Made after `super.init()`, because its delegate is this object.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    private(set) var manager: CBPeripheralManager!
    private let state = Mutex(())
    private var requests: [CBATTRequest] = []
    private var restored: [CBMutableService] = []
    private var advertised: [Bool] = []
    private var knownCentrals: [CBCentral] = []
    private var reaction: (@Sendable (String, PeripheralRecorder) -> Void)?
    private var answer: Reaction?

    init(queue: DispatchQueue, options: [String: Any]) {
        self.queue = queue
        super.init()
        manager = CBPeripheralManager(delegate: self, queue: queue, options: options)
    }

    /// Sets the closure that runs in callbacks.
    func react(_ reaction: @escaping @Sendable (String, PeripheralRecorder) -> Void) {
        state.withLock { _ in self.reaction = reaction }
    }

    /// Sets the closure that handles requests.
    func answer(_ answer: @escaping Reaction) {
        state.withLock { _ in self.answer = answer }
    }

    /// The requests so far. The requests of one unit follow each other.
    var allRequests: [CBATTRequest] { state.withLock { _ in requests } }

    /// The centrals so far, each object once.
    var centrals: [CBCentral] { state.withLock { _ in knownCentrals } }

    /// The services that were restored.
    var restoredServices: [CBMutableService] { state.withLock { _ in restored } }

    /// For each state so far, whether the manager was advertising in the callback.
    var wasAdvertising: [Bool] { state.withLock { _ in advertised } }

    func dropManager() { manager = nil }

    /// Releases requests and centrals.
    func forget() {
        state.withLock { _ in
            requests = []
            knownCentrals = []
        }
    }

    private func note(_ line: String) {
        dispatchPrecondition(condition: .onQueue(queue))
        journal.add(line)
        state.withLock { _ in reaction }?(line, self)
    }

    private func add(_ central: CBCentral) {
        state.withLock { _ in
            if !knownCentrals.contains(where: { $0 === central }) { knownCentrals.append(central) }
        }
    }

    private func take(_ new: [CBATTRequest]) {
        for request in new { add(request.central) }
        state.withLock { _ in requests += new }
        state.withLock { _ in answer }?(self, new)
    }

    // MARK: CBPeripheralManagerDelegate

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        state.withLock { _ in advertised.append(peripheral.isAdvertising) }
        note("state \(Journal.text(peripheral.state))")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any])
    {
        let services = dict[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService]
        state.withLock { _ in restored = services ?? [] }
        note("restored \(dict.keys.sorted().joined(separator: " "))")
    }

    func peripheralManagerDidStartAdvertising(
        _ peripheral: CBPeripheralManager,
        error: (any Error)?
    ) {
        note("advertising \(Journal.text(error))")
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didAdd service: CBService,
        error: (any Error)?
    ) {
        note("added \(service.uuid.uuidString) \(Journal.text(error))")
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) {
        add(central)
        note("subscribed \(characteristic.uuid.uuidString)\(subscribers(of: characteristic))")
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        add(central)
        note("unsubscribed \(characteristic.uuid.uuidString)\(subscribers(of: characteristic))")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest)
    {
        note("read \(request.characteristic.uuid.uuidString) from \(request.offset)")
        take([request])
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didReceiveWrite requests: [CBATTRequest]
    ) {
        let parts = requests.map { request in
            "\(request.characteristic.uuid.uuidString)[\(request.offset)]+\(request.value?.count ?? -1)"
        }
        note("write \(parts.joined(separator: " "))")
        take(requests)
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        note("ready")
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didPublishL2CAPChannel PSM: CBL2CAPPSM,
        error: (any Error)?
    ) {
        note("published \(PSM) \(Journal.text(error))")
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didUnpublishL2CAPChannel PSM: CBL2CAPPSM,
        error: (any Error)?
    ) {
        note("unpublished \(PSM) \(Journal.text(error))")
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didOpen channel: CBL2CAPChannel?,
        error: (any Error)?
    ) {
        note("opened \(channel.map { "\($0.psm)" } ?? "nil") \(Journal.text(error))")
    }

    // MARK: Text

    /// Returns the number of subscribers that the characteristic shows in the callback.
    private func subscribers(of characteristic: CBCharacteristic) -> String {
        let centrals = (characteristic as? CBMutableCharacteristic)?.subscribedCentrals
        return " \(centrals.map { "\($0.count)" } ?? "nil")"
    }
}
