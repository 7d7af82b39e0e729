// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHost
import BluetoothTypes
import CoreBluetoothEnumerations
import HCITransports
import Synchronization

/// One adapter as all managers of the process share it: it turns what they want into requests to the
/// host, and what the host tells into events for them.
///
/// It runs where its host runs, on the adapter's thread, so it may use the host synchronously: `onHost`. Managers come in by `enter`, in the order of their calls; events leave by
/// `Delivery`. What is decided is decided by the cores it owns; it waits for nothing.
actor SharedAdapter: HostObserver {
    nonisolated let host: BluetoothHost
    nonisolated let switches: Guarded<AdapterSwitches>
    /// What every thread may know of it without asking.
    nonisolated let facts = Mutex(AdapterFacts())
    /// What has to live as long as the host: the world of a virtual controller.
    private let surroundings: AdapterSurroundings

    /// The host's state as it was told last.
    var hostState = AdapterState.starting
    /// The state that managers were told last.
    var state = CBManagerState.unknown
    var central = CentralPart()
    var client = ClientPart()
    var server = ServerPart()
    var listening = ListeningPart()
    var restoration = RestorationPart()

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        host.executor.asUnownedSerialExecutor()
    }

    /// Opens an adapter; nil if there is none by that name.
    init?(_ adapter: CBAdapter, switches: Guarded<AdapterSwitches>) {
        guard let surroundings = AdapterSurroundings(adapter, switches: switches) else {
            return nil
        }
        self.surroundings = surroundings
        self.switches = switches
        host = surroundings.host
        enter { adapter in
            adapter.onHost { host in
                host.attach(adapter)
                // What becomes of it is told by the host's states.
                host.beginStart()
            }
        }
    }

    /// Ends everything for good. Not on the adapter's own thread, which may end, too.
    nonisolated func shutDown() async {
        await giveUp()
        await host.shutdown()
        surroundings.end()
    }

    /// Nothing that ends from now on was ended by an application, nor does one hear of it: but of the
    /// state, as soon as the host is closed.
    private func giveUp() {
        freezeIntents()
        perform(central.core.powerLost())
    }

    /// Runs `body` on the adapter's thread, in the order of the calls.
    nonisolated func enter(_ body: @escaping @Sendable (isolated SharedAdapter) -> Void) {
        host.executor.perform { self.assumeIsolated { body($0) } }
    }

    /// Uses the host, which runs on the same thread.
    func onHost<Value: Sendable>(
        _ body: (isolated BluetoothHost) throws -> Value
    ) rethrows -> Value {
        try host.assumeIsolated(body)
    }

    // MARK: What the host tells

    nonisolated func hostDid(_ event: HostEvent) {
        assumeIsolated { $0.receive(event) }
    }

    private func receive(_ event: HostEvent) {
        switch event {
        case .stateChanged(let state):
            hostState = state
            updateState()
        case .advertised(let scan, let advertisement): sighted(advertisement, by: scan)
        case .linkOpened(let link, let address, let role): linkOpened(link, to: address, role)
        case .notified(let link, let handle, let value): notified(value, of: handle, on: link)
        case .servicesChanged(let link, let handles): servicesChanged(handles, on: link)
        case .mtuChanged(let link, let mtu): mtuChanged(mtu, on: link)
        case .served(let link, let news): served(news, on: link)
        case .advertisingEnded(let set, let end): advertisingEnded(set, end)
        case .security(let event): bondsChanged(event)
        case .disconnected(let link, let error): linkClosed(link, error)
        }
    }

    // MARK: The state

    func switchesChanged() { updateState() }

    /// The state that managers are to see: the switches first, then the host.
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

    /// What the controller can do beyond what all can; nothing while it is not there.
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
        session.delivery.post(event, from: host.executor)
    }

    // MARK: All parts

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
        centralLinkOpened(link, to: address, role)
        serverLinkOpened(link, to: address, role)
    }

    private func linkClosed(_ link: LinkIdentifier, _ error: HostError) {
        clientLinkClosed(link, error)
        centralLinkClosed(link, error)
        serverLinkClosed(link, error)
    }

    private func mtuChanged(_ mtu: Int, on link: LinkIdentifier) {
        clientMTUChanged(mtu, on: link)
        serverMTUChanged(mtu, on: link)
    }

    private func bondsChanged(_ event: SecurityEvent) {
        updateBonds()
    }
}

/// What every thread may know of an adapter without asking it.
struct AdapterFacts: Sendable {
    var state = CBManagerState.unknown
    /// The peers that keys are shared with.
    var bonds: [PeerIdentifier: DeviceAddress] = [:]
    /// The peers there are links to, with the services that are known of them.
    var links: [PeerIdentifier: Set<BluetoothUUID>] = [:]
    /// The MTUs of links that have exchanged them.
    var mtus: [PeerIdentifier: Int] = [:]
    /// What peers have said of themselves.
    var book = PeerBook()
    /// What the controller can do.
    var features: CBCentralManager.Feature = []
}

extension CBManagerState {
    /// What managers see of an adapter in this state.
    ///
    /// - Parameter former: what they saw before: an attempt to open the adapter once more is no news.
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
