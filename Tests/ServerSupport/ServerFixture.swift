// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// A server with bearers, and clients whose bytes come from the test.
///
/// The fixture sends the PDUs of the server. `events` keeps the server's questions and reports
/// until the test takes them.
package struct ServerFixture {
    package var server: GATTServer
    package private(set) var now = Instant.zero
    /// The questions and reports to the application.
    package private(set) var events: [GATTServer.Action] = []

    private var bearers: [GATTServer.BearerID: ATTBearer] = [:]
    /// The handles of the server's indications that await a confirmation.
    private var indicated: [ATTBearer.RequestID: AttributeHandle] = [:]
    private var latestID: ATTBearer.RequestID = 0

    package init(_ server: GATTServer) {
        self.server = server
    }

    /// Returns the bearer of a numbered client.
    package static func bearer(_ client: UInt64, channel: UInt16 = 4) -> GATTServer.BearerID {
        .init(client: .init(rawValue: client), channel: channel)
    }

    /// Connects a client, which exchanges the MTU if `mtu` is greater than 23.
    package mutating func connect(
        _ bearer: GATTServer.BearerID = bearer(1),
        security: LinkSecurity = .none,
        mtu: UInt16 = 23
    ) {
        bearers[bearer] = ATTBearer()
        server.open(bearer, security: security, mtu: 23)
        if mtu > 23 { _ = send([0x02, UInt8(mtu & 0xFF), UInt8(mtu >> 8)], on: bearer) }
    }

    /// Ends a bearer.
    package mutating func disconnect(_ bearer: GATTServer.BearerID = bearer(1)) {
        bearers[bearer] = nil
        perform(server.close(bearer))
    }

    /// Sends a PDU as a client. Returns all PDUs that the client receives.
    package mutating func send(
        _ pdu: [UInt8],
        on bearer: GATTServer.BearerID = bearer(1)
    ) -> [[UInt8]] {
        switch bearers[bearer]?.receive(pdu[...]) {
        case .request(let pdu), .command(let pdu):
            perform(server.receive(pdu, on: bearer, now: now))
        case .confirmed(let id?):
            guard let handle = indicated.removeValue(forKey: id) else { break }
            perform(server.confirmed(handle, on: bearer))
        default: break
        }
        return drain(bearer)
    }

    /// Returns all PDUs that can be sent on a bearer now.
    package mutating func drain(_ bearer: GATTServer.BearerID = bearer(1)) -> [[UInt8]] {
        var pdus: [[UInt8]] = []
        while let outgoing = bearers[bearer]?.nextPDU(now: now) { pdus.append(outgoing.bytes) }
        if let mtu = bearers[bearer]?.mtu { server.mtuChanged(bearer, mtu) }
        return pdus
    }

    /// Answers the oldest question to the application, if there is one.
    package mutating func answer(_ result: Result<[UInt8], ATT.ErrorCode>) {
        for (index, action) in events.enumerated() {
            guard case .ask(let id, _) = action else { continue }
            events.remove(at: index)
            return answer(id, result)
        }
    }

    /// Answers a question to the application.
    package mutating func answer(
        _ id: GATTServer.RequestID,
        _ result: Result<[UInt8], ATT.ErrorCode>,
        at handle: AttributeHandle? = nil
    ) {
        perform(server.answer(id, result, at: handle, now: now))
    }

    /// Sends a value of the application to a client. Returns `false` if the server refuses.
    package mutating func notify(
        _ handle: AttributeHandle,
        _ value: [UInt8],
        to client: GATTServer.ClientID = bearer(1).client
    ) throws -> Bool {
        guard
            case .success(let notification) = server.notification(
                of: handle,
                value: value,
                to: client
            )
        else { return false }
        latestID += 1
        switch notification.kind {
        case .notification: try bearers[notification.bearer]?.notify(notification.pdu, id: latestID)
        case .indication: try bearers[notification.bearer]?.indicate(notification.pdu, id: latestID)
        }
        return true
    }

    /// Advances the clock without traffic, which closes bearers at the timeout of an indication.
    package mutating func pass(_ time: Duration) {
        now = now + time
        perform(server.deadlinePassed(now: now))
        for bearer in bearers.keys {
            _ = bearers[bearer]?.deadlinePassed(now: now)
            if bearers[bearer]?.isClosed == true { disconnect(bearer) }
        }
    }

    /// Performs the server's actions.
    package mutating func perform(_ actions: [GATTServer.Action]) {
        for action in actions {
            switch action {
            case .respond(let bearer, let pdu): bearers[bearer]?.respond(pdu)
            case .indicate(let bearer, let indication):
                latestID += 1
                indicated[latestID] = indication.handle
                try? bearers[bearer]?.indicate(.handleValueIndication(indication), id: latestID)
            default: events.append(action)
            }
        }
    }

    /// Returns the events, and clears them.
    package mutating func takeEvents() -> [GATTServer.Action] {
        defer { events = [] }
        return events
    }
}
