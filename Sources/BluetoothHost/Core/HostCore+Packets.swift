// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

// Station two and three of a packet's trip: framing, then routing to the machine it is for.
extension HostCore {
    /// Bytes arrived, split anyhow. Call `receiveNextPacket` until it returns false, and perform
    /// the actions in between.
    package mutating func receive(_ bytes: ArraySlice<UInt8>) {
        deframer.append(bytes)
    }

    /// Handles one packet that is complete; false if there is none.
    package mutating func receiveNextPacket(now: Instant) -> Bool {
        guard isConnected else {
            deframer.reset()
            return false
        }
        do {
            guard let packet = try deframer.next() else {
                if deframer.isAwaitingRest { wire.packetAwaited(now: now) }
                return false
            }
            wire.packetArrived()
            route(packet, now: now)
            return true
        } catch {
            framingLost("\(error)", now: now)
            return false
        }
    }

    /// Packets cannot be told apart any more.
    private mutating func framingLost(_ reason: String, now: Instant) {
        emit(.log(reason))
        deframer.reset()
        controllerFailed(.desynchronised, now: now)
    }

    /// A packet may have begun too long ago.
    mutating func expirePacket(now: Instant) {
        guard let deadline = wire.packetDeadline, deadline <= now else { return }
        framingLost("the rest of a packet has not come", now: now)
    }

    private mutating func route(_ packet: HCI.Packet, now: Instant) {
        switch packet {
        case .acl(let data): if state == .ready { receive(data, now: now) }
        case .event(let code, let parameters):
            do {
                receive(try HCI.Event(code: code, parameters: parameters), now: now)
            } catch {
                emit(.log("malformed event \(code): \(error)"))
            }
        case .command, .synchronous, .isochronous:
            let reason = "a packet that no controller sends to a Low Energy host"
            // Where bytes get lost, they look like the beginning of one by chance.
            guard wire.losesBytes else { return emit(.log("ignored \(reason)")) }
            framingLost(reason, now: now)
        }
    }

    private mutating func receive(_ data: HCI.ACLPacket, now: Instant) {
        guard let verdict = links[data.connectionHandle]?.recombiner.receive(data) else {
            return emit(.log("ignored data on a connection that does not exist"))
        }
        switch verdict {
        case .incomplete: break
        case .discarded(let reason): emit(.log("discarded data: \(reason)"))
        case .frame(let frame): receive(frame, on: data.connectionHandle, now: now)
        }
    }

    private mutating func receive(
        _ frame: L2CAPFrame,
        on handle: ConnectionHandle,
        now: Instant
    ) {
        switch frame.channel {
        case .att:
            guard let actions = links[handle]?.gatt.receive(frame.payload, now: now) else { return }
            tellMTU(of: handle)
            perform(actions, on: handle, now: now)
            pump(handle, now: now)
        case .securityManager: receiveSecurity(frame.payload, on: handle, now: now)
        case .signalling:
            receiveSignalling(frame.payload, on: handle, now: now)
        case let channel where channel.isDynamic:
            guard
                let actions = links[handle]?.logicalLink
                    .receive(frame.payload, on: channel, now: now)
            else { return }
            perform(actions, on: handle, now: now)
        default:
            emit(.log("ignored a frame on channel \(frame.channel)"))
        }
    }

    private mutating func receive(_ event: HCI.Event, now: Instant) {
        switch event {
        case .commandComplete(let event):
            guard event.opcode != .reset || startup != nil else {
                // Nobody asked for a reset: the controller has restarted by itself.
                return controllerFailed(.restarted, now: now)
            }
            let actions = commands.commandCompleted(
                opcode: event.opcode,
                allowedPackets: event.allowedPackets,
                returnParameters: event.returnParameters,
                now: now
            )
            perform(actions, now: now)
        case .commandStatus(let event):
            let actions = commands.commandStatus(
                opcode: event.opcode,
                allowedPackets: event.allowedPackets,
                status: event.status,
                now: now
            )
            perform(actions, now: now)
        case .hardwareError(let event): controllerFailed(.hardwareError(event.code), now: now)
        // Until the controller is set up, whatever else it tells is from before its reset.
        default: if state == .ready { receiveNews(event, now: now) }
        }
    }

    private mutating func receiveNews(_ event: HCI.Event, now: Instant) {
        switch event {
        case .numberOfCompletedPackets(let event): packetsCompleted(event, now: now)
        case .advertisingReports(let reports):
            for report in reports { sighted(self.reports.receive(report), now: now) }
        case .directedAdvertisingReports(let reports):
            for report in reports { sighted(self.reports.receive(report), now: now) }
        case .extendedAdvertisingReports(let reports):
            for report in reports { sighted(self.reports.receive(report), now: now) }
        case .advertisingSetTerminated(let event):
            noteAddress(of: event)
            perform(advertiser.setTerminated(event, now: now), now: now)
        case .scanTimeout: perform(scheduler.scanTimedOut(now: now), now: now)
        default: receiveLinkEvent(event, now: now)
        }
    }

    private mutating func packetsCompleted(_ event: HCI.NumberOfCompletedPackets, now: Instant) {
        for entry in event.completed {
            let verdict = transmitQueue.packetsCompleted(
                entry.connectionHandle,
                count: Int(entry.count)
            )
            if verdict != .accepted {
                emit(.log("completed packets of \(entry.connectionHandle): \(verdict)"))
            }
        }
        pumpAll(now: now)
        for entry in event.completed { disconnectIfKeysAreThere(entry.connectionHandle, now: now) }
    }

    /// What the command queue wants done.
    mutating func perform(_ actions: [CommandQueue<Purpose>.Action], now: Instant) {
        // The worst first: whoever is told of a discarded command must not send another.
        for case .unresponsive in actions { controllerFailed(.unresponsive, now: now) }
        let abandoned = abandonedControllers
        for action in actions {
            switch action {
            // Told of a command that ended, the host may have begun anew: then this is of the past.
            case .send(let packet): if abandonedControllers == abandoned { emit(.transmit(packet)) }
            case .unresponsive: break
            case .finished(let purpose, let result): finished(purpose, result, now: now)
            }
        }
    }

    private mutating func finished(_ purpose: Purpose, _ result: CommandResult, now: Instant) {
        switch purpose {
        case .startup: startupAnswered(result, now: now)
        case .central(let step):
            perform(scheduler.commandFinished(step, result: result, now: now), now: now)
        case .advertising(let step):
            perform(advertiser.commandFinished(step, result: result, now: now), now: now)
        case .privacy(let step): privacyAnswered(step, result, now: now)
        case .parameters(let link): parametersAnswered(link, result, now: now)
        case .request(let id, let link, let request): requestAnswered(id, link, request, result)
        case .disconnection(let link): disconnectionAnswered(link, result, now: now)
        case .upkeep(let link, let procedure):
            upkeepAnswered(link, procedure, result, now: now)
        }
    }
}
