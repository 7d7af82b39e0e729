// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

// What the application asks of links.
extension HostCore {
    /// The links there are, oldest first.
    package var linkList: [(identifier: LinkIdentifier, peer: DeviceAddress)] {
        links.values.map { ($0.identifier, $0.identity) }
    }

    /// What is known of a link; nil once it has ended.
    package func properties(of link: LinkIdentifier) -> Link.Properties? {
        guard let state = handles[link].flatMap({ links[$0] }) else { return nil }
        return Link.Properties(
            mtu: state.gatt.mtu,
            parameters: state.parameters,
            dataLength: state.dataLength,
            phy: state.phy,
            role: state.role == .peripheral ? .peripheral : .central
        )
    }

    /// Asks something of a link; the answer is a `completed` action.
    package mutating func request(
        _ request: LinkRequest,
        of link: LinkIdentifier,
        id: RequestIdentifier,
        now: Instant
    ) {
        guard let handle = handles[link] else {
            let gone = HostError.disconnected(.unknownConnectionIdentifier)
            return fail(id, state == .closed ? HostError.closed : gone)
        }
        if request.usesGATT {
            // What is signed is meant for a link in clear.
            let mayWait = if case .writeSigned = request { false } else { true }
            guard !mayWait || !hold(.request(request), id, on: handle, now: now) else { return }
            exchangeMTU(handle, now: now)
        }
        switch request {
        case .writeSigned(let attribute, let value):
            writeSigned(value, to: attribute, on: handle, of: link, id: id, now: now)
        case .updateParameters(let update) where links[handle]?.role == .peripheral:
            askForParameters(update, on: handle, id: id, now: now)
        case .gatt(let operation, _) where isOutOfSync(operation, on: handle):
            failOutOfSync(operation, id)
        case .gatt(.write(let attribute, let value), let isDemanding)
        where isTooLong(value, on: handle):
            let operation = GATT.Operation.writeLong(attribute, offset: 0, value)
            start(operation, isDemanding: isDemanding, id: id, on: handle, now: now)
        case .gatt(let operation, let isDemanding):
            start(operation, isDemanding: isDemanding, id: id, on: handle, now: now)
        case .database: findDatabase(for: id, on: handle, now: now)
        case .disconnect: disconnect(handle, request: id, now: now)
        case .pair(let policy): secure(handle, for: policy, id: id.rawValue, now: now)
        default: sendCommand(for: request, to: handle, of: link, id: id, now: now)
        }
    }

    /// Whether a value does not fit into one Write Request (Vol 3, Part F, 3.4.5.1).
    private func isTooLong(_ value: [UInt8], on handle: ConnectionHandle) -> Bool {
        value.count > (links[handle]?.gatt.mtu ?? ATT.defaultMTU) - 3
    }

    /// The application does not wait for this any more: nothing more will be said of it.
    package mutating func cancelRequest(
        _ id: RequestIdentifier,
        of link: LinkIdentifier,
        now: Instant
    ) {
        guard let handle = handles[link] else { return }
        links[handle]?.disconnectRequests.removeAll { $0 == id }
        // The procedure itself goes on in the controller, so its place stays taken.
        links[handle]?.forgetWaiter(id)
        stopDemanding(id, on: handle, now: now)
        links[handle]?.protection.held.remove(id)
        stopSecuring(id.rawValue, on: handle, now: now)
        stopWaitingForDatabase(id, on: handle, now: now)
        if let actions = links[handle]?.gatt.cancel(id.rawValue) {
            perform(actions, on: handle, now: now)
        }
        cancelEnhanced(id.rawValue, on: handle, now: now)
        pump(handle, now: now)
    }

    /// Nobody reads the values of a characteristic any more: asks the peer to send no more. Whether
    /// it agrees changes nothing.
    package mutating func unsubscribe(
        _ value: AttributeHandle,
        configuration: AttributeHandle,
        on link: LinkIdentifier,
        now: Instant
    ) {
        guard let handle = handles[link], links[handle]?.isDisconnecting == false,
            links[handle]?.needsSubscription(to: value) == false, links[handle]?.isSealed == false
        else { return }
        let operation = GATT.Operation.unsubscribe(valueHandle: value, descriptor: configuration)
        start(operation, id: takeOwnOperation(), on: handle, now: now)
    }

    mutating func takeOwnOperation() -> UInt64 {
        defer { nextOwnOperation += 1 }
        return nextOwnOperation
    }

    mutating func start(
        _ operation: GATT.Operation,
        id: UInt64,
        on handle: ConnectionHandle,
        now: Instant
    ) {
        if !startEnhanced(operation, id: id, on: handle, now: now),
            let actions = links[handle]?.gatt.start(operation, id: id)
        {
            perform(actions, on: handle, now: now)
        }
        pump(handle, now: now)
    }

    /// Ends a link; its Disconnection Complete completes `request`.
    ///
    /// - Parameter isUrgent: whether not even keys that are on their way to the peer are waited for.
    mutating func disconnect(
        _ handle: ConnectionHandle,
        request: RequestIdentifier?,
        isUrgent: Bool = false,
        now: Instant
    ) {
        if let request { links[handle]?.disconnectRequests.append(request) }
        guard let link = links[handle], !link.isDisconnecting || link.awaitsKeys else { return }
        if !link.isDisconnecting {
            links[handle]?.disconnectDeadline = now + Self.disconnectLimit
        }
        guard !isUrgent, hasKeysUnderWay(handle) else {
            return attemptDisconnect(handle, of: link.identifier, now: now)
        }
        // The controller drops what it has not sent: we would have a bond, and the peer none.
        let limit = farewellDeadline == nil ? Self.keyDeliveryLimit : Self.farewellLimit / 2
        links[handle]?.awaitsKeys = true
        links[handle]?.nextDisconnectAttempt = earliest(link.nextDisconnectAttempt, now + limit)
    }

    /// Ends a link that was to end when the peer has its keys, if it has.
    mutating func disconnectIfKeysAreThere(_ handle: ConnectionHandle, now: Instant) {
        guard links[handle]?.awaitsKeys == true, !hasKeysUnderWay(handle),
            let link = links[handle]?.identifier
        else { return }
        attemptDisconnect(handle, of: link, now: now)
    }

    mutating func attemptDisconnect(
        _ handle: ConnectionHandle,
        of link: LinkIdentifier,
        now: Instant
    ) {
        links[handle]?.nextDisconnectAttempt = nil
        links[handle]?.awaitsKeys = false
        let command = HCI.Disconnect(
            connectionHandle: handle,
            reason: links[handle]?.protection.end == nil
                ? .remoteUserTerminatedConnection : .authenticationFailure
        )
        send(HCI.EncodedCommand(command), for: .disconnection(link), now: now)
    }
}

// Traffic: from a link's machines into the controller's buffers and back.
extension HostCore {
    /// Moves what a link has to say into the controller, as far as there is room.
    mutating func pump(_ handle: ConnectionHandle, now: Instant) {
        // Before the peer hears of it.
        if keeping.schedule.hasNews { writeChanges(now: now) }
        // What leaves the queue makes room in it: go on until nothing more goes in.
        var hasMoved = true
        while hasMoved {
            hasMoved = false
            while transmitQueue.hasRoom(handle), let frame = nextFrame(of: handle, now: now) {
                hasMoved = transmitQueue.enqueue(frame, on: handle)
            }
            while let packet = transmitQueue.nextPacket() { emit(.transmit(packet)) }
        }
        tellRoom(on: handle)
    }

    /// Moves what all links have to say, after the controller freed buffers.
    mutating func pumpAll(now: Instant) {
        for handle in links.handles { pump(handle, now: now) }
    }

    private mutating func nextFrame(of handle: ConnectionHandle, now: Instant) -> [UInt8]? {
        if let frame = links[handle]?.logicalLink.nextUrgentFrame() { return frame }
        if let frame = nextSecurityFrame(of: handle) { return frame }
        // Neither ATT nor a channel that always has something to send keeps the other waiting.
        guard links[handle]?.isChannelsTurn == true else {
            return nextATTFrame(of: handle, now: now) ?? nextChannelFrame(of: handle, now: now)
        }
        return nextChannelFrame(of: handle, now: now) ?? nextATTFrame(of: handle, now: now)
    }

    private mutating func nextChannelFrame(
        of handle: ConnectionHandle,
        now: Instant
    ) -> [UInt8]? {
        fillEnhanced(handle, now: now)
        guard let next = links[handle]?.logicalLink.nextDataFrame() else { return nil }
        links[handle]?.isChannelsTurn = false
        for action in next.actions { perform(action, on: handle, now: now) }
        return next.frame
    }

    private mutating func nextATTFrame(of handle: ConnectionHandle, now: Instant) -> [UInt8]? {
        submitWaiting(on: handle)
        guard let outgoing = links[handle]?.gatt.nextPDU(now: now) else { return nil }
        links[handle]?.isChannelsTurn = true
        // It may have been our answer to an exchange of MTUs.
        tellMTU(of: handle)
        perform(outgoing.actions, on: handle, now: now)
        return L2CAPFrame.encode(outgoing.bytes, on: .att)
    }

    mutating func perform(
        _ actions: [GATTClient.Action],
        on handle: ConnectionHandle,
        now: Instant
    ) {
        guard let link = links[handle]?.identifier else { return }
        for action in actions { perform(action, on: handle, of: link, now: now) }
    }

    private mutating func perform(
        _ action: GATTClient.Action,
        on handle: ConnectionHandle,
        of link: LinkIdentifier,
        now: Instant
    ) {
        switch action {
        case .notified where links[handle]?.isSealed == true:
            emit(.log("link \(link.rawValue): dropped a value that came before encryption"))
        case .notified(let value, let bytes, _):
            announce(handle)
            emit(.notified(link, value, bytes))
        case .completed(let id, let result):
            operationCompleted(id, result, on: handle, now: now)
        case .request(let request), .command(let request): serve(request, on: handle, now: now)
        case .confirmed(let id), .left(let id): valueSent(id, on: handle)
        case .violated(let violation):
            emit(.log("link \(link.rawValue): the peer broke the protocol: \(violation)"))
        case .servicesChanged(let first, let last):
            announce(handle)
            emit(.servicesChanged(link, first: first, last: last))
            databaseChanged(on: handle, now: now)
        case .closeLink(let reason):
            emit(.log("link \(link.rawValue) is of no more use: \(reason)"))
            disconnect(handle, request: nil, now: now)
        }
    }

    private mutating func operationCompleted(
        _ id: UInt64,
        _ result: Result<GATT.Outcome, GATT.Failure>,
        on handle: ConnectionHandle,
        now: Instant
    ) {
        guard id < Self.ownOperationBase else {
            return ownOperationCompleted(id, result, on: handle, now: now)
        }
        if case .failure(.attribute(.databaseOutOfSync, _)) = result {
            databaseChanged(on: handle, now: now)
        }
        guard !demandsSecurity(id, result.refusal, on: handle, now: now) else { return }
        emit(
            .completed(RequestIdentifier(rawValue: id), result.map(HostAnswer.gatt).mapError { $0 })
        )
    }

    /// The first operation on a link of our own is the MTU exchange. Any answer, a refusal too,
    /// shows that the peer is there and the link is usable; silence shows that it is not.
    private mutating func ownOperationCompleted(
        _ id: UInt64,
        _ result: Result<GATT.Outcome, GATT.Failure>,
        on handle: ConnectionHandle,
        now: Instant
    ) {
        if links[handle]?.lookupOperation == id {
            return lookupCompleted(result, on: handle, now: now)
        }
        if links[handle]?.protection.nameOperation == id {
            return nameArrived(result, on: handle, now: now)
        }
        if case .failure(let failure) = result { partFailed(id, failure, on: handle) }
        guard let link = links[handle], link.probe == id else { return }
        links[handle]?.probe = nil
        guard let dial = link.dial else { return }
        switch result {
        case .failure(.timedOut), .failure(.bearerClosed): break  // the link's end follows
        default:
            links[handle]?.dial = nil
            announce(handle)
            dialEstablished(dial, link: link)
        }
    }
}
