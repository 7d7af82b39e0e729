// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

// A link's life: from the event that says it is there to the one that says it is gone.
extension HostCore {
    /// The controller made a link: for a dial, for nobody, or because somebody connected to us.
    mutating func linkBegan(_ link: LinkState, isIncoming: Bool, now: Instant) {
        var link = link
        // A handle that is in use already: the controller lost count, and its word is what counts.
        endLink(link.handle, with: .disconnected(.connectionTimeout), now: now)
        if let dial = link.dial, dials[dial] == nil { link.dial = nil }
        let isWanted = link.dial != nil || isIncoming
        handles[link.identifier] = link.handle
        links[link.handle] = link
        transmitQueue.open(link.handle)
        recogniseBond(of: link.handle)
        recallDatabase(link.handle)
        openServer(on: link.handle)
        guard isWanted else {
            emit(.log("\(link.peer) connected, but nobody waits for it"))
            return disconnect(link.handle, request: nil, now: now)
        }
        if let dial = link.dial {
            dials[dial]?.phase = .establishing(link.identifier)
            updateScan(now: now)
        }
        prepare(link.handle, now: now)
        guard isIncoming else { return }
        announce(link.handle)
        emit(.incomingLink(link.identifier, link.identity))
    }

    /// What every new link begins with: larger packets, and, on a link that we made, the MTU
    /// exchange, whose answer shows that the peer takes part in the link. Who made the link to us
    /// begins itself, and is not kept waiting.
    private mutating func prepare(_ handle: ConnectionHandle, now: Instant) {
        if configuration.requestsDataLength, let octets = longestPacket {
            let command = Self.dataLengthCommand(octets: octets, to: handle)
            upkeep(command, on: handle, now: now)
        }
        if links[handle]?.isSealed == true { return seal(handle, now: now) }
        guard links[handle]?.role == .peripheral else { return exchangeMTU(handle, now: now) }
        if configuration.preferredConnectionParameters != nil {
            links[handle]?.preferredParametersDueAt = now + Self.parameterPause
        }
        if configuration.exchangesMTUAsPeripheral { exchangeMTU(handle, now: now) }
    }

    /// Asks the peer for a larger MTU, once on each link (Vol 3, Part F, 3.4.2.1).
    mutating func exchangeMTU(_ handle: ConnectionHandle, now: Instant) {
        guard links[handle]?.hasAskedForMTU == false else { return }
        // A peer that has asked us has told its own.
        guard links[handle]?.gatt.mtu == ATT.defaultMTU else { return }
        let probe = takeOwnOperation()
        links[handle]?.hasAskedForMTU = true
        links[handle]?.probe = probe
        start(.exchangeMTU, id: probe, on: handle, now: now)
    }

    /// The longest link-layer payload that the controller sends; nil if that is what every link
    /// begins with.
    private var longestPacket: Int? {
        guard let capabilities, capabilities.supports(HCI.LESetDataLength.self),
            let octets = capabilities.maximumDataLength?.transmitOctets,
            octets > DataLength.octetRange.lowerBound
        else { return nil }
        return Int(octets)
    }

    /// Ends a link on our side: everything that waits on it is told why.
    mutating func endLink(_ handle: ConnectionHandle, with error: HostError, now: Instant) {
        clientParted(handle)
        guard var link = links.remove(handle) else { return }
        handles[link.identifier] = nil
        transmitQueue.close(handle)
        server.close(link.identifier.fixedBearer)
        for bearer in link.enhanced.bearers {
            server.close(link.identifier.bearer(bearer.channel))
        }
        withdrawCommands(of: link.identifier, error)
        endChannels(of: &link, with: error)
        failNotifications(of: link, with: error)
        for action in link.gatt.close() + link.enhanced.close() {
            guard case .completed(let id, let result) = action, id < Self.ownOperationBase
            else { continue }
            // What ended well just before is told as it was.
            let answer = result.map(HostAnswer.gatt).mapError { failure -> any Error in
                failure == .bearerClosed ? error : failure
            }
            emit(.completed(RequestIdentifier(rawValue: id), answer))
        }
        for waiter in link.procedures.values {
            if let request = waiter.request { fail(request, error) }
        }
        for request in link.databaseRequests { fail(request, error) }
        for request in link.protection.held.ids { fail(request, error) }
        failWaiters(link.protection.waiters, of: handle, with: error, now: now)
        for request in link.disconnectRequests { complete(request, .done) }
        emit(.disconnected(link.identifier, error))
        if let dial = link.dial { dialFell(dial, with: error, now: now) }
        peerParted(link, with: error, now: now)
        writeChanges(now: now)
    }

    mutating func endLinks(with error: HostError, now: Instant) {
        for handle in links.handles { endLink(handle, with: error, now: now) }
    }
}
