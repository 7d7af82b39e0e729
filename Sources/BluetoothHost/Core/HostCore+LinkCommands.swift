// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

// What is asked of the controller about a link, and how its answers find who asked.
extension HostCore {
    /// Sends the command that carries out a request. Requests whose end is an event of its own take
    /// their procedure's place on the link until it comes.
    mutating func sendCommand(
        for request: LinkRequest,
        to handle: ConnectionHandle,
        of link: LinkIdentifier,
        id: RequestIdentifier,
        now: Instant
    ) {
        guard let command = command(for: request, to: handle),
            capabilities?.commands.contains(command.opcode) == true
        else { return fail(id, HostError.unsupported(request.featureName)) }
        if let procedure = request.procedure {
            guard links[handle]?.procedures[procedure] == nil else {
                return fail(id, HostError.busy)
            }
            let waiter = LinkState.Waiter(request: id, deadline: now + Self.procedureTimeout)
            links[handle]?.procedures[procedure] = waiter
        }
        send(command, for: .request(id, link, request), now: now)
    }

    /// Has the controller do something about a link for the host's own sake. Of a link that does
    /// not exist the controller is told nothing.
    mutating func upkeep(
        _ command: HCI.EncodedCommand,
        on handle: ConnectionHandle,
        beginning procedure: LinkState.Procedure? = nil,
        now: Instant
    ) {
        guard let link = links[handle]?.identifier else { return }
        if let procedure {
            let waiter = LinkState.Waiter(request: nil, deadline: now + Self.procedureTimeout)
            links[handle]?.procedures[procedure] = waiter
        }
        send(command, for: .upkeep(link, procedure), now: now)
    }

    /// The controller answered what the host asked for its own sake.
    mutating func upkeepAnswered(
        _ link: LinkIdentifier,
        _ procedure: LinkState.Procedure?,
        _ result: CommandResult,
        now: Instant
    ) {
        do throws(CommandFailure) {
            try result.requireSuccess()
        } catch {
            emit(.log("the controller refused housekeeping: \(error)"))
            guard let procedure, let handle = handles[link] else { return }
            links[handle]?.procedures[procedure] = nil
            guard procedure == .encryption else { return }
            encryptionFailed(HostError(error, state), on: handle, now: now)
        }
    }

    /// Takes back what was to be asked about a link that has ended: its handle may soon be another
    /// link's. Who waits for a procedure, or for the end, is told with the link's other waiters.
    mutating func withdrawCommands(of link: LinkIdentifier, _ error: HostError) {
        for case .request(let id, _, let request) in commands.withdraw(where: { $0.link == link }) {
            if request.procedure == nil { fail(id, error) }
        }
    }

    private func command(
        for request: LinkRequest,
        to handle: ConnectionHandle
    ) -> HCI.EncodedCommand? {
        switch request {
        case .gatt, .writeSigned, .database, .pair, .disconnect: nil
        case .readRSSI: HCI.EncodedCommand(HCI.ReadRSSI(connectionHandle: handle))
        case .readPHY: HCI.EncodedCommand(HCI.LEReadPHY(connectionHandle: handle))
        case .readRemoteVersion:
            HCI.EncodedCommand(HCI.ReadRemoteVersionInformation(connectionHandle: handle))
        case .setDataLength(let octets): Self.dataLengthCommand(octets: octets, to: handle)
        case .setPHY(let transmit, let receive):
            HCI.EncodedCommand(
                HCI.LESetPHY(
                    connectionHandle: handle,
                    preference: HCI.PHYPreference(
                        transmit: transmit.map(HCI.PHYSet.init),
                        receive: receive.map(HCI.PHYSet.init)
                    )
                )
            )
        case .updateParameters(let update):
            HCI.EncodedCommand(
                HCI.LEConnectionUpdate(
                    connectionHandle: handle,
                    parameters: HCI.ConnectionParameters(update)
                )
            )
        }
    }

    /// Asks for link-layer packets of up to `octets` octets, 27 to 251, and the time they take on
    /// LE 1M, the slowest uncoded PHY (Vol 6, Part B, 4.5.10).
    static func dataLengthCommand(
        octets: Int,
        to handle: ConnectionHandle
    ) -> HCI.EncodedCommand {
        let octets = UInt16(
            min(max(octets, DataLength.octetRange.lowerBound), DataLength.octetRange.upperBound)
        )
        let overhead: UInt16 = 14  // preamble, access address, header, MIC, CRC
        let command = HCI.LESetDataLength(
            connectionHandle: handle,
            transmitOctets: octets,
            transmitTime: HCI.AirTime(rawValue: (octets + overhead) * 8)
        )
        return HCI.EncodedCommand(command)
    }

    /// The controller answered a command that was sent for a request.
    mutating func requestAnswered(
        _ id: RequestIdentifier,
        _ link: LinkIdentifier,
        _ request: LinkRequest,
        _ result: CommandResult
    ) {
        do throws(CommandFailure) {
            switch request {
            case .readRSSI:
                // 127: the controller cannot tell (Vol 4, Part E, 7.5.4).
                let rssi = try result.decode(as: HCI.ReadRSSI.self).rssi
                complete(id, .rssi(rssi == 127 ? nil : Int(rssi)))
            case .readPHY:
                let phy = try result.decode(as: HCI.LEReadPHY.self)
                complete(id, .phy(LinkPHY(transmit: phy.transmit, receive: phy.receive)))
            case .setDataLength:
                try result.requireSuccess()
                complete(id, .done)
            default: try result.requireSuccess()  // an event completes it
            }
        } catch {
            refuse(id, link, request, error)
        }
    }

    private mutating func refuse(
        _ id: RequestIdentifier,
        _ link: LinkIdentifier,
        _ request: LinkRequest,
        _ failure: CommandFailure
    ) {
        let error = HostError(failure, state)
        guard let procedure = request.procedure else { return fail(id, error) }
        // Who waits for a procedure was told when the link ended.
        guard let handle = handles[link],
            let waiter = links[handle]?.procedures.removeValue(forKey: procedure)
        else { return }
        if let waiting = waiter.request { fail(waiting, error) }
    }

    /// The procedure that somebody may wait for has ended.
    mutating func procedureEnded(
        _ procedure: LinkState.Procedure,
        on handle: ConnectionHandle,
        _ result: Result<HostAnswer, HostError>
    ) {
        guard let waiter = links[handle]?.procedures.removeValue(forKey: procedure),
            let request = waiter.request
        else { return }
        emit(.completed(request, result.mapError { $0 }))
    }
}

extension HCI.ConnectionParameters {
    /// What an application asks for, held within what the specification allows.
    init(_ update: ConnectionUpdate) {
        let minimum = HCI.ConnectionInterval(update.intervalMinimum).clamped(to: 6...3200)
        let maximum = HCI.ConnectionInterval(update.intervalMaximum)
            .clamped(to: minimum.rawValue...3200)
        let latency = UInt16(min(max(update.peripheralLatency, 0), 499))
        // More than twice the longest silence that latency allows, in steps of 10 ms.
        let silence = (1 + Int(latency)) * Int(maximum.rawValue) * 2 / 8 + 1
        let shortest = UInt16(min(max(silence, 10), 3200))
        self.init(
            intervalMinimum: minimum,
            intervalMaximum: maximum,
            peripheralLatency: latency,
            supervisionTimeout: HCI.Timeout(update.supervisionTimeout).clamped(to: shortest...3200)
        )
    }

    /// What a peripheral asks for on the signalling channel.
    init(_ request: ConnectionParametersRequest) {
        self.init(
            intervalMinimum: HCI.ConnectionInterval(rawValue: request.intervalMinimum),
            intervalMaximum: HCI.ConnectionInterval(rawValue: request.intervalMaximum),
            peripheralLatency: request.peripheralLatency,
            supervisionTimeout: HCI.Timeout(rawValue: request.supervisionTimeout)
        )
    }
}

extension HCI.PHYSet {
    /// One PHY; a number that stands for none makes an empty set, which a controller refuses.
    fileprivate init(_ phy: PHY) {
        let isKnown = (PHY.le1M.rawValue...PHY.leCoded.rawValue).contains(phy.rawValue)
        self.init(rawValue: isKnown ? 1 << (phy.rawValue - 1) : 0)
    }
}

extension WireDuration {
    fileprivate func clamped(to range: ClosedRange<UInt16>) -> Self {
        Self(rawValue: min(max(rawValue, range.lowerBound), range.upperBound))
    }
}
