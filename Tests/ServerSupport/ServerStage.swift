// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// A server with bearers in front of it, and clients that are played octet by octet.
///
/// What the server wants sent is sent; what it wants to know, or tells, waits in `news` until the
/// test has looked at it.
package struct ServerStage {
    package var server: GATTServer
    package private(set) var now = Instant.zero
    /// What the application was asked and told.
    package private(set) var news: [GATTServer.Action] = []

    private var bearers: [GATTServer.BearerID: ATTBearer] = [:]
    /// The server's own indications that are not confirmed yet.
    private var indicated: [ATTBearer.RequestID: AttributeHandle] = [:]
    private var latestID: ATTBearer.RequestID = 0

    package init(_ server: GATTServer) {
        self.server = server
    }

    /// Names a bearer of a client, by small numbers.
    package static func bearer(_ client: UInt64, channel: UInt16 = 4) -> GATTServer.BearerID {
        .init(client: .init(rawValue: client), channel: channel)
    }

    /// A client is there, and has exchanged MTUs if `mtu` is not 23.
    package mutating func connect(
        _ bearer: GATTServer.BearerID = bearer(1),
        security: LinkSecurity = .none,
        mtu: UInt16 = 23
    ) {
        bearers[bearer] = ATTBearer()
        server.open(bearer, security: security, mtu: 23)
        if mtu > 23 { _ = send([0x02, UInt8(mtu & 0xFF), UInt8(mtu >> 8)], on: bearer) }
    }

    /// A bearer is gone.
    package mutating func disconnect(_ bearer: GATTServer.BearerID = bearer(1)) {
        bearers[bearer] = nil
        perform(server.close(bearer))
    }

    /// A client sends a PDU. Returns all that is sent to it.
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

    /// Everything that can leave on a bearer now.
    package mutating func drain(_ bearer: GATTServer.BearerID = bearer(1)) -> [[UInt8]] {
        var pdus: [[UInt8]] = []
        while let outgoing = bearers[bearer]?.nextPDU(now: now) { pdus.append(outgoing.bytes) }
        if let mtu = bearers[bearer]?.mtu { server.mtuChanged(bearer, mtu) }
        return pdus
    }

    /// The application answers the question that it was asked first, if there is one.
    package mutating func answer(_ result: Result<[UInt8], ATT.ErrorCode>) {
        for (index, action) in news.enumerated() {
            guard case .ask(let id, _) = action else { continue }
            news.remove(at: index)
            return answer(id, result)
        }
    }

    /// The application answers a question.
    package mutating func answer(
        _ id: GATTServer.RequestID,
        _ result: Result<[UInt8], ATT.ErrorCode>
    ) {
        perform(server.answer(id, result, now: now))
    }

    /// The application has a value for a client. False if it is not sent.
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

    /// Nothing is sent for a while. A bearer whose client confirms nothing for too long is closed.
    package mutating func pass(_ time: Duration) {
        now = now + time
        perform(server.deadlinePassed(now: now))
        for bearer in bearers.keys {
            _ = bearers[bearer]?.deadlinePassed(now: now)
            if bearers[bearer]?.isClosed == true { disconnect(bearer) }
        }
    }

    /// Does what the server wants done.
    package mutating func perform(_ actions: [GATTServer.Action]) {
        for action in actions {
            switch action {
            case .respond(let bearer, let pdu): bearers[bearer]?.respond(pdu)
            case .indicate(let bearer, let indication):
                latestID += 1
                indicated[latestID] = indication.handle
                try? bearers[bearer]?.indicate(.handleValueIndication(indication), id: latestID)
            default: news.append(action)
            }
        }
    }

    /// The news, which are none any more.
    package mutating func takeNews() -> [GATTServer.Action] {
        defer { news = [] }
        return news
    }
}
