// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

// The controller, which is reset before each lease, and also after it if the controller works.
extension GatewayCore {
    /// Handles the opening of the controller: resets it for the lease, or closes it if the
    /// connection that requested the lease has ended.
    package mutating func controllerOpened(now: Instant) -> [Action] {
        guard case .opening = controller else { return [] }
        guard owner != nil else { return closeController() }
        controller = .resetting(until: now + Self.resetLimit)
        return startReset()
    }

    /// Handles the end of the controller, or the failure to open it.
    ///
    /// - Parameter reason: The reason; `nil` if the gateway closed it.
    package mutating func controllerEnded(_ reason: String?, now: Instant) -> [Action] {
        controller = .closed
        guard let owner else { return [] }
        return end(owner, reason ?? "the controller has closed", now: now)
    }

    /// Handles bytes from the controller.
    package mutating func controllerSent(
        _ bytes: some Collection<UInt8>,
        now: Instant
    ) -> [Action] {
        switch controller {
        case .closed, .opening, .closing: return []
        case .resetting, .ready, .disconnecting, .clearing: received.append(Array(bytes)[...])
        }
        var actions: [Action] = []
        var passed: [UInt8] = []
        var isUrgent = false
        do throws(H4FramingError) {
            while let packet = try received.nextRaw() {
                switch controller {
                case .resetting:
                    // The deframer has skipped everything before the answer to the reset.
                    actions += granted(status: packet.last, now: now)
                case .clearing:
                    received.reset()
                    return actions + closeController()
                case .ready:
                    note(packet)
                    guard HCI.LESubeventCode(h4: packet)?.reportsAdvertisements == true else {
                        passed += packet
                        isUrgent = true
                        continue
                    }
                    passed += admitted(report: packet, after: reports.count + passed.count)
                case .disconnecting:
                    note(packet)
                    actions += continueDisconnecting(after: packet, now: now)
                case .closed, .opening, .closing: break
                }
            }
        } catch {
            return actions + failed("the controller sent bytes that are not HCI packets", now: now)
        }
        guard isUrgent else {
            hold(passed, now: now)
            return actions
        }
        return actions + deliver(passed, now: now)
    }

    private mutating func dropReports() { (reports, reportsDue) = ([], nil) }

    private mutating func startReset() -> [Action] {
        links = []
        received.reset()
        received.resynchronize()
        return [.control([Self.reset])]
    }

    private mutating func granted(status: UInt8?, now: Instant) -> [Action] {
        guard status == 0 else { return failed("the controller refuses a reset", now: now) }
        guard let owner, let connection = connections[owner] else { return [] }
        controller = .ready
        return send(.granted(name: name), on: owner, now: now)
            + [.log("\(connection.name): the lease has begun")]
    }

    /// Returns the report, or no bytes if the report is dropped: the owner's credit does not
    /// suffice for it and for the `waiting` bytes before it.
    private mutating func admitted(
        report: ArraySlice<UInt8>,
        after waiting: Int
    ) -> ArraySlice<UInt8> {
        guard let owner, let peer = connections[owner]?.peer else { return [] }
        guard !peer.hasRoom(for: waiting + report.count) else { return report }
        connections[owner]?.droppedReports += 1
        return []
    }

    /// Keeps reports for `reportDelay`, or until a packet of another kind arrives.
    private mutating func hold(_ new: [UInt8], now: Instant) {
        guard !new.isEmpty else { return }
        reports += new
        reportsDue = reportsDue ?? now + Self.reportDelay
    }

    /// Sends the reports that wait, and then packets.
    mutating func deliver(_ new: [UInt8], now: Instant) -> [Action] {
        let packets = reports + new
        dropReports()
        guard let owner, !packets.isEmpty else { return [] }
        do throws(PeerFault) {
            let bytes = try connections[owner]?.peer.send(packets, now: now) ?? []
            return bytes.isEmpty ? [] : [.send(owner, bytes)]
        } catch {
            return end(owner, "\(error)", now: now)
        }
    }

    /// Passes the owner's packets on.
    mutating func pass(
        _ bytes: [UInt8],
        of id: ConnectionID,
        now: Instant
    ) throws(PeerFault) -> [Action] {
        connections[id]?.packets.append(bytes[...])
        var packets: [[UInt8]] = []
        do throws(H4FramingError) {
            while let packet = try connections[id]?.packets.nextRaw() {
                packets.append(Array(packet))
            }
        } catch {
            throw .noPackets
        }
        // Only controllers send events.
        guard packets.allSatisfy({ $0.first != HCI.PacketType.event.rawValue }) else {
            throw .noPackets
        }
        let credit = connections[id]?.peer.passedOn(bytes.count, now: now) ?? []
        return (packets.isEmpty ? [] : [.control(packets)])
            + (credit.isEmpty ? [] : [.send(id, credit)])
    }

    /// Ends the lease because of a fault of the controller, and closes the controller.
    mutating func failed(_ reason: String, now: Instant) -> [Action] {
        controller = .closing
        let ending = owner.map { end($0, reason, now: now) } ?? []
        return ending + [.closeController]
    }

    mutating func closeController() -> [Action] {
        controller = .closing
        return [.closeController]
    }

    /// Ends the links of a lease and resets the controller, so that no link and no advertising of
    /// the former owner remains on the air.
    mutating func release(after connection: Connection, now: Instant) -> [Action] {
        owner = nil
        dropReports()
        var actions: [Action] = []
        if connection.droppedReports > 0 {
            let count = connection.droppedReports
            actions.append(
                .log(
                    "\(connection.name): it reads too slowly, so advertising reports were "
                        + "dropped: \(count)"
                )
            )
        }
        switch controller {
        case .ready where !links.isEmpty:
            controller = .disconnecting(
                links.sorted { $0.rawValue < $1.rawValue },
                until: now + Self.disconnectingLimit
            )
            actions += disconnectFirst()
        case .resetting, .ready: actions += clear(now: now)
        case .closed, .opening, .disconnecting, .clearing, .closing: break
        }
        return actions
    }

    mutating func clear(now: Instant) -> [Action] {
        controller = .clearing(until: now + Self.clearingLimit)
        return startReset()
    }

    /// Sends Disconnect for the first link. One command is outstanding at a time.
    private func disconnectFirst() -> [Action] {
        guard case .disconnecting(let handles, _) = controller, let handle = handles.first else {
            return []
        }
        let command = HCI.EncodedCommand(HCI.Disconnect(connectionHandle: handle))
        return [.control([command.h4Packet])]
    }

    /// Handles a packet while the links of a lease end. After the Command Status of a Disconnect
    /// (Vol 4, Part E, 7.7.15), sends the next one. After the end of the last link, resets the
    /// controller.
    private mutating func continueDisconnecting(
        after packet: ArraySlice<UInt8>,
        now: Instant
    ) -> [Action] {
        var isAnswer = false
        if case .disconnecting(var handles, let until) = controller, !handles.isEmpty,
            packet.isStatus(of: .disconnect)
        {
            isAnswer = true
            let handle = handles.removeFirst()
            // If the controller refuses the command, the link no longer exists.
            if packet.dropFirst(3).first != 0 { links.remove(handle) }
            controller = .disconnecting(handles.filter(links.contains), until: until)
        }
        guard !links.isEmpty else { return clear(now: now) }
        return isAnswer ? disconnectFirst() : []
    }

    /// Records a link that has opened or ended (Vol 4, Part E, 7.7.65.1, 7.7.65.10 and 7.7.5), and
    /// a reset by the host, after which there are no links (Vol 4, Part E, 7.3.2).
    private mutating func note(_ packet: ArraySlice<UInt8>) {
        let bytes = Array(packet.prefix(7))
        func handle(at index: Int) -> ConnectionHandle {
            ConnectionHandle(rawValue: UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8)
        }
        switch HCI.LESubeventCode(h4: packet) {
        case .connectionComplete, .enhancedConnectionComplete, .enhancedConnectionCompleteV2:
            if bytes.count == 7, bytes[4] == 0 { links.insert(handle(at: 5)) }
        case .some: break
        case nil:
            if packet.isEvent(.disconnectionComplete), bytes.count >= 6, bytes[3] == 0 {
                links.remove(handle(at: 4))
            } else if packet.isSuccess(of: .reset) {
                links = []
            }
        }
    }
}

extension ArraySlice<UInt8> {
    /// Returns whether an H4 packet is an event with this code.
    fileprivate func isEvent(_ code: HCI.EventCode) -> Bool {
        starts(with: [HCI.PacketType.event.rawValue, code.rawValue])
    }

    /// Returns whether an H4 packet is Command Status of a command.
    fileprivate func isStatus(of command: HCI.Opcode) -> Bool {
        isEvent(.commandStatus) && names(command, at: 5)
    }

    /// Returns whether an H4 packet is Command Complete of a command that succeeded.
    fileprivate func isSuccess(of command: HCI.Opcode) -> Bool {
        isEvent(.commandComplete) && names(command, at: 4) && dropFirst(6).first == 0
    }

    private func names(_ command: HCI.Opcode, at offset: Int) -> Bool {
        let bytes = [command.rawValue, command.rawValue >> 8]
        return dropFirst(offset).starts(with: bytes.map { UInt8(truncatingIfNeeded: $0) })
    }
}
