// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

// Framing, and routing of each packet to the part that it concerns.
extension HostCore {
    /// Takes bytes from the transport, split at any place. Call `receiveNextPacket` until it
    /// returns `false`, and perform the actions after each call.
    package mutating func receive(_ bytes: ArraySlice<UInt8>) {
        deframer.append(bytes)
    }

    /// Handles one complete packet. Returns `false` if there is none, or if the packet boundaries
    /// are lost.
    package mutating func receiveNextPacket(now: Instant) -> Bool {
        guard isConnected else {
            deframer.reset()
            return false
        }
        do {
            guard let packet = try deframer.next() else {
                if deframer.isAwaitingRest { transportRecovery.packetAwaited(now: now) }
                return false
            }
            transportRecovery.packetArrived()
            route(packet, now: now)
            if shutdownDeadline != nil { finishShutDown(now: now) }
            return true
        } catch {
            framingLost("\(error)", now: now)
            return false
        }
    }

    /// Fails the controller, because the packet boundaries are lost.
    private mutating func framingLost(_ reason: String, now: Instant) {
        emit(.log(reason))
        deframer.reset()
        controllerFailed(.desynchronized, now: now)
    }

    /// Fails the controller if the rest of a packet has not arrived in time.
    mutating func expirePacket(now: Instant) {
        guard let deadline = transportRecovery.packetDeadline, deadline <= now else { return }
        framingLost("the rest of a packet has not arrived", now: now)
    }

    private mutating func route(_ packet: HCI.Packet, now: Instant) {
        switch packet {
        case .acl(let data): if state == .ready { receive(data, now: now) }
        case .event(.numberOfCompletedPackets, let parameters) where state == .ready:
            packetsCompleted(parameters, now: now)
        case .event(let code, let parameters):
            do {
                receive(try HCI.Event(code: code, parameters: parameters), now: now)
            } catch {
                emit(.log("malformed event \(code): \(error)"))
            }
        case .command, .synchronous, .isochronous:
            let reason = "a packet that no controller sends to a Low Energy host"
            // On a transport that loses bytes, other bytes may look like such a packet.
            guard transportRecovery.losesBytes else { return emit(.log("ignored \(reason)")) }
            framingLost(reason, now: now)
        }
    }

    private mutating func receive(_ data: HCI.ACLPacket, now: Instant) {
        let found: Void? = withLink(data.connectionHandle, now: now) {
            $0.receive(data, &$1)
        }
        if found == nil { emit(.log("ignored data on a connection that does not exist")) }
    }

    private mutating func receive(_ event: HCI.Event, now: Instant) {
        switch event {
        case .commandComplete(let event):
            guard event.opcode != .reset || startup != nil else {
                // The host has not sent Reset, so the controller has restarted by itself.
                return controllerFailed(.restarted, now: now)
            }
            let actions = context.commands.commandCompleted(
                opcode: event.opcode,
                allowedPackets: event.allowedPackets,
                returnParameters: event.returnParameters,
                now: now
            )
            perform(actions, now: now)
        case .commandStatus(let event):
            let actions = context.commands.commandStatus(
                opcode: event.opcode,
                allowedPackets: event.allowedPackets,
                status: event.status,
                now: now
            )
            perform(actions, now: now)
        case .hardwareError(let event): controllerFailed(.hardwareError(event.code), now: now)
        // Until the controller is set up, its other events are from before its reset.
        default: if state == .ready { receiveOther(event, now: now) }
        }
    }

    private mutating func receiveOther(_ event: HCI.Event, now: Instant) {
        switch event {
        case .advertisingReports(let reports):
            for report in reports { advertisementReceived(self.reports.receive(report), now: now) }
        case .directedAdvertisingReports(let reports):
            for report in reports { advertisementReceived(self.reports.receive(report), now: now) }
        case .extendedAdvertisingReports(let reports):
            for report in reports { advertisementReceived(self.reports.receive(report), now: now) }
        case .advertisingSetTerminated(let event):
            noteAddress(of: event)
            perform(advertiser.setTerminated(event, now: now), now: now)
        case .scanTimeout: perform(scheduler.scanTimedOut(now: now), now: now)
        default: receiveLinkEvent(event, now: now)
        }
    }

    /// Counts buffers of the controller as free, and sends the data that waited for them.
    private mutating func packetsCompleted(_ parameters: ArraySlice<UInt8>, now: Instant) {
        var delivering: [ConnectionHandle] = []
        do {
            for entry in try HCI.NumberOfCompletedPackets.Entries(of: parameters) {
                let link = entry.connectionHandle
                let count = Int(entry.count)
                let verdict = context.transmitQueue.packetsCompleted(link, count: count)
                if verdict != .accepted { emit(.log("completed packets of \(link): \(verdict)")) }
                if let index = links.index(of: link), links.cores[index].awaitsKeyDelivery {
                    delivering.append(link)
                }
            }
        } catch {
            let code = HCI.EventCode.numberOfCompletedPackets
            return emit(.log("malformed event \(code): \(error)"))
        }
        pumpBlockedLinks(now: now)
        for link in delivering { withLink(link, now: now) { $0.disconnectIfKeysAreDelivered(&$1) } }
    }

    mutating func perform(_ actions: [CommandQueue<CommandPurpose>.Action], now: Instant) {
        // The controller's failure is handled before the discarded commands. Otherwise, the code
        // that sent a discarded command could send the next one.
        for case .unresponsive in actions { controllerFailed(.unresponsive, now: now) }
        let abandoned = abandonedControllers
        for action in actions {
            switch action {
            // The end of a command may have caused a reset. The packet is then obsolete.
            case .send(let packet): if abandonedControllers == abandoned { emit(.transmit(packet)) }
            case .unresponsive: break
            case .finished(let purpose, let result): finished(purpose, result, now: now)
            }
        }
    }

    private mutating func finished(_ purpose: CommandPurpose, _ result: CommandResult, now: Instant)
    {
        switch purpose {
        case .startup: startupAnswered(result, now: now)
        case .central(let step):
            if step.operation == .disableScan { reports.scanStopped() }
            perform(scheduler.commandFinished(step, result: result, now: now), now: now)
        case .advertising(let step):
            perform(advertiser.commandFinished(step, result: result, now: now), now: now)
        case .privacy(let step): privacyAnswered(step, result, now: now)
        case .link(let link, let command):
            let found: Void? = withLink(link, now: now) {
                $0.commandFinished(command, result, &$1)
            }
            if found == nil { context.commandFinished(command, afterEndOfLink: result) }
        }
    }
}
