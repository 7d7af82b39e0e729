// SPDX-License-Identifier: Apache-2.0

// The system's Bluetooth daemon as an adapter: a port over BlueZ's objects on the system's message
// bus.
//
// The daemon owns the controller, and other programs use it at the same time. The adapter therefore
// changes nothing that belongs to them: it powers no controller on or off, sets no name, replaces
// no default agent, and ends only links that it opened. docs/BLUEZ.md lists the daemon's
// limits.
//
// `DaemonObjects` is a copy of the daemon's objects, which the daemon's signals keep current. The
// port has a link to a connected device in two cases: this program requested the connection, or the
// device uses a service or channel of this program. All state belongs to the actor, which runs on
// the thread of the bus connection. When the daemon or its adapter disappears, every link ends, and
// its requests fail. When they return, scans, pending connection requests, published services and
// advertising continue.

import BluetoothGAP
import BluetoothHCI
import BluetoothPort
import DBus
import HCITransports

/// An adapter of the system's Bluetooth daemon, BlueZ, as a port.
package actor BlueZAdapter: BluetoothPort {
    /// The maximum number of scans, which share one discovery of the daemon.
    static let scanCountLimit = 16
    /// The maximum number of requests that a link has at a time.
    static let requestsPerLinkLimit = 1_024
    /// The maximum number of connection requests.
    static let connectionRequestLimit = 1_024

    /// The executor of the bus connection and of this actor.
    nonisolated let thread: AdapterExecutor
    private let busAddress: DBusAddress
    /// The adapter's name in the kernel, for example `hci1`; `nil` for the first adapter.
    let adapterName: String?
    let store: (any HostStore)?
    /// The records whose reading failed. Each counts as missing, but stays in the store until
    /// another record replaces it.
    var unreadableRecords: Set<StoreKey> = []
    let pairingDelegate: (any DaemonPairingDelegate)?
    nonisolated let cipher: PeerCipher

    private(set) weak var observer: (any PortObserver)?
    var connection: DBusConnection?
    /// The unique name of the daemon; `nil` while it does not run.
    var daemon: String?
    var objects = DaemonObjects()
    var adapterPath: DBusObjectPath?
    /// Whether this process could open L2CAP sockets when the adapter last became ready. Without
    /// them, the port offers no channels.
    var hasChannels = false
    private(set) var state = PortState.starting
    private var lastNumber: UInt64 = 0

    var discovery = DaemonDiscovery()
    var scans: [RequestIdentifier: DaemonScan] = [:]
    var connectionRequests: [RequestIdentifier: DaemonConnectionRequest] = [:]
    var retryTimer: (any HostTimer)?
    /// The timer that reads the daemon's objects again if that failed.
    var loadTimer: (any HostTimer)?
    var links: [LinkIdentifier: DaemonLink] = [:]
    /// The pairings under way, by device.
    var pairings: [DBusObjectPath: DaemonPairingAttempt] = [:]
    var server = DaemonServer()
    /// The open channels, and the ended channels with data that the application has not read.
    var channels: [UInt64: DaemonChannelState] = [:]
    var listeners: [L2CAP.SPSM: ChannelSocketListener] = [:]
    var advertisements: [RequestIdentifier: DaemonAdvertisement] = [:]
    /// The daemon's question about a pairing that `pairingDelegate` is answering, or the digits on
    /// display.
    var question: DaemonQuestion?

    /// Creates the adapter, which `open()` opens.
    ///
    /// - Parameters:
    ///   - address: The address of the system's bus.
    ///   - adapterName: The adapter's name in the kernel; `nil` for the first adapter.
    ///   - store: The store for records, and for the key that encrypts addresses into peer
    ///     identifiers.
    ///   - pairingDelegate: The delegate that answers the daemon's questions about pairings; `nil`
    ///     if there is none.
    ///   - executor: The executor on which the adapter runs. `shutDown()` also shuts the executor
    ///     down.
    package init(
        bus address: DBusAddress,
        adapterName: String? = nil,
        store: (any HostStore)? = nil,
        pairingDelegate: (any DaemonPairingDelegate)? = nil,
        executor: AdapterExecutor = AdapterExecutor()
    ) {
        busAddress = address
        self.adapterName = adapterName
        self.store = store
        self.pairingDelegate = pairingDelegate
        thread = executor
        cipher = PeerCipher(secret: Self.secret(in: store))
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        thread.asUnownedSerialExecutor()
    }

    package nonisolated var executor: any HostExecutor { thread }
    package nonisolated var scanLimit: Int { Self.scanCountLimit }

    package nonisolated var capabilities: PortCapabilities {
        onThread { adapter in
            var capabilities: PortCapabilities =
                adapter.store == nil ? [.bonds] : [.bonds, .records]
            guard let path = adapter.adapterPath else { return capabilities }
            if adapter.objects.properties(path, BlueZ.Interface.gattManager) != nil {
                capabilities.insert(.server)
            }
            if adapter.objects.properties(path, BlueZ.Interface.advertisingManager) != nil {
                capabilities.insert(.advertising)
            }
            if adapter.hasChannels { capabilities.insert(.channels) }
            return capabilities
        }
    }

    /// Runs `body` on the actor. The caller must run on the actor's executor.
    nonisolated func onThread<Value: Sendable>(
        _ body: (isolated BlueZAdapter) throws -> Value
    ) rethrows -> Value {
        try assumeIsolated(body)
    }

    package nonisolated func attach(_ observer: any PortObserver) {
        onThread { adapter in
            adapter.observer = observer
            observer.portDid(.stateChanged(adapter.state))
            for (link, state) in adapter.links.sorted(by: { $0.key < $1.key }) {
                observer.portDid(.linkOpened(link, state.peer, isIncoming: state.isIncoming))
            }
        }
    }

    package nonisolated func open() { onThread { $0.openConnection() } }

    private func openConnection() {
        guard connection == nil, state != .closed else { return }
        let connection = DBusConnection(to: busAddress, executor: thread) { [weak self] event in
            self?.onThread { $0.receive(event) }
        }
        self.connection = connection
        retryTimer = thread.makeTimer { [weak self] in self?.onThread { $0.retryConnecting() } }
        connection.open()
    }

    /// Ends the scans and the links of this adapter, and the connection to the bus.
    package func shutDown() async {
        guard state != .closed else { return }
        for (id, request) in connectionRequests where request.phase == .connecting {
            cancelConnectionRequest(id)
        }
        for link in links.keys { release(link) }
        closeLinks()
        if discovery.isRunning, let adapterPath {
            send(BlueZ.call(adapterPath, BlueZ.Interface.adapter, "StopDiscovery"))
        }
        retryTimer?.set(to: nil)
        withdrawQuestion()
        stopListening()
        // Closing writes the messages that were sent above.
        connection?.close()
        connection = nil
        (scans, connectionRequests) = ([:], [:])
        (server, advertisements) = (DaemonServer(), [:])
        become(.closed)
        store?.close()
        thread.shutDown()
    }

    /// Changes the state, and reports a change.
    func become(_ new: PortState) {
        guard state != new, state != .closed else { return }
        state = new
        report(.stateChanged(new))
    }

    func report(_ event: PortEvent) { observer?.portDid(event) }

    /// Returns a number that no request and no link has had.
    func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Calls of the daemon

    typealias CallCompletion =
        @Sendable (isolated BlueZAdapter, Result<DBusConnection.Reply, DBusError>) -> Void

    /// Calls a method of the daemon.
    func call(
        _ message: DBusMessage,
        timeout: Duration = DBusConnection.replyTimeout,
        then completion: @escaping CallCompletion
    ) {
        guard let connection else {
            thread.perform { [weak self] in
                self?.onThread { completion($0, .failure(.disconnected)) }
            }
            return
        }
        connection.call(message, timeout: timeout) { [weak self] result in
            self?.onThread { completion($0, result) }
        }
    }

    /// Calls a method whose result does not matter.
    func send(_ message: DBusMessage) {
        connection?.call(message) { _ in }
    }

    // MARK: Addresses and identifiers

    /// The address of the daemon's adapter. `nil` while there is none.
    package nonisolated var address: DeviceAddress? { onThread { $0.ownAddress } }

    /// Returns the address of a link's peer: its identity address if the daemon knows it. `nil` if
    /// there is no such link.
    package nonisolated func address(of link: LinkIdentifier) -> DeviceAddress? {
        onThread { adapter in
            adapter.links[link].flatMap { adapter.device(at: $0.path)?.address }
        }
    }

    package nonisolated func identifier(of address: DeviceAddress) -> PeerIdentifier {
        cipher.identifier(of: address)
    }

    package nonisolated func recognizes(_ peer: PeerIdentifier) -> Bool {
        cipher.address(of: peer) != nil
    }
}
