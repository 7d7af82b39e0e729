// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothTypes
import CoreBluetoothEnumerations
import Dispatch
import Foundation

/// An object that discovers peripherals, connects to them, and manages their links.
///
/// All methods may be called on any thread. The delegates of the manager and of its peripherals are
/// called on the queue that was passed to the initializer, in order. Commands are valid in the
/// state `poweredOn`. In other states they are ignored and logged as misuse, except that restored
/// peripherals can be retrieved.
///
/// Any number of managers can share an adapter. Each manager has its own `CBPeripheral` objects. A
/// command of one manager does not affect the scans and links of the others.
open class CBCentralManager: CBManager {
    /// The delegate. Held weakly.
    open var delegate: (any CBCentralManagerDelegate)? {
        get { delegateReference.change { $0.delegate } }
        set { delegateReference.change { $0.delegate = newValue } }
    }

    /// The delegate, behind a lock: a weak reference must not be read and set at the same time.
    private let delegateReference: LockedState<DelegateReference>

    private struct DelegateReference {
        weak var delegate: (any CBCentralManagerDelegate)?
    }

    private let receiver = WeakReference<CBCentralManager>()
    private let delivery: Delivery<CentralEvent>
    let snapshot = LockedState(Snapshot())

    /// The state that the manager shows.
    struct Snapshot {
        var isScanning = false
        /// Whether restored state waits for Bluetooth to be on.
        var isRestoring = false
        /// Whether a restored scan waits for Bluetooth to be on.
        var hasRestoredScan = false
        /// The peripherals that the app keeps.
        var peripherals: [PeerIdentifier: WeakReference<CBPeripheral>] = [:]
    }

    /// Creates a manager without a delegate, on the main queue.
    public convenience init() {
        self.init(delegate: nil, queue: nil, options: nil)
    }

    /// Creates a manager whose delegate is called on `queue`; `nil` for the main queue.
    public convenience init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?) {
        self.init(delegate: delegate, queue: queue, options: nil)
    }

    /// Creates a manager with options: `CBCentralManagerOption…` keys and
    /// `CBManagerOptionAdapterKey`.
    ///
    /// Returns at once, in the state `unknown`. `centralManagerDidUpdateState` follows. If the
    /// adapter does not exist, the state becomes `unsupported`.
    public init(
        delegate: (any CBCentralManagerDelegate)?,
        queue: DispatchQueue?,
        options: [String: Any]? = nil
    ) {
        delegateReference = LockedState(DelegateReference(delegate: delegate))
        delivery = Delivery(on: queue) { [receiver] in receiver.object?.receive($0) }
        super.init(ManagerOptions(options))
        receiver.object = self
        openSession()
    }

    deinit {
        connection.leave { [session] in $0.close(central: session) }
    }

    private func openSession() {
        let session = CentralSession(
            identifier: session,
            delivery: delivery,
            restoreIdentifier: options.restoreIdentifier,
            followsBackgroundRules: options.hasBackgroundRules
        )
        connection.open(options.adapter) {
            $0.open(session)
        } orElse: {
            session.delivery.post(.stateChanged(.unsupported), from: nil)
        }
    }

    override func backgroundRulesChanged(to areFollowed: Bool) {
        adapter?.execute { [session] in $0.setBackgroundRules(areFollowed, for: session) }
    }

    // MARK: Scanning

    /// Whether a scan of this manager is running. Can be observed.
    open var isScanning: Bool { snapshot.read { $0.isScanning } }

    /// Scans for peripherals that advertise one of the services, or for all peripherals if
    /// `serviceUUIDs` is `nil` or empty. Replaces an earlier scan.
    ///
    /// With `CBCentralManagerScanOptionSolicitedServiceUUIDsKey`, the scan also finds peripherals
    /// that solicit one of the services of that option. If `serviceUUIDs` is then `nil` or empty,
    /// it finds only these. A scan without any services finds nothing while the manager follows the
    /// background rules (`CBManagerOptionBackgroundRulesKey`).
    ///
    /// The manager reports a peripheral once, and again when its advertisement changes or its scan
    /// response adds data. If the adapter is the system's Bluetooth daemon (`bluez`), the manager
    /// reports each peripheral only once in a scan. With
    /// `CBCentralManagerScanOptionAllowDuplicatesKey` it reports every packet (or every change that
    /// the daemon reports), unless it follows the background rules. It reports no iBeacons. A new
    /// scan reports all peripherals again. Services in a peripheral's overflow area are found if
    /// the peripheral uses this package: the format of Apple's area is not public.
    open func scanForPeripherals(
        withServices serviceUUIDs: [CBUUID]?,
        options: [String: Any]? = nil
    ) {
        let request = RequestedScan(serviceUUIDs, options)
        give(showing: { $0.isScanning = true }) { $0.startScan(request, for: $1) }
    }

    /// Stops the scan. The manager reports no discoveries from now on.
    open func stopScan() {
        give(showing: { $0.isScanning = false }) { $0.endScan(of: $1) }
    }

    // MARK: Links

    /// Connects to a peripheral. The request has no timeout. `cancelPeripheralConnection` cancels
    /// it. If there is already a link to the peripheral, `didConnect` follows at once.
    ///
    /// `CBConnectPeripheralOptionEnableAutoReconnect` and `CBConnectPeripheralOptionStartDelayKey`
    /// are supported. Other options are accepted without an effect.
    open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
        guard isReadyForCommands(), mayUse(peripheral) else { return }
        let peer = peripheral.peer
        let reconnects = options?.flag(CBConnectPeripheralOptionEnableAutoReconnect) ?? false
        let delay = options?.delay(CBConnectPeripheralOptionStartDelayKey) ?? .zero
        let request = ConnectionRequestNumber.next()
        command(showing: { has(peripheral) && peripheral.connectionWanted(request) }) {
            $0.connect(peer, for: $1, request, reconnects: reconnects, after: delay)
        }
        peripheral.observers.report()
    }

    /// Cancels this manager's connection or connection request. The link stays if the peripheral
    /// made it, and while another manager uses it.
    open func cancelPeripheralConnection(_ peripheral: CBPeripheral) {
        guard isReadyForCommands(), mayUse(peripheral) else { return }
        let peer = peripheral.peer
        command(showing: { peripheral.disconnectionWanted() }) {
            $0.cancel(peer, for: $1)
        }
        peripheral.observers.report()
    }

    // MARK: Known peripherals

    /// Returns the known peripherals with these identifiers, in the order of the identifiers. A
    /// device is known if this host made its identifier from an address, or has a bond with it.
    /// After a restoration, only peripherals that the app keeps are known until Bluetooth is on.
    open func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
        if state != .poweredOn, snapshot.read(\.isRestoring) {
            return identifiers.compactMap { knownPeripheral(PeerIdentifier($0)) }
        }
        guard isReadyForCommands(), let adapter else { return [] }
        return identifiers.compactMap { identifier in
            let peer = PeerIdentifier(identifier)
            return adapter.knows(peer) ? peripheral(for: peer) : nil
        }
    }

    /// Returns the peripherals with a link to this host that have one of the services. Another
    /// manager or the peripheral itself may have made the link. To use such a peripheral, the app
    /// first has to connect this manager to it with `connect(_:options:)`.
    ///
    /// The services of a peripheral are known if they were advertised, discovered on the link, or
    /// stored with a bond. The method sends no request to the peripheral.
    open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] {
        guard isReadyForCommands(), let adapter else { return [] }
        return adapter.connectedPeers(withServices: serviceUUIDs.map(\.value))
            .map { peripheral(for: $0) }
    }

    /// Returns whether the default adapter supports the features. While no manager has the adapter
    /// open, no features are supported.
    open class func supports(_ features: CBCentralManager.Feature) -> Bool {
        guard let adapter = CBAdapter.default?.usage.running else {
            return features.isEmpty
        }
        let capabilities = adapter.facts.withLock { $0.capabilities }
        let supported: CBCentralManager.Feature =
            capabilities.contains(.extendedAdvertisements) ? .extendedScanAndConnect : []
        return features.isSubset(of: supported)
    }

    /// Requests events for the connections and disconnections of matching peripherals, whichever
    /// manager or peer causes the events. `nil` ends the events.
    open func registerForConnectionEvents(
        options: [CBConnectionEventMatchingOption: Any]? = nil
    ) {
        let request = ConnectionEventRequest(options)
        give { $0.setConnectionEvents(request, for: $1) }
    }

    /// Sends a command to the adapter if Bluetooth is on, and logs misuse if not.
    private func give(
        showing show: (inout Snapshot) -> Void = { _ in },
        _ carryOut: @escaping @Sendable (isolated SharedAdapter, SessionIdentifier) -> Void
    ) {
        guard isReadyForCommands() else { return }
        command(
            showing: {
                snapshot.change(show)
                return true
            },
            carryOut
        )
        observers.report()
    }

    private func has(_ peripheral: CBPeripheral) -> Bool {
        knownPeripheral(peripheral.peer) === peripheral
    }

    /// Returns whether a peripheral belongs to this manager. Logs the misuse if not.
    private func mayUse(_ peripheral: CBPeripheral) -> Bool {
        guard !has(peripheral) else { return true }
        let reason =
            peripheral.manager === self
            ? "was discovered before Bluetooth was reset" : "belongs to another manager"
        Misuse.report(
            "\(peripheral) \(reason): "
                + "\(Misuse.name(self)) has to retrieve or discover it"
        )
        return false
    }
}
