// SPDX-License-Identifier: Apache-2.0
import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

// Received and sent packets.
extension SimpleAccessory {
    mutating func receive(_ packet: HCI.ACLPacket, now: Instant) {
        guard packet.connectionHandle == link?.connectionHandle,
            case .frame(let frame) = link?.recombiner.receive(packet)
        else { return }
        switch frame.channel {
        case .att:
            for event in server.receive(frame.payload, now: now) { carryOut(event, now: now) }
        case .signaling:
            if case .send(let answer) = link?.signaling.receive(frame.payload) {
                link?.answer(answer, on: .signaling)
            }
        case .securityManager: receiveSecurity(frame.payload, now: now)
        default: break
        }
    }

    mutating func carryOut(_ event: AccessoryServer.Event, now: Instant) {
        switch event {
        case .remember(let clientRecord): security?.remember(clientRecord)
        case .subscriptionChanged(let handle, let kind): subscribe(handle, kind, now: now)
        case .act(let action): carryOut(action, now: now)
        }
    }

    /// Handles a change of a subscription: ends the streams of the value and discards its waiting
    /// bytes. If the client is subscribed, starts the stream of the characteristic.
    private mutating func subscribe(
        _ valueHandle: AttributeHandle,
        _ kind: GATT.SubscriptionKind?,
        now: Instant
    ) {
        link?.streams.removeAll { $0.valueHandle == valueHandle }
        link?.bytes.remove(of: valueHandle)
        guard let stream = server.stream(of: valueHandle) else { return }
        begin(stream, of: valueHandle, kind, now: now)
    }

    private mutating func begin(
        _ stream: ValueStream,
        of valueHandle: AttributeHandle,
        _ kind: GATT.SubscriptionKind?,
        now: Instant
    ) {
        guard let kind else { return }
        link?.begin(stream, of: valueHandle, isConfirmed: kind == .indication, now: now)
    }
}

// Actions that the accessory takes on its own.
extension SimpleAccessory {
    mutating func carryOut(_ action: AccessoryAction, now: Instant) {
        switch action {
        case .send(let stream, let uuid):
            guard let handle = server.values.handle(of: uuid) else { return }
            begin(stream, of: handle, server.subscription(to: handle), now: now)
        case .sendBytes(let bytes, let uuid):
            guard let handle = server.values.handle(of: uuid) else { return }
            link?.bytes.append(bytes, of: handle)
        case .disconnect: disconnect(now: now)
        case .requestInterval(let interval): request(interval, now: now)
        case .addService(let service): if server.add(service) { profile.services.append(service) }
        case .removeServices(let uuid):
            profile.removeServices(uuid)
            for event in server.removeServices(uuid, now: now) { carryOut(event, now: now) }
        case .setValue(let value, let uuid): server.values[uuid] = value
        case .forgetBonds: security?.forgetBonds()
        case .changeAddress: changeAddress(now: now)
        }
    }

    mutating func disconnect(now: Instant) {
        guard let handle = link?.connectionHandle else { return }
        session.send(
            HCI.Disconnect(connectionHandle: handle, reason: .remoteUserTerminatedConnection),
            now: now
        )
    }

    /// Requests a connection interval over L2CAP, which needs no feature of the Link Layer (Vol 3,
    /// Part A, 4.20). Ignores an invalid interval.
    private mutating func request(_ interval: Duration, now: Instant) {
        let units = HCI.ConnectionInterval(interval).rawValue
        let parameters = ConnectionParametersRequest(
            intervalMinimum: units,
            intervalMaximum: units,
            peripheralLatency: 0,
            supervisionTimeout: 400
        )
        guard parameters.isValid, let payload = link?.signaling.request(parameters, now: now)
        else { return }
        link?.answer(payload, on: .signaling)
    }
}

// Sending.
extension SimpleAccessory {
    /// Enqueues answers first, then due values of the streams in turn, and then waiting bytes,
    /// while the transmit queue has room.
    mutating func fillTransmitQueue(now: Instant) {
        guard let handle = link?.connectionHandle else { return }
        for index in link?.streams.indices ?? 0..<0 { link?.streams[index].timeIs(now) }
        while transmitQueue.hasRoom(handle), let frame = nextFrame(now: now) {
            transmitQueue.enqueue(frame, on: handle)
        }
        link?.streams.removeAll { $0.isOver }
    }

    private mutating func nextFrame(now: Instant) -> [UInt8]? {
        if let answer = link?.takeAnswer() { return answer }
        if let pdu = server.nextPDU(now: now) { return L2CAPFrame.encode(pdu, on: .att) }
        while sendNextValue(now: now) || sendNextBytes() {
            if let pdu = server.nextPDU(now: now) { return L2CAPFrame.encode(pdu, on: .att) }
        }
        return nil
    }

    /// Passes the first due value to the server. A stream ends if the server cannot send its value,
    /// for example because the client is not subscribed.
    ///
    /// - Returns: `false` if no value is due, or if all due values wait for the confirmation of an
    ///   indication.
    private mutating func sendNextValue(now: Instant) -> Bool {
        let mayIndicate = server.mayIndicate
        guard var link,
            let index = link.streams.firstIndex(where: {
                $0.isReady && (mayIndicate || !$0.isConfirmed)
            })
        else { return false }
        var stream = link.streams.remove(at: index)
        let isSent = server.send(stream.takeValue(now: now), of: stream.valueHandle)
        // The other streams send their values before the next value of this one.
        stream.timeIs(now)
        if isSent { link.streams.append(stream) }
        self.link = link
        return true
    }

    /// Passes as many of the waiting bytes to the server as fit into one value. Drops the bytes for
    /// values to which the client is not subscribed.
    ///
    /// - Returns: `false` if there are none, if they wait for the confirmation of an indication, or
    ///   if the server dropped them because it could not send them.
    private mutating func sendNextBytes() -> Bool {
        while let (bytes, handle) = link?.bytes.next(length: server.valueLength) {
            guard let kind = server.subscription(to: handle) else {
                link?.bytes.remove(of: handle)
                continue
            }
            if kind == .indication, !server.mayIndicate { return false }
            link?.bytes.removeNext(length: server.valueLength)
            return server.send(bytes, of: handle)
        }
        return false
    }
}
