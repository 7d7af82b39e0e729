// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import DBus
import HCITransports

/// A connection request without a time limit. The adapter repeats a failed attempt, unless the
/// pairing failed or the daemon does not support a connection to the device.
struct DaemonConnectionRequest: Sendable {
    enum Phase: Sendable {
        /// The daemon does not know the device. A discovery finds it.
        case awaitingDevice
        /// The daemon is connecting.
        case connecting
        /// No attempt has begun, or the last one failed and the timer starts the next one.
        case awaitingRetry
        /// The link exists.
        case linked(LinkIdentifier)
    }

    /// The address of the device. A bond replaces a private address with the identity address.
    var address: DeviceAddress
    let peer: PeerIdentifier
    /// Whether the daemon pairs with the device as it connects. A failed pairing is not repeated.
    let pairs: Bool
    let failed: @Sendable (PortError) -> Void
    var phase = Phase.awaitingRetry
    /// The number of the latest attempt. The daemon may answer an earlier one only after its
    /// adapter was off.
    var attempt: UInt64 = 0
}

extension DaemonConnectionRequest.Phase: Equatable {}

extension BlueZAdapter {
    /// The time from a failed attempt of a connection request to the next attempt. It can be short,
    /// because an attempt of the daemon takes much longer.
    static let connectionRetryInterval = Duration.seconds(1)
    /// The time that the daemon may take to connect. It replies before it has discovered the
    /// services (src/device.c, `att_connect_cb`).
    static let connectionTimeout = Duration.seconds(120)

    package nonisolated func connect(
        to peer: PeerIdentifier,
        failed: @escaping @Sendable (PortError) -> Void
    ) -> RequestIdentifier {
        connect(to: peer, pairs: false, failed: failed)
    }

    /// Requests a connection.
    ///
    /// From BlueZ 5.81 on, a pairing on an existing link uses the IO capability of the agent that
    /// was the default agent when the link was made (src/device.c, `pair_device`). A pairing that
    /// makes the link uses the IO capability of this program's agent.
    ///
    /// - Parameters:
    ///   - peer: The peer.
    ///   - pairs: Whether the daemon pairs as it connects, if the peer is neither connected nor
    ///     bonded.
    ///   - failed: Called on the executor if the request fails, but not if it is canceled or the
    ///     adapter is shut down.
    package nonisolated func connect(
        to peer: PeerIdentifier,
        pairs: Bool,
        failed: @escaping @Sendable (PortError) -> Void
    ) -> RequestIdentifier {
        onThread { adapter in
            let id = RequestIdentifier(rawValue: adapter.nextNumber())
            guard let address = adapter.cipher.address(of: peer) else {
                adapter.thread.perform { failed(.refused(.unknown)) }
                return id
            }
            guard adapter.connectionRequests.count < Self.connectionRequestLimit else {
                adapter.thread.perform { failed(.tooManyRequests) }
                return id
            }
            adapter.connectionRequests[id] = DaemonConnectionRequest(
                address: address,
                peer: peer,
                pairs: pairs,
                failed: failed
            )
            adapter.thread.perform { [weak adapter] in adapter?.onThread { $0.attempt(id) } }
            return id
        }
    }

    package nonisolated func cancelConnectionRequest(_ request: RequestIdentifier) {
        onThread { adapter in
            guard let ended = adapter.connectionRequests.removeValue(forKey: request) else {
                return
            }
            switch ended.phase {
            case .linked(let link): adapter.disconnect(link)
            case .connecting:
                // `Disconnect` ends the attempt. It cannot end a link of another program, because
                // the device was not connected.
                guard let path = adapter.path(of: ended.address), adapter.link(at: path) == nil
                else { return }
                adapter.send(BlueZ.call(path, BlueZ.Interface.device, "Disconnect"))
            case .awaitingDevice, .awaitingRetry: adapter.updateDiscovery()
            }
        }
    }

    /// Starts an attempt for each request that awaits its device or its next attempt.
    func retryConnecting() {
        for (id, request) in connectionRequests
        where request.phase == .awaitingRetry || request.phase == .awaitingDevice {
            attempt(id)
        }
    }

    /// Handles the change of a device's address, which a bond causes.
    func addressChanged(from former: DeviceAddress, at path: DBusObjectPath) {
        guard let adapterPath, path.isBelow(adapterPath), let new = device(at: path)?.address
        else { return }
        for (id, request) in connectionRequests where request.address == former {
            connectionRequests[id]?.address = new
        }
    }

    /// Tries to connect.
    func attempt(_ id: RequestIdentifier) {
        guard state == .ready, let request = connectionRequests[id] else { return }
        guard request.phase == .awaitingRetry || request.phase == .awaitingDevice else { return }
        guard let path = path(of: request.address), let device = device(at: path) else {
            connectionRequests[id]?.phase = .awaitingDevice
            return updateDiscovery()
        }
        // A link that another program made is also used. The link stays when this program stops
        // using it.
        guard !device.isConnected else { return opened(id, path, isOwn: false) }
        let number = nextNumber()
        connectionRequests[id]?.phase = .connecting
        connectionRequests[id]?.attempt = number
        updateDiscovery()
        if request.pairs, !device.isBonded {
            pair(path) { [weak self] result in self?.onThread { $0.paired(id, path, result) } }
        } else {
            let message = BlueZ.call(path, BlueZ.Interface.device, "Connect")
            call(message, timeout: Self.connectionTimeout) { adapter, result in
                guard adapter.connectionRequests[id]?.attempt == number else { return }
                adapter.connected(id, path, result)
            }
        }
        discovery.isStale = true
        updateDiscovery()
    }

    private func connected(
        _ id: RequestIdentifier,
        _ path: DBusObjectPath,
        _ result: Result<DBusConnection.Reply, DBusError>
    ) {
        guard connectionRequests[id]?.phase == .connecting else { return }
        switch result {
        case .success: confirmConnection(id, path)
        case .failure(let error) where DaemonError.isNamed("AlreadyConnected", error):
            opened(id, path, isOwn: false)
        case .failure(let error) where DaemonError.isNamed("NotSupported", error):
            guard let request = connectionRequests.removeValue(forKey: id) else { return }
            request.failed(.refused(.unknown))
        case .failure(let error) where DaemonError.isObjectRemoved(error):
            // The daemon has removed the device. A discovery finds the device again.
            connectionRequests[id]?.phase = .awaitingDevice
            updateDiscovery()
        case .failure(let error) where DaemonError.isNamed("InProgress", error):
            // Another program is connecting to the device.
            retryLater(id)
        case .failure(let error):
            // The attempt was aborted (le-connection-abort-by-local), or the device did not answer.
            // After the time limit, the daemon would continue the attempt.
            attemptFailed(id, path, isUnderWay: error == .timedOut)
        }
    }

    /// Schedules the next attempt after a failed one, which ends first if it is under way.
    ///
    /// Linux 6.12 can start a second connection to a device although the first has completed, and
    /// then reports that the second failed. The device is then connected, but the daemon has no ATT
    /// bearer on the link and discovers no services. Such a link ends before the next attempt. Any
    /// other link was made by the device or another program in the meantime, and the next attempt
    /// uses it.
    private func attemptFailed(
        _ id: RequestIdentifier,
        _ path: DBusObjectPath,
        isUnderWay: Bool
    ) {
        guard let device = device(at: path), link(at: path) == nil,
            device.isConnected ? !device.hasResolvedServices : isUnderWay
        else { return retryLater(id) }
        let attempt = connectionRequests[id]?.attempt
        let message = BlueZ.call(path, BlueZ.Interface.device, "Disconnect")
        call(message) { adapter, _ in
            guard adapter.isConnecting(id, attempt) else { return }
            adapter.retryLater(id)
        }
    }

    /// Handles an attempt that the daemon reported as successful: opens the link if the device is
    /// connected, and tries again later if it is not.
    private func confirmConnection(_ id: RequestIdentifier, _ path: DBusObjectPath) {
        if device(at: path)?.isConnected == true { return opened(id, path, isOwn: true) }
        // Either the device has disconnected already, or the daemon has not reported the link: it
        // sends no signal if its socket is connected before the kernel's event arrives
        // (src/device.c, `att_connect_cb` and `device_add_connection`: "already connected").
        let attempt = connectionRequests[id]?.attempt
        loadDevice(path) { adapter in
            guard adapter.isConnecting(id, attempt) else { return }
            guard adapter.device(at: path)?.isConnected == true else {
                return adapter.retryLater(id)
            }
            adapter.opened(id, path, isOwn: true)
        }
    }

    /// Returns whether the attempt of a request is still under way.
    private func isConnecting(_ id: RequestIdentifier, _ attempt: UInt64?) -> Bool {
        connectionRequests[id]?.phase == .connecting && connectionRequests[id]?.attempt == attempt
    }

    private func retryLater(_ id: RequestIdentifier) {
        connectionRequests[id]?.phase = .awaitingRetry
        retryTimer?.set(to: thread.now + Self.connectionRetryInterval)
    }

    /// Handles the result of an attempt that made the link by pairing.
    private func paired(
        _ id: RequestIdentifier,
        _ path: DBusObjectPath,
        _ result: Result<Void, PortError>
    ) {
        guard let request = connectionRequests[id], request.phase == .connecting else { return }
        switch result {
        case .success: confirmConnection(id, path)
        case .failure(let error) where error == .notEncrypted || error == .timedOut:
            connectionRequests[id] = nil
            // The daemon keeps a link that a failed pairing has made.
            send(BlueZ.call(path, BlueZ.Interface.device, "Disconnect"))
            request.failed(error)
        // The device did not answer, or another program connects to it or pairs with it.
        case .failure: retryLater(id)
        }
    }

    private func opened(_ id: RequestIdentifier, _ path: DBusObjectPath, isOwn: Bool) {
        guard let request = connectionRequests[id] else { return }
        // The device already has a link, for example as a client of the published services.
        if let link = link(at: path) {
            connectionRequests[id]?.phase = .linked(link)
            return
        }
        let link = LinkIdentifier(rawValue: nextNumber())
        connectionRequests[id]?.phase = .linked(link)
        open(DaemonLink(path: path, peer: request.peer, isOwn: isOwn, isIncoming: false), as: link)
    }

    /// Adds a link, and reports it.
    func open(_ link: DaemonLink, as identifier: LinkIdentifier) {
        links[identifier] = link
        report(.linkOpened(identifier, link.peer, isIncoming: link.isIncoming))
    }

    // MARK: Disconnections

    func link(at path: DBusObjectPath) -> LinkIdentifier? {
        links.first { $0.value.path == path }?.key
    }

    func deviceDisconnected(_ path: DBusObjectPath) {
        hideDigits(of: path)
        guard let link = link(at: path) else { return }
        endSubscriptions(of: link)
        close(link, .linkEnded(links[link]?.reason ?? .unknown))
    }

    /// Closes the links to devices that the daemon does not list as connected.
    func checkLinks() {
        for (link, state) in links where device(at: state.path)?.isConnected != true {
            close(link, .linkEnded(.unknown))
        }
    }

    /// Closes all links and ends all pairings, because the daemon or its adapter is gone, the
    /// adapter is off, or `shutDown()` was called.
    func closeLinks() {
        for link in links.keys.sorted() { close(link, .unavailable) }
        for (id, request) in connectionRequests where request.phase == .connecting {
            connectionRequests[id]?.phase = .awaitingRetry
        }
        // If its adapter is gone, the daemon may leave a pairing unanswered until the time limit.
        for path in pairings.keys { endPairing(path, .failure(.unavailable)) }
    }

    /// Ends a link for an application that no longer needs it. The device stays connected if
    /// another program connected it.
    func disconnect(_ link: LinkIdentifier) {
        guard let state = links[link] else { return }
        release(link)
        // The daemon reports the end of a link that this program opened. Any other link ends only
        // for this program.
        if !state.isOwn { close(link, .linkEnded(.unknown)) }
    }

    /// Asks the daemon to end the connection of a link that this program opened, or to end the
    /// subscriptions of any other link.
    func release(_ link: LinkIdentifier) {
        guard let state = links[link] else { return }
        if state.isOwn {
            send(BlueZ.call(state.path, BlueZ.Interface.device, "Disconnect"))
        } else {
            endSubscriptions(of: link)
        }
    }

    /// Ends a link: its requests first, then the link itself.
    func close(_ link: LinkIdentifier, _ error: PortError) {
        guard let state = links[link] else { return }
        let pending = state.pending.sorted { $0.key < $1.key }
        links[link]?.pending = [:]
        for socket in state.sockets { socket.close() }
        state.tableTimer?.set(to: nil)
        for (_, completion) in pending { completion(.failure(error)) }
        endServing(link)
        endChannels(of: link, error)
        links[link] = nil
        connectionRequests = connectionRequests.filter { $0.value.phase != .linked(link) }
        report(.linkClosed(link, error))
    }
}
