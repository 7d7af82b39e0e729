// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The host's side of a connection to a gateway.
package struct GatewayClient: Sendable {
    /// The purpose of the connection.
    package enum Purpose: Equatable, Sendable {
        /// The lease of the controller.
        case lease
        /// The enrollment of this host, with the secret of a code and a name.
        case enrollment(secret: [UInt8], name: String)
    }

    package enum Action: Equatable, Sendable {
        /// Send bytes to the gateway.
        case send([UInt8])
        /// The gateway of this name has granted the lease, or has enrolled this host.
        case granted(name: String)
        /// Pass packets on to the host. Call `consumed` when the host has consumed them.
        case deliver([UInt8])
        /// Close the connection, for this reason.
        case end(String)
    }

    private enum Phase {
        case awaitingAnswer
        case granted
        case ended
    }

    private let purpose: Purpose
    private var peer: Peer
    private var phase = Phase.awaitingAnswer
    /// The bytes that were delivered and not consumed yet.
    private var delivered = 0

    /// Creates the host's side of a connection on which TLS is established.
    package init(_ purpose: Purpose, now: Instant) {
        self.purpose = purpose
        peer = Peer(now: now)
    }

    /// Sends the first frame of the host.
    package mutating func begin(now: Instant) -> [Action] {
        switch purpose {
        case .lease: send(.hello(version: GatewayProtocol.version), now: now)
        case .enrollment(let secret, let name):
            send(.enroll(secret: secret, name: name), now: now)
        }
    }

    private mutating func send(_ frame: Frame, now: Instant) -> [Action] {
        [.send(peer.bytes(of: frame, now: now))]
    }

    /// Handles bytes from the gateway.
    package mutating func received(_ bytes: some Collection<UInt8>, now: Instant) -> [Action] {
        guard phase != .ended else { return [] }
        var actions: [Action] = []
        peer.append(bytes)
        do throws(PeerFault) {
            while phase != .ended, let frame = try peer.next(now: now) {
                actions += try handle(frame, now: now)
            }
        } catch {
            actions += end("the gateway broke the protocol: \(error)")
        }
        return actions
    }

    private mutating func handle(_ frame: Frame, now: Instant) throws(PeerFault) -> [Action] {
        switch (frame, phase) {
        case (.refused(let reason), _): return end(reason)
        case (.granted(let name), .awaitingAnswer) where purpose == .lease:
            phase = .granted
            return [.granted(name: name)]
        case (.enrolled(let name), .awaitingAnswer) where purpose != .lease:
            phase = .ended
            return [.granted(name: name)]
        case (.packets(let bytes), .granted):
            delivered += bytes.count
            return [.deliver(bytes)]
        case (.credit, .granted):
            let bytes = peer.flush(now: now)
            return bytes.isEmpty ? [] : [.send(bytes)]
        default: throw .outOfPlace
        }
    }

    /// Handles packets from the host. Packets before and after the lease are dropped.
    package mutating func hostSent(_ bytes: some Collection<UInt8>, now: Instant) -> [Action] {
        guard phase == .granted else { return [] }
        do throws(PeerFault) {
            let bytes = try peer.send(bytes, now: now)
            return bytes.isEmpty ? [] : [.send(bytes)]
        } catch {
            return end("the gateway is lost: \(error)")
        }
    }

    /// Records that the host has consumed delivered packets.
    ///
    /// - Parameter count: The number of delivered bytes that the host has consumed.
    package mutating func consumed(_ count: Int, now: Instant) -> [Action] {
        let count = min(count, delivered)
        guard phase == .granted, count > 0 else { return [] }
        delivered -= count
        let credit = peer.passedOn(count, now: now)
        return credit.isEmpty ? [] : [.send(credit)]
    }

    /// The time at which to call `deadlinePassed`; `nil` after the end.
    package var nextDeadline: Instant? { phase == .ended ? nil : peer.nextDeadline }

    /// Sends a ping, or ends the connection if the gateway counts as lost.
    package mutating func deadlinePassed(now: Instant) -> [Action] {
        guard phase != .ended else { return [] }
        do throws(PeerFault) {
            let ping = try peer.deadlinePassed(now: now)
            return ping.isEmpty ? [] : [.send(ping)]
        } catch {
            return end("the gateway is lost: \(error)")
        }
    }

    private mutating func end(_ reason: String) -> [Action] {
        phase = .ended
        return [.end(reason)]
    }
}
