// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import CoreBluetoothEnumerations
import Dispatch
import Foundation

/// Finds peripherals, connects to them, and keeps the links.
///
/// All methods may be called on any thread; all callbacks come on the queue given to the initialiser, in
/// order, also those of the peripherals. Commands are valid in the state `poweredOn` only: others are
/// dropped, and said so in the log.
open class CBCentralManager: CBManager {
    /// Who is told. Not kept alive.
    weak open var delegate: (any CBCentralManagerDelegate)?

    private let receiver = WeakReference<CBCentralManager>()
    private let delivery: Delivery<CentralEvent>
    private let mirror = Guarded(Mirror())

    private struct Mirror {
        var isScanning = false
        /// Every peripheral that the application still has.
        var peripherals: [PeerIdentifier: WeakReference<CBPeripheral>] = [:]
    }

    /// A manager that tells nobody, on the main queue.
    public convenience init() {
        self.init(delegate: nil, queue: nil, options: nil)
    }

    /// A manager whose delegate is called on `queue`; nil for the main queue.
    public convenience init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?) {
        self.init(delegate: delegate, queue: queue, options: nil)
    }

    /// The same with options: `CBCentralManagerOption…` keys, and `CBManagerOptionAdapterKey`.
    ///
    /// Returns at once, in the state `unknown`; the first `centralManagerDidUpdateState` follows.
    public init(
        delegate: (any CBCentralManagerDelegate)?,
        queue: DispatchQueue?,
        options: [String: Any]? = nil
    ) {
        self.delegate = delegate
        delivery = Delivery(on: queue) { [receiver] in receiver.object?.receive($0) }
        super.init(ManagerOptions(options))
        receiver.object = self
        openSession()
    }

    deinit {
        adapter?.enter { [session] in $0.close(central: session) }
    }

    private func openSession() {
        let session = CentralSession(
            identifier: session,
            delivery: delivery,
            restoreIdentifier: options.restoreIdentifier
        )
        if let adapter {
            adapter.enter { $0.open(session) }
        } else {
            delivery.post(.stateChanged(.unsupported), from: nil)
        }
    }

    // MARK: Scanning

    /// Whether a scan of this manager is running.
    open var isScanning: Bool { mirror.current.isScanning }

    /// Looks for peripherals that advertise one of the services, or for all. Replaces an earlier scan.
    open func scanForPeripherals(
        withServices serviceUUIDs: [CBUUID]?,
        options: [String: Any]? = nil
    ) {
        guard isReadyForCommands() else { return }
        mirror.change { $0.isScanning = true }
        let request = ScanWish(serviceUUIDs, options).request
        adapter?.enter { [session] in $0.startScan(request, for: session) }
    }

    /// Ends the scan.
    open func stopScan() {
        guard isReadyForCommands() else { return }
        mirror.change { $0.isScanning = false }
        adapter?.enter { [session] in $0.stopScan(of: session) }
    }

    // MARK: Links

    /// Connects to a peripheral, for as long as it takes; `cancelPeripheralConnection` gives up.
    open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
        guard isReadyForCommands() else { return }
        let peer = peripheral.peer
        let reconnects = options?[CBConnectPeripheralOptionEnableAutoReconnect] as? Bool ?? false
        peripheral.connectionWanted()
        adapter?.enter { [session] in
            $0.connect(peer, for: session, reconnects: reconnects)
        }
    }

    /// Ends this manager's use of a peripheral, or its attempt to connect to it.
    open func cancelPeripheralConnection(_ peripheral: CBPeripheral) {
        guard isReadyForCommands() else { return }
        let peer = peripheral.peer
        peripheral.disconnectionWanted()
        adapter?.enter { [session] in $0.cancel(peer, for: session) }
    }

    // MARK: Peripherals that are known

    /// The peripherals with these identifiers, in their order; without those that are not known.
    open func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
        guard isReadyForCommands(), let adapter else { return [] }
        return identifiers.compactMap { identifier in
            let peer = PeerIdentifier(identifier)
            return adapter.knows(peer) ? peripheral(for: peer) : nil
        }
    }

    /// The peripherals to which there are links, whoever made them, that have one of the services.
    open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] {
        guard isReadyForCommands(), let adapter else { return [] }
        return adapter.connectedPeers(withServices: serviceUUIDs.map(\.value))
            .map { peripheral(for: $0) }
    }

    /// Whether the hardware can do something.
    open class func supports(_ features: CBCentralManager.Feature) -> Bool { features.isEmpty }

    /// Asks to be told when matching peripherals connect and disconnect, whoever connects to them.
    open func registerForConnectionEvents(
        options: [CBConnectionEventMatchingOption: Any]? = nil
    ) {
        guard isReadyForCommands() else { return }
    }

    /// The object for a peer: the same as long as the application has it.
    func peripheral(for peer: PeerIdentifier, name: String? = nil) -> CBPeripheral {
        mirror.change { mirror in
            if let known = mirror.peripherals[peer]?.object { return known }
            let new = CBPeripheral(peer, of: self, name: name)
            mirror.peripherals[peer] = WeakReference(new)
            return new
        }
    }

    /// The object for a peer, if the application has it.
    func knownPeripheral(_ peer: PeerIdentifier) -> CBPeripheral? {
        mirror.current.peripherals[peer]?.object
    }

    /// The application has let go of a peripheral.
    func forget(_ peer: PeerIdentifier) {
        mirror.change { mirror in
            if mirror.peripherals[peer]?.object == nil { mirror.peripherals[peer] = nil }
        }
    }
}

// What the adapter tells, on the manager's queue.
extension CBCentralManager {
    private func receive(_ event: CentralEvent) {
        switch event {
        case .stateChanged(let state): stateChanged(to: state)
        case .restored: break
        case .discovered(let peer, let name, let advertisement):
            guard isScanning else { return }
            let peripheral = peripheral(for: peer, name: name)
            peripheral.heard(name)
            delegate?.centralManager(
                self,
                didDiscover: peripheral,
                advertisementData: AdvertisementDictionary.make(advertisement),
                rssi: NSNumber(value: advertisement.rssi ?? 127)
            )
        case .connected(let peer):
            guard let peripheral = knownPeripheral(peer) else { return }
            peripheral.connected()
            delegate?.centralManager(self, didConnect: peripheral)
        case .failedToConnect(let peer, let error):
            guard let peripheral = knownPeripheral(peer) else { return }
            peripheral.disconnected()
            delegate?.centralManager(self, didFailToConnect: peripheral, error: error)
        case .disconnected(let peer, let parting): parted(peer, parting)
        case .connectionEvent(let event, let peer):
            delegate?.centralManager(
                self,
                connectionEventDidOccur: event,
                for: peripheral(for: peer)
            )
        case .peripheral(let peer, let event): knownPeripheral(peer)?.receive(event)
        }
    }

    private func parted(_ peer: PeerIdentifier, _ parting: Parting) {
        guard let peripheral = knownPeripheral(peer) else { return }
        peripheral.disconnected(isReconnecting: parting.isReconnecting)
        peripheral.disconnection.change {
            $0 = Disconnection(
                timestamp: parting.timestamp,
                isReconnecting: parting.isReconnecting
            )
        }
        delegate?.centralManager(
            self,
            didDisconnectPeripheral: peripheral,
            error: parting.error
        )
        peripheral.disconnection.change { $0 = nil }
    }

    private func stateChanged(to state: CBManagerState) {
        setState(state)
        if state != .poweredOn {
            mirror.change { $0.isScanning = false }
            for reference in mirror.current.peripherals.values { reference.object?.disconnected() }
        }
        delegate?.centralManagerDidUpdateState(self)
    }
}
