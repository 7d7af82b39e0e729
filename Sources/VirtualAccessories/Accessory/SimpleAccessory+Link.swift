// SPDX-License-Identifier: Apache-2.0
import BluetoothATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

// What passes over the link.
extension SimpleAccessory {
    /// Pairing Failed, for want of support (Vol 3, Part H, 3.5.5).
    private static let pairingFailed: [UInt8] = [0x05, 0x05]
    /// Pairing Request (Vol 3, Part H, 3.5.1).
    private static let pairingRequest: UInt8 = 0x01

    mutating func receive(_ packet: HCI.ACLPacket, now: Instant) {
        guard packet.connectionHandle == link?.connectionHandle,
            case .frame(let frame) = link?.recombiner.receive(packet)
        else { return }
        switch frame.channel {
        case .att:
            for result in server.receive(frame.payload) { carryOut(result, now: now) }
        case .signalling:
            if case .send(let answer) = link?.signalling.receive(frame.payload) {
                link?.answer(answer, on: .signalling)
            }
        case .securityManager where frame.payload.first == Self.pairingRequest:
            link?.answer(Self.pairingFailed, on: .securityManager)
        default: break
        }
    }

    private mutating func carryOut(_ result: AttributeServer.Result, now: Instant) {
        switch result {
        case .respond(let pdu): link?.answer(pdu, on: .att)
        case .subscriptionChanged(let handle, let wanted): subscribe(handle, wanted, now: now)
        case .confirmed: link?.awaitsConfirmation = false
        case .act(let deed): carryOut(deed, now: now)
        }
    }

    /// A subscription begins its stream anew, and ends all that was being sent before.
    private mutating func subscribe(
        _ valueHandle: AttributeHandle,
        _ wanted: ClientConfiguration,
        now: Instant
    ) {
        link?.streams.removeAll { $0.valueHandle == valueHandle }
        guard case .value(let characteristic) = server.table[valueHandle]?.role,
            let stream = characteristic.stream
        else { return }
        begin(stream, of: valueHandle, wanted, now: now)
    }

    private mutating func begin(
        _ stream: ValueStream,
        of valueHandle: AttributeHandle,
        _ wanted: ClientConfiguration,
        now: Instant
    ) {
        guard !wanted.isEmpty, link != nil else { return }
        if let count = link?.streams.count, count >= RunningStream.limit {
            link?.streams.removeFirst()
        }
        link?.streams.append(
            RunningStream(
                stream,
                of: valueHandle,
                isConfirmed: !wanted.contains(.notifications),
                now: now
            )
        )
    }
}

// What it does of itself.
extension SimpleAccessory {
    private mutating func carryOut(_ deed: AccessoryDeed, now: Instant) {
        switch deed {
        case .send(let stream, let uuid):
            guard let handle = server.table.valueHandle(of: uuid) else { return }
            begin(stream, of: handle, server.configuration(of: handle), now: now)
        case .disconnect: disconnect(now: now)
        case .requestInterval(let interval): request(interval, now: now)
        case .addService(let service): add(service, now: now)
        }
    }

    private mutating func disconnect(now: Instant) {
        guard let handle = link?.connectionHandle else { return }
        session.send(
            HCI.Disconnect(connectionHandle: handle, reason: .remoteUserTerminatedConnection),
            now: now
        )
    }

    /// Asks over L2CAP, which works with every Central (Vol 3, Part A, 4.20).
    private mutating func request(_ interval: Duration, now: Instant) {
        let units = HCI.ConnectionInterval(interval).rawValue
        let parameters = ConnectionParametersRequest(
            intervalMinimum: units,
            intervalMaximum: units,
            peripheralLatency: 0,
            supervisionTimeout: 400
        )
        guard parameters.isValid, let payload = link?.signalling.request(parameters, now: now)
        else { return }
        link?.answer(payload, on: .signalling)
    }

    /// Adds a service, and tells the client where (Service Changed, Vol 3, Part G, 7.1).
    private mutating func add(_ service: AccessoryProfile.Service, now: Instant) {
        guard let range = server.values.table.append(service),
            let handle = server.table.valueHandle(of: .serviceChanged)
        else { return }
        let ends = [range.lowerBound.rawValue, range.upperBound.rawValue]
        let value = ends.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        let once = ValueStream(every: .zero, limit: 1) { _ in value }
        begin(once, of: handle, server.configuration(of: handle), now: now)
    }
}

// Sending.
extension SimpleAccessory {
    /// Answers first, then what is due of the streams, in turn, for as long as there is room.
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
        guard var link, let index = link.streams.firstIndex(where: link.mayLeave) else {
            return nil
        }
        var stream = link.streams.remove(at: index)
        let value = stream.takeValue(now: now).prefix(server.client.mtu - 3)
        let handle = stream.valueHandle
        if stream.isConfirmed { link.awaitsConfirmation = true }
        // The others have their turn before this one's next value.
        stream.timeIs(now)
        link.streams.append(stream)
        self.link = link
        let pdu =
            stream.isConfirmed
            ? ATT.HandleValueIndication(handle: handle, value: value).encode()
            : ATT.HandleValueNotification(handle: handle, value: value).encode()
        return L2CAPFrame.encode(pdu, on: .att)
    }
}

extension AccessoryLink {
    /// Whether the stream's next value can be sent now.
    fileprivate func mayLeave(_ stream: RunningStream) -> Bool {
        stream.isReady && !(stream.isConfirmed && awaitsConfirmation)
    }
}

extension BluetoothUUID {
    fileprivate static let serviceChanged = BluetoothUUID(0x2A05)
}
