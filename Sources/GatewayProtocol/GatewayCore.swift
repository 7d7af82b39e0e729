// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// The gateway's side: its connections, its one controller, and the lease.
package struct GatewayCore: Sendable {
    package typealias ConnectionID = Int

    package enum Action: Equatable, Sendable {
        /// Send bytes on a connection.
        case send(ConnectionID, [UInt8])
        /// Close a connection, after the bytes of earlier actions have been sent.
        case close(ConnectionID)
        /// Open the controller. Call `controllerOpened` or `controllerEnded` with the result.
        case openController
        /// Send packets to the controller.
        case control([[UInt8]])
        /// Close the controller, and then call `controllerEnded`.
        case closeController
        /// Check the secret of an enrollment code, and store the certificate of the connection
        /// under this name. Call `secretChecked` with the result.
        case check(ConnectionID, secret: [UInt8], name: String)
        /// Write a line for a person.
        case log(String)
    }

    /// The peer of a connection, as TLS has authenticated it.
    package enum Authentication: Equatable, Sendable {
        /// A host that is enrolled under this name.
        case host(String)
        /// A host whose certificate is not enrolled. It is admitted only while a code is valid.
        case unenrolled
    }

    enum Phase: Equatable, Sendable {
        /// The host has not requested anything yet.
        case awaitingHello(until: Instant)
        case awaitingCheck(name: String)
        /// The host has the lease, or the controller is being prepared for it.
        case owner
    }

    struct Connection: Sendable {
        /// The host's address, for log lines and messages.
        let address: String
        let authentication: Authentication
        var peer: Peer
        var phase: Phase
        var droppedReports = 0
        /// The packets of the host. The last may be incomplete.
        var packets = H4Deframer()

        var name: String {
            switch authentication {
            case .host(let name): "\(name) (\(address))"
            case .unenrolled: address
            }
        }

        var isAwaitingCheck: Bool { if case .awaitingCheck = phase { true } else { false } }

        /// The time until which the host must ask for the lease or for its enrollment; `nil` if it
        /// has asked.
        var purposeDeadline: Instant? {
            if case .awaitingHello(let until) = phase { until } else { nil }
        }
    }

    enum Controller: Sendable {
        case closed
        case opening
        /// The reset before a lease, until the answer.
        case resetting(until: Instant)
        case ready
        /// The links of a lease are ended, so that the devices notice the end at once. The handles
        /// are those of the links whose Disconnect the controller has not answered yet. The command
        /// for the first of them was sent.
        case disconnecting([ConnectionHandle], until: Instant)
        /// The reset after a lease, until the answer.
        case clearing(until: Instant)
        case closing
    }

    /// The maximum number of connections.
    package static let connectionLimit = 16
    /// The time in which a host must ask for the lease or for its enrollment.
    static let purposeLimit = Duration.seconds(5)
    /// The time in which the controller must answer the reset before a lease.
    static let resetLimit = Duration.seconds(4)
    /// The time in which the controller must answer the reset after a lease. Then it is closed,
    /// even without an answer.
    static let clearingLimit = Duration.seconds(1)
    /// The time in which the links of a lease must end. Then the controller is reset, even if links
    /// are left.
    static let disconnectingLimit = Duration.seconds(1)
    /// The time for which advertising reports are collected into one frame. A frame costs the
    /// host's machine as much as many reports.
    package static let reportDelay = Duration.milliseconds(10)
    /// HCI Reset (Vol 4, Part E, 7.3.2).
    package static let reset = HCI.EncodedCommand(HCI.Reset()).h4Packet

    /// The gateway's name.
    package let name: String
    var connections: [ConnectionID: Connection] = [:]
    /// The connection that has the lease, or for which the controller is being opened or reset.
    package internal(set) var owner: ConnectionID?
    var controller = Controller.closed
    var received = H4Deframer()
    /// The advertising reports that wait, at most as many bytes as the owner may receive, and the
    /// time at which they are sent.
    var reports: [UInt8] = []
    var reportsDue: Instant?
    /// The handles of the open links: at most 4,096, because a handle has 12 bits.
    var links: Set<ConnectionHandle> = []

    /// Creates the core of a gateway.
    package init(name: String) { self.name = name }
}

// Connections.
extension GatewayCore {
    /// Handles a connection on which TLS is established.
    package mutating func connected(
        _ id: ConnectionID,
        from address: String,
        _ authentication: Authentication,
        now: Instant
    ) -> [Action] {
        guard connections.count < Self.connectionLimit else {
            return [
                .log("\(address): refused, because there are too many connections"), .close(id),
            ]
        }
        connections[id] = Connection(
            address: address,
            authentication: authentication,
            peer: Peer(now: now),
            phase: .awaitingHello(until: now + Self.purposeLimit)
        )
        return []
    }

    /// Handles bytes from a connection.
    package mutating func received(
        _ bytes: some Collection<UInt8>,
        on id: ConnectionID,
        now: Instant
    ) -> [Action] {
        guard connections[id]?.isAwaitingCheck == false else { return [] }
        connections[id]?.peer.append(bytes)
        var actions: [Action] = []
        do throws(PeerFault) {
            // Frames of a host are not handled while its secret is checked, because the check ends
            // the connection.
            while connections[id]?.isAwaitingCheck == false,
                let frame = try connections[id]?.peer.next(now: now)
            {
                actions += try handle(frame, on: id, now: now)
            }
        } catch {
            actions += end(id, "\(error)", now: now)
        }
        return actions
    }

    private mutating func handle(
        _ frame: Frame,
        on id: ConnectionID,
        now: Instant
    ) throws(PeerFault) -> [Action] {
        guard let connection = connections[id] else { return [] }
        switch (frame, connection.phase) {
        case (.hello(let version), .awaitingHello): return hello(version, on: id, now: now)
        case (.enroll(let secret, let name), .awaitingHello):
            connections[id]?.phase = .awaitingCheck(name: name)
            return [.check(id, secret: secret, name: name)]
        case (.packets(let bytes), .owner):
            guard case .ready = controller else { throw .outOfPlace }
            return try pass(bytes, of: id, now: now)
        case (.credit, .owner):
            let bytes = connections[id]?.peer.flush(now: now) ?? []
            return bytes.isEmpty ? [] : [.send(id, bytes)]
        default: throw .outOfPlace
        }
    }

    private mutating func hello(
        _ version: UInt8,
        on id: ConnectionID,
        now: Instant
    ) -> [Action] {
        guard version == GatewayProtocol.version else {
            return end(
                id,
                "the host has version \(version) of the protocol, and the gateway has version "
                    + "\(GatewayProtocol.version); update both",
                now: now
            )
        }
        guard case .host? = connections[id]?.authentication else {
            return end(id, "its certificate is not enrolled", now: now)
        }
        if let owner, let other = connections[owner] {
            return end(id, "\(name) is in use by \(other.name)", now: now)
        }
        guard case .closed = controller else {
            return end(id, "\(name) is being reset after another lease; try again", now: now)
        }
        owner = id
        connections[id]?.phase = .owner
        controller = .opening
        return [.openController]
    }

    /// Handles the result of `check`.
    package mutating func secretChecked(
        _ id: ConnectionID,
        isValid: Bool,
        now: Instant
    ) -> [Action] {
        guard let connection = connections[id], case .awaitingCheck(let host) = connection.phase
        else { return [] }
        guard isValid else {
            let reason = "the enrollment code is wrong, used or too old"
            return end(id, reason + "; 'lanyard-gateway code' prints a new one", now: now)
        }
        let answer = send(.enrolled(name: name), on: id, now: now)
        connections[id] = nil
        return answer + [.close(id), .log("\(connection.address): enrolled as \(host)")]
    }

    /// Handles the end of a connection.
    package mutating func disconnected(_ id: ConnectionID, now: Instant) -> [Action] {
        guard let connection = connections.removeValue(forKey: id) else { return [] }
        guard owner == id else { return [] }
        return [.log("\(connection.name): the lease has ended, because the connection has ended")]
            + release(after: connection, now: now)
    }

    /// Refuses or ends a connection.
    mutating func end(_ id: ConnectionID, _ reason: String, now: Instant) -> [Action] {
        guard connections[id] != nil else { return [] }
        let last = send(.refused(reason), on: id, now: now)
        guard let connection = connections.removeValue(forKey: id) else { return [] }
        let wasOwner = owner == id
        let what = wasOwner ? "the lease has ended" : "refused"
        return last + [.close(id), .log("\(connection.name): \(what): \(reason)")]
            + (wasOwner ? release(after: connection, now: now) : [])
    }

    mutating func send(_ frame: Frame, on id: ConnectionID, now: Instant) -> [Action] {
        guard let bytes = connections[id]?.peer.bytes(of: frame, now: now) else { return [] }
        return [.send(id, bytes)]
    }

    /// The time at which to call `deadlinePassed`.
    package var nextDeadline: Instant? {
        var soonest = reportsDue
        for connection in connections.values {
            soonest = earliest(soonest, connection.peer.nextDeadline)
            soonest = earliest(soonest, connection.purposeDeadline)
        }
        switch controller {
        case .resetting(let until), .clearing(let until), .disconnecting(_, let until):
            return earliest(soonest, until)
        case .closed, .opening, .ready, .closing: return soonest
        }
    }

    /// Sends pings and the reports that wait, and ends each connection and each step of the
    /// controller that has taken too long.
    package mutating func deadlinePassed(now: Instant) -> [Action] {
        var actions: [Action] = []
        if let due = reportsDue, due <= now { actions += deliver([], now: now) }
        for id in connections.keys.sorted() {
            if let deadline = connections[id]?.purposeDeadline, deadline <= now {
                actions += end(
                    id,
                    "it has asked for nothing within \(Self.purposeLimit)",
                    now: now
                )
                continue
            }
            do throws(PeerFault) {
                let ping = try connections[id]?.peer.deadlinePassed(now: now) ?? []
                if !ping.isEmpty { actions.append(.send(id, ping)) }
            } catch {
                actions += end(id, "\(error)", now: now)
            }
        }
        switch controller {
        case .resetting(let until) where until <= now:
            actions += failed("the controller does not answer", now: now)
        case .disconnecting(_, let until) where until <= now: actions += clear(now: now)
        case .clearing(let until) where until <= now: actions += closeController()
        default: break
        }
        return actions
    }
}
