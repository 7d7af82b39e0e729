// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHost
import BluetoothTypes
import CoreBluetoothEnumerations
import HCITransports
import Synchronization

/// One adapter, shared by all managers of the process that use it. It turns the managers' commands
/// into requests to the host, and the host's events into events for the managers.
///
/// It runs on the adapter's thread, like its host, and calls the host synchronously with `onHost`.
/// Commands arrive through `enter`, in the order of the calls. Events leave through `Delivery`. The
/// cores that it owns make the decisions, and it never blocks.
actor SharedAdapter: HostObserver {
    nonisolated let host: BluetoothHost
    nonisolated let switches: Guarded<AdapterSwitches>
    /// A snapshot of the adapter's state for other threads.
    nonisolated let facts = Mutex(AdapterFacts())
    /// The resources that the host needs, such as the virtual radio of a virtual controller.
    private let environment: AdapterEnvironment

    /// The last state that the host reported.
    var hostState = AdapterState.starting
    /// The last state that the managers were sent.
    var state = CBManagerState.unknown
    var central = CentralPart()
    var client = ClientPart()
    var server = ServerPart()
    var listening = ListeningPart()
    var restoration = RestorationPart()

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        host.executor.asUnownedSerialExecutor()
    }

    /// Opens an adapter. `nil` if there is none of that name.
    init?(_ adapter: CBAdapter, switches: Guarded<AdapterSwitches>) {
        guard let environment = AdapterEnvironment(adapter, switches: switches) else {
            return nil
        }
        self.environment = environment
        self.switches = switches
        host = environment.host
        enter { adapter in
            adapter.onHost { host in
                host.attach(adapter)
                // The host's state events report the result.
                host.beginStart()
            }
        }
    }

    /// Closes the adapter. Must not be called on the adapter's thread, which may end here.
    nonisolated func shutDown() async {
        await giveUp()
        await host.shutdown()
        environment.end()
    }

    /// Ends the managers' use of the adapter. The links that end from here on leave the restoration
    /// data unchanged and cause no events. The managers only receive the new state when the host is
    /// closed.
    private func giveUp() {
        freezeIntents()
        perform(central.core.powerLost())
    }

    /// Runs `body` on the adapter's thread, in the order of the calls.
    nonisolated func enter(_ body: @escaping @Sendable (isolated SharedAdapter) -> Void) {
        host.executor.perform { self.assumeIsolated { body($0) } }
    }

    /// Calls the host, which runs on the same thread.
    func onHost<Value: Sendable>(
        _ body: (isolated BluetoothHost) throws -> Value
    ) rethrows -> Value {
        try host.assumeIsolated(body)
    }

    // MARK: Events of the host

    nonisolated func hostDid(_ event: HostEvent) {
        assumeIsolated { $0.receive(event) }
    }

    private func receive(_ event: HostEvent) {
        switch event {
        case .stateChanged(let state):
            hostState = state
            updateState()
        case .advertised(let scan, let advertisement): receive(advertisement, by: scan)
        case .linkOpened(let link, let address, let role): linkOpened(link, to: address, role)
        case .notified(let link, let handle, let value): notified(value, of: handle, on: link)
        case .servicesChanged(let link, let ranges, let isReported):
            servicesChanged(ranges, isReported: isReported, on: link)
        case .databaseOutdated(let link): tableOutdated(on: link)
        case .mtuChanged(let link, let mtu): mtuChanged(mtu, on: link)
        case .served(let link, let news): served(news, on: link)
        case .advertisingEnded(let set, let end): advertisingEnded(set, end)
        case .security(let event): bondsChanged(event)
        case .disconnected(let link, let error): linkClosed(link, error)
        }
    }

    // MARK: The state

    func switchesChanged() { updateState() }

    /// Updates the managers' state, which depends on the settings first and on the host's state
    /// second.
    private func updateState() {
        let new = CBManagerState(hostState, switches.current, after: state)
        guard new != state else { return }
        let was = state
        state = new
        let features = features
        facts.withLock { facts in
            facts.state = new
            facts.features = features
        }
        if was == .poweredOn { powerLost() }
        serverStateChanged()
        for session in central.sessions.keys { tellState(to: session) }
        for session in server.sessions.keys { tellState(toPeripheralManager: session) }
        if new == .poweredOn { powerGained() }
    }

    /// The features that not every controller has. Empty while there is no controller.
    private var features: CBCentralManager.Feature {
        let isExtended = onHost { host in
            host.capabilities.map { $0.supportsExtendedScanning && $0.supportsExtendedInitiating }
                ?? false
        }
        return isExtended ? .extendedScanAndConnect : []
    }

    func post(_ event: CentralEvent, to session: CentralSession) {
        session.delivery.post(event, from: host.executor, isDispensable: event.isDispensable)
    }

    func post(_ event: PeripheralManagerEvent, to session: PeripheralManagerSession) {
        session.delivery.post(
            event,
            from: host.executor,
            isDispensable: event.isDispensable,
            countedBy: session.count(of: event)
        )
    }

    // MARK: Changes that concern all parts

    private func powerLost() {
        centralLostPower()
        serverLostPower()
        closeListeners()
        restorationLostPower()
    }

    private func powerGained() {
        serverGainedPower()
        restorationGainedPower()
    }

    private func linkOpened(_ link: LinkIdentifier, to address: DeviceAddress, _ role: LinkRole) {
        serverLinkOpened(link, to: address, role)
        centralLinkOpened(link, to: address, role)
    }

    private func linkClosed(_ link: LinkIdentifier, _ error: HostError) {
        client.links[link] = nil
        centralLinkClosed(link, error)
        serverLinkClosed(link, error)
    }

    private func mtuChanged(_ mtu: Int, on link: LinkIdentifier) {
        serverMTUChanged(mtu, on: link)
        if let peer = central.core.peer(of: link) { noteMTU(of: peer) }
    }

    private func bondsChanged(_ event: SecurityEvent) {
        updateBonds()
    }
}

/// A snapshot of an adapter's state for other threads.
struct AdapterFacts: Sendable {
    var state = CBManagerState.unknown
    /// The bonded peers.
    var bonds: [PeerIdentifier: DeviceAddress] = [:]
    /// The connected peers, with those of their services that are known.
    var links: [PeerIdentifier: Set<BluetoothUUID>] = [:]
    /// The ATT MTUs of the links on which they were exchanged.
    var mtus: [PeerIdentifier: Int] = [:]
    /// The maximum lengths in bytes of the values for connected centrals.
    var valueLengths: [PeerIdentifier: Int] = [:]
    /// The names and services that peers advertised or reported.
    var cache = PeerCache()
    /// The optional features of the controller.
    var features: CBCentralManager.Feature = []
}

extension CBManagerState {
    /// Makes the state that managers see.
    ///
    /// - Parameter former: The state that the managers saw before. It stays while an adapter that
    ///   was unavailable is opened again.
    init(_ state: AdapterState, _ switches: AdapterSwitches, after former: CBManagerState) {
        guard switches.authorization == .allowedAlways else {
            self = .unauthorized
            return
        }
        guard switches.isPoweredOn else {
            self = .poweredOff
            return
        }
        self =
            switch state {
            case .starting: former == .poweredOff || former == .unsupported ? former : .unknown
            case .ready: .poweredOn
            case .resetting: .resetting
            case .unavailable(.unsuitable), .closed: .unsupported
            case .unavailable: .poweredOff
            }
    }
}
