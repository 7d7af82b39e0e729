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
///
/// Any number of managers share an adapter. Each has `CBPeripheral` objects of its own, and what one
/// does leaves the others' scans and links alone.
open class CBCentralManager: CBManager {
    /// Who is told. Not kept alive.
    open var delegate: (any CBCentralManagerDelegate)? {
        get { audience.change { $0.delegate } }
        set { audience.change { $0.delegate = newValue } }
    }

    /// The delegate. Behind a lock, since a weak reference may not be read and set at once.
    private let audience: Guarded<Audience>

    private struct Audience {
        weak var delegate: (any CBCentralManagerDelegate)?
    }

    private let receiver = WeakReference<CBCentralManager>()
    private let delivery: Delivery<CentralEvent>
    let mirror = Guarded(Mirror())

    /// What is shown of it.
    struct Mirror {
        var isScanning = false
        /// Whether what was restored waits for power; and whether a scan does.
        var isRestoring = false
        var hasRestoredScan = false
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
    /// Returns at once, in the state `unknown`; the first `centralManagerDidUpdateState` follows. If
    /// there is no such adapter the state is `unsupported`.
    public init(
        delegate: (any CBCentralManagerDelegate)?,
        queue: DispatchQueue?,
        options: [String: Any]? = nil
    ) {
        audience = Guarded(Audience(delegate: delegate))
        delivery = Delivery(on: queue) { [receiver] in receiver.object?.receive($0) }
        super.init(ManagerOptions(options))
        receiver.object = self
        openSession()
    }

    deinit {
        seat.leave { [session] in $0.close(central: session) }
    }

    private func openSession() {
        let session = CentralSession(
            identifier: session,
            delivery: delivery,
            restoreIdentifier: options.restoreIdentifier,
            followsBackgroundRules: options.hasBackgroundRules
        )
        seat.take(at: options.adapter) {
            $0.open(session)
        } orElse: {
            session.delivery.post(.stateChanged(.unsupported), from: nil)
        }
    }

    override func backgroundRulesChanged(to areFollowed: Bool) {
        adapter?.enter { [session] in $0.setBackgroundRules(areFollowed, for: session) }
    }

    // MARK: Scanning

    /// Whether a scan of this manager is running.
    open var isScanning: Bool { mirror.read { $0.isScanning } }

    /// Looks for peripherals that advertise one of the services, or for all (nil, or an empty array).
    /// Replaces an earlier scan.
    ///
    /// A peripheral is reported once, and again when what it says changes, or when its scan response
    /// adds to it; with `CBCentralManagerScanOptionAllowDuplicatesKey` for every packet. A new scan
    /// begins afresh. Services in a peripheral's overflow area count if it is one of this package:
    /// Apple's own area is not public.
    open func scanForPeripherals(
        withServices serviceUUIDs: [CBUUID]?,
        options: [String: Any]? = nil
    ) {
        let wish = ScanWish(serviceUUIDs, options)
        give(showing: { $0.isScanning = true }) { $0.startScan(wish, for: $1) }
    }

    /// Ends the scan: nothing is discovered from now on.
    open func stopScan() {
        give(showing: { $0.isScanning = false }) { $0.endScan(of: $1) }
    }

    // MARK: Links

    /// Connects to a peripheral, for as long as it takes; `cancelPeripheralConnection` gives up. Who has
    /// the link already is told `didConnect` at once.
    ///
    /// Of the options `CBConnectPeripheralOptionEnableAutoReconnect` and
    /// `CBConnectPeripheralOptionStartDelayKey` have an effect here. The others are accepted, and nothing
    /// happens.
    open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
        guard isReadyForCommands(), mayUse(peripheral) else { return }
        let peer = peripheral.peer
        let reconnects = options?.flag(CBConnectPeripheralOptionEnableAutoReconnect) ?? false
        let delay = options?.delay(CBConnectPeripheralOptionStartDelayKey) ?? .zero
        let wish = WishNumber.next()
        command(showing: { has(peripheral) && peripheral.connectionWanted(wish) }) {
            $0.connect(peer, for: $1, wish, reconnects: reconnects, after: delay)
        }
    }

    /// Ends this manager's use of a peripheral, or its attempt to connect to it. The link itself stays
    /// as long as another manager uses it.
    open func cancelPeripheralConnection(_ peripheral: CBPeripheral) {
        guard isReadyForCommands(), mayUse(peripheral) else { return }
        let peer = peripheral.peer
        command(showing: { peripheral.disconnectionWanted() }) {
            $0.cancel(peer, for: $1)
        }
    }

    // MARK: Peripherals that are known

    /// The peripherals with these identifiers, in their order; without those that are not known. Known
    /// is every device that this host has heard or could have heard, and those that it is bonded with.
    open func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
        guard isReadyForCommands(), let adapter else { return [] }
        return identifiers.compactMap { identifier in
            let peer = PeerIdentifier(identifier)
            return adapter.knows(peer) ? peripheral(for: peer) : nil
        }
    }

    /// The peripherals to which there are links, whoever made them, that have one of the services: they
    /// still have to be connected to. Which services they have is known of those that advertise them,
    /// that have been discovered on the link, or that are bonded; nobody is asked.
    open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] {
        guard isReadyForCommands(), let adapter else { return [] }
        return adapter.connectedPeers(withServices: serviceUUIDs.map(\.value))
            .map { peripheral(for: $0) }
    }

    /// Whether the hardware of the default adapter can do something: nothing, as long as no manager
    /// has opened it.
    open class func supports(_ features: CBCentralManager.Feature) -> Bool {
        guard let adapter = CBAdapter.default?.usage.running else {
            return features.isEmpty
        }
        return features.isSubset(of: adapter.facts.withLock { $0.features })
    }

    /// Asks to be told when matching peripherals connect and disconnect, whoever connects to them; nil
    /// for no more.
    open func registerForConnectionEvents(
        options: [CBConnectionEventMatchingOption: Any]? = nil
    ) {
        let wish = ConnectionEventWish(options)
        give { $0.setConnectionEvents(wish, for: $1) }
    }

    /// Gives a command that the adapter carries out if its state is still the one that the manager knows.
    private func give(
        showing show: (inout Mirror) -> Void = { _ in },
        _ carryOut: @escaping @Sendable (isolated SharedAdapter, SessionIdentifier) -> Void
    ) {
        guard isReadyForCommands() else { return }
        command(
            showing: {
                mirror.change(show)
                return true
            },
            carryOut
        )
    }

    private func has(_ peripheral: CBPeripheral) -> Bool {
        knownPeripheral(peripheral.peer) === peripheral
    }

    /// Whether a peripheral is one of this manager's; says so if not.
    private func mayUse(_ peripheral: CBPeripheral) -> Bool {
        guard !has(peripheral) else { return true }
        let reason =
            peripheral.manager === self
            ? "was discovered before Bluetooth was reset" : "belongs to another manager"
        Misuse.report(
            "\(peripheral.logDescription) \(reason), "
                + "\(Misuse.name(self)) has to retrieve or discover it"
        )
        return false
    }
}
