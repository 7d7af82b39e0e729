// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import HCITransports

/// One adapter, shared by all managers of the process that use it. It turns the managers' commands
/// into requests to the port, and the port's events into events for the managers.
///
/// It runs on the port's executor, the adapter's thread, and calls the port synchronously. Commands
/// arrive through `execute`, in the order of the calls. Events leave through `Delivery`.
package actor SharedAdapter: PortObserver {
    package nonisolated let port: any BluetoothPort
    package nonisolated let executor: any HostExecutor
    package nonisolated let switches: LockedState<AdapterSwitches>
    /// A snapshot of the adapter's state for other threads.
    package nonisolated let facts = Lock(AdapterFacts())
    /// Releases the resources of the port, such as the virtual radio of a virtual controller.
    private let releasePort: @Sendable () -> Void

    /// The last state that the port reported.
    var portState = PortState.starting
    /// The last state that was sent to the managers.
    var state = ManagerState.unknown
    var central = CentralPart()
    var client = ClientPart()
    var server = ServerPart()
    var listening = ListeningPart()
    var restoration = RestorationPart()

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Opens an adapter.
    init(_ opened: OpenedPort, switches: LockedState<AdapterSwitches>) {
        self.switches = switches
        releasePort = opened.release
        port = opened.port
        executor = port.executor
        execute { adapter in
            adapter.port.attach(adapter)
            // The port's state events report the result.
            adapter.port.open()
        }
    }

    /// Closes the adapter. Must not be called on the adapter's thread, which may end here.
    package nonisolated func shutDown() async {
        await endManagerUse()
        await port.shutDown()
        releasePort()
    }

    /// Ends the managers' use of the adapter. Links that end from now on do not change the
    /// restoration data, and central managers get no events for them. When the port is closed,
    /// central managers get only the new state, and peripheral managers first get the ends of their
    /// subscriptions.
    private func endManagerUse() {
        freezeIntents()
        perform(central.core.powerLost())
    }

    /// Runs `body` on the adapter's thread, in the order of the calls.
    package nonisolated func execute(_ body: @escaping @Sendable (isolated SharedAdapter) -> Void) {
        executor.perform { self.assumeIsolated { body($0) } }
    }

    // MARK: Events of the port

    package nonisolated func portDid(_ event: PortEvent) {
        assumeIsolated { $0.receive(event) }
    }

    private func receive(_ event: PortEvent) {
        switch event {
        case .stateChanged(let state):
            portState = state
            updateState()
        case .advertised(let scan, let advertisement): receive(advertisement, by: scan)
        case .linkOpened(let link, let peer, let isIncoming):
            serverLinkOpened(link, to: peer, isIncoming: isIncoming)
            centralLinkOpened(link, to: peer, isIncoming: isIncoming)
        case .notified(let link, let handle, let value): notified(value, of: handle, on: link)
        case .servicesChanged(let link, let ranges, let isReported):
            servicesChanged(ranges, isReported: isReported, on: link)
        case .databaseOutdated(let link): tableOutdated(on: link)
        case .mtuChanged(let link, let mtu): mtuChanged(mtu, on: link)
        case .asked(let link, let id, let question): asked(id, question, on: link)
        case .subscribed(let link, let handle, let kind): configured(handle, kind, on: link)
        case .publishingFailed(let service, let error): publishingFailed(service, error)
        case .advertisingEnded(let set): advertisingEnded(set)
        case .bondsChanged: updateBonds()
        case .linkClosed(let link, let error): linkClosed(link, error)
        }
    }

    // MARK: The state

    func switchesChanged() { updateState() }

    /// Updates the managers' state. The settings take precedence over the port's state.
    private func updateState() {
        let new = ManagerState(portState, switches.current, after: state)
        guard new != state else { return }
        let was = state
        state = new
        let capabilities = port.capabilities
        facts.withLock { $0.capabilities = capabilities }
        if was == .poweredOn { powerLost() }
        serverStateChanged()
        for session in central.sessions.keys { sendState(to: session) }
        for session in server.sessions.keys { sendState(toPeripheralManager: session) }
        if new == .poweredOn { powerGained() }
    }

    package func post(_ event: CentralEvent, to session: CentralSession) {
        session.delivery.post(event, from: executor, isDispensable: event.isDispensable)
    }

    package func post(_ event: PeripheralManagerEvent, to session: PeripheralManagerSession) {
        session.delivery.post(
            event,
            from: executor,
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

    private func linkClosed(_ link: LinkIdentifier, _ error: PortError) {
        client.links[link] = nil
        centralLinkClosed(link, error)
        serverLinkClosed(link)
    }

    private func mtuChanged(_ mtu: Int, on link: LinkIdentifier) {
        serverMTUChanged(mtu, on: link)
        if let peer = central.core.peer(of: link) { noteMTU(of: peer) }
    }
}
