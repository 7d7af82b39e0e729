// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothPort
import Dispatch
import Foundation
import Lanyard

/// A `SystemCentral` that uses the adapter of a virtual device. `CentralDriver`, here called the
/// driver, is its user.
///
/// Unchecked: all mutable state is used on the queue only.
final class PortCentral: SystemCentral, @unchecked Sendable {
    typealias Receiver = @Sendable (SystemCentralEvent) -> Void

    let client = PortClient()
    private let usage: AdapterUsage
    private let restoreIdentifier: String?
    private let queue: DispatchQueue
    private var receiver: Receiver?
    private(set) var isScanning = false
    /// Whether restored state waits for Bluetooth to be on.
    private var isRestoring = false
    /// Whether a restored scan waits for Bluetooth to be on.
    private var hasRestoredScan = false
    /// The peripherals that the driver keeps.
    private var peripherals: [PeerIdentifier: WeakReference<SystemPeripheral>] = [:]
    /// The number of entries at which the entries of released peripherals are next removed. Each
    /// removal sets it to at least twice the number of remaining entries, so that removals stay
    /// rare.
    private var removalCount = 64

    init(_ usage: AdapterUsage, restoring restoreIdentifier: String?, on queue: DispatchQueue) {
        self.usage = usage
        self.restoreIdentifier = restoreIdentifier
        self.queue = queue
    }

    deinit { leave() }

    var availability: Availability { client.availability }

    func begin(_ receive: @escaping Receiver) {
        receiver = receive
        let delivery = Delivery<CentralEvent>(on: queue) { [weak self] in self?.receive($0) }
        let session = CentralSession(
            identifier: client.session,
            delivery: delivery,
            restoreIdentifier: restoreIdentifier
        )
        client.open(usage) {
            $0.open(session)
        } orElse: {
            delivery.post(.stateChanged(.unsupported), from: nil)
        }
    }

    func end() {
        receiver = nil
        peripherals = [:]
        leave()
    }

    private func leave() {
        client.leave { [session = client.session] in $0.close(central: session) }
    }

    func setInBackground(_ isInBackground: Bool) {
        client.adapter?
            .execute { [session = client.session] in
                $0.setBackgroundRules(isInBackground, for: session)
            }
    }

    /// Passes an event to the driver.
    func post(_ event: SystemCentralEvent) { receiver?(event) }

    // MARK: Scanning

    func scan(_ scan: PlannedScan) {
        let request = RequestedScan(
            services: scan.services?.sorted { $0.text < $1.text }.compactMap(\.written),
            allowsDuplicates: scan.reportsDuplicates
        )
        if client.state == .poweredOn { isScanning = true }
        client.give { $0.startScan(request, for: $1) }
    }

    func stopScan() {
        if client.state == .poweredOn { isScanning = false }
        client.give { $0.endScan(of: $1) }
    }

    // MARK: Peripherals

    func peripherals(with identifiers: [UUID]) -> [SystemPeripheral] {
        let peers = identifiers.map { PeerIdentifier($0) }
        if client.state != .poweredOn, isRestoring { return peers.compactMap { known($0) } }
        guard client.state == .poweredOn, let adapter = client.adapter else { return [] }
        return peers.filter { adapter.knows($0) }.map { peripheral(of: $0) }
    }

    func connectedPeripherals(with services: [BluetoothID]) -> [SystemPeripheral] {
        guard client.state == .poweredOn, let adapter = client.adapter else { return [] }
        return adapter.connectedPeers(withServices: services.compactMap { $0.written?.value })
            .map { peripheral(of: $0) }
    }

    func connect(_ peripheral: SystemPeripheral, _ options: ConnectionOptions) {
        guard let source = source(of: peripheral) else { return }
        let request = ConnectionRequestNumber.next()
        source.remote.connectionWanted(request)
        let peer = source.peer
        // Core Bluetooth takes the delay in whole seconds.
        let delay = Duration.seconds((options.delay / .seconds(1)).rounded(.up))
        client.give {
            $0.connect(peer, for: $1, request, reconnects: options.reconnects, after: delay)
        }
    }

    func cancelConnection(_ peripheral: SystemPeripheral) {
        guard let source = source(of: peripheral), source.remote.disconnectionWanted() else {
            return
        }
        let peer = source.peer
        client.give { $0.cancel(peer, for: $1) }
    }

    func linkState(of peripheral: SystemPeripheral) -> SystemLinkState {
        switch peripheral.port?.remote.state {
        case .connecting: .connecting
        case .connected: .connected
        case .disconnecting: .disconnecting
        case .disconnected, nil: .disconnected
        }
    }

    func writeCapacity(of peripheral: SystemPeripheral) -> WriteCapacity {
        peripheral.port?.writeCapacity
            ?? WriteCapacity(withResponse: 0, withoutResponse: 0, canSendWithoutResponse: false)
    }

    func send(_ request: PeripheralRequest, to peripheral: SystemPeripheral) {
        guard client.state == .poweredOn else { return }
        peripheral.port?.send(request)
    }

    /// Returns the object to which commands for a peripheral go. Returns `nil` while Bluetooth is
    /// not on, and for a peripheral of another central or from before a reset of Bluetooth.
    private func source(of peripheral: SystemPeripheral) -> PortPeripheral? {
        guard client.state == .poweredOn, let source = peripheral.port,
            known(source.peer) === peripheral
        else { return nil }
        return source
    }

    /// Returns the object for a peer: the existing object if the driver still keeps it, and
    /// otherwise a new one.
    func peripheral(of peer: PeerIdentifier, name: String? = nil) -> SystemPeripheral {
        let name = name ?? client.adapter?.name(of: peer)
        if let known = known(peer) { return known }
        if peripherals.count >= removalCount {
            peripherals = peripherals.filter { $0.value.object != nil }
            removalCount = max(removalCount, 2 * peripherals.count)
        }
        let new = PortPeripheral.make(peer, name: name, of: self)
        peripherals[peer] = WeakReference(new)
        return new
    }

    /// Returns the object for a peer, if the driver keeps one.
    func known(_ peer: PeerIdentifier) -> SystemPeripheral? { peripherals[peer]?.object }

    // MARK: The state

    func stateChanged(to state: ManagerState) {
        client.received(state)
        // Keeps the peripherals until the driver has received the event.
        let lost = state == .poweredOn || isRestoring ? [] : peripherals.values.compactMap(\.object)
        if state == .poweredOn {
            isScanning = isScanning || hasRestoredScan
            (isRestoring, hasRestoredScan) = (false, false)
        } else if !isRestoring {
            isScanning = false
            if state.rawValue < ManagerState.poweredOff.rawValue { peripherals = [:] }
        }
        for peripheral in lost { peripheral.port?.change { $0.powerLost() } }
        withExtendedLifetime(lost) { post(.availabilityChanged(client.availability)) }
    }

    func restored(_ restored: RestoredCentral) {
        let peripherals = restored.peers.map { peer in
            let peripheral = peripheral(of: peer.intent.identifier, name: peer.intent.name)
            peripheral.port?.restore(peer)
            return peripheral
        }
        isRestoring = true
        hasRestoredScan = restored.scan != nil
        let scan = restored.scan.map { scan in
            PlannedScan(
                services: scan.services.map { Set($0.map { BluetoothID($0) }) },
                reportsDuplicates: scan.allowsDuplicates ?? false
            )
        }
        post(.restored(peripherals, scan: scan))
    }
}
