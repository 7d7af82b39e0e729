// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// Every way to send a value (Vol 3, Part G, 4.10 and 4.11) to a client that subscribed on this
/// link, or on an earlier link with better security.
enum SendPath: CaseIterable, Sendable {
    case notify, indicate
    case restoredNotify, restoredIndicate, restoredWithOthers

    fileprivate var bits: UInt16 {
        switch self {
        case .notify, .restoredNotify, .restoredWithOthers: 1
        case .indicate, .restoredIndicate: 2
        }
    }
}

extension GuardedServer {
    /// Sends every value to every visitor on this path. `rule` selects the rule that applies.
    mutating func tryAll(_ path: SendPath, rule: (Place) -> SecurityRequirement) {
        let open = places.first { !$0.isDynamic && rule($0) == .open }
        for place in places {
            for visitor in Visitor.all {
                let code = SpecifiedAccess.code(of: rule(place), for: visitor, forbidden: 0)
                switch path {
                case .notify, .indicate: subscribe(path, place, visitor, code)
                case .restoredNotify, .restoredIndicate:
                    restore(path, [place], visitor)
                    expectSent(path, place, visitor, code)
                case .restoredWithOthers:
                    guard let open, open.value != place.value else { continue }
                    restore(path, [open, place], visitor)
                    expectSeveralSent(open, place, visitor, code)
                }
            }
        }
    }

    private mutating func configure(
        _ place: Place,
        _ visitor: Visitor,
        _ bits: UInt8
    ) -> Exchange {
        let request = ATT.WriteRequest(handle: place.configuration, value: [bits, 0])
        return exchange(.writeRequest(request), with: visitor)
    }

    private mutating func subscribe(
        _ path: SendPath,
        _ place: Place,
        _ visitor: Visitor,
        _ code: UInt8?
    ) {
        let exchange = configure(place, visitor, UInt8(path.bits))
        if let code {
            let handle = place.configuration
            expectRefusal(exchange, code, of: .writeRequest, at: handle, place, visitor)
            if !isRefused(server.send(place, to: visitor), as: .notSubscribed) {
                fail("a value is sent to who may not subscribe", place, visitor)
            }
        } else {
            expect(exchange, .writeResponse, place, visitor)
            expectSent(path, place, visitor, nil)
        }
        let unsubscribing = configure(place, visitor, 0)
        if let code = SpecifiedAccess.neighbourCode(for: visitor) {
            let handle = place.configuration
            expectRefusal(unsubscribing, code, of: .writeRequest, at: handle, place, visitor)
        } else {
            expect(unsubscribing, .writeResponse, place, visitor)
        }
        if !isRefused(server.send(place, to: visitor), as: .notSubscribed) {
            fail("a value is sent to who has unsubscribed", place, visitor)
        }
    }

    private mutating func restore(_ path: SendPath, _ places: [Place], _ visitor: Visitor) {
        var memory = ClientRecord()
        memory.knownHash = server.database.hash
        memory.supportedFeatures = 0x04
        for place in places {
            memory.configurations[place.configuration] = .init(
                bits: path.bits,
                service: place.service.uuid,
                characteristic: place.type
            )
        }
        _ = server.restore(visitor.client, memory)
    }

    private mutating func expectSent(
        _ path: SendPath,
        _ place: Place,
        _ visitor: Visitor,
        _ code: UInt8?
    ) {
        let result = server.send(place, to: visitor)
        if let code {
            guard !isRefused(result, as: .notPermitted(.init(rawValue: code))) else { return }
            return fail("sending ends in \(result)", place, visitor)
        }
        guard case .success(let sent) = result else {
            return fail("nothing is sent: \(result)", place, visitor)
        }
        let value = Self.secret[...]
        let pdu: ATT.PDU =
            path.bits == 1
            ? .handleValueNotification(.init(handle: place.value, value: value))
            : .handleValueIndication(.init(handle: place.value, value: value))
        if sent.pdu != pdu || sent.bearer != visitor.bearer { fail("sent wrong", place, visitor) }
    }

    /// Checks that an open value is sent without the protected value that accompanies it.
    private mutating func expectSeveralSent(
        _ open: Place,
        _ place: Place,
        _ visitor: Visitor,
        _ code: UInt8?
    ) {
        let values = [open, place].map {
            GATT.AttributeValue(handle: $0.value, value: Self.secret)
        }
        switch (server.notifications(of: values, to: visitor.client), code) {
        case (.success(let sent), nil):
            let entries = values.map {
                ATT.MultipleHandleValueNotification.Entry(handle: $0.handle, value: $0.value[...])
            }
            let pdu = ATT.PDU.multipleHandleValueNotification(.init(entries: entries))
            if sent.map(\.pdu) != [pdu] { fail("sent \(sent.map(\.pdu))", place, visitor) }
        case (.failure(.notPermitted(let refusal)), let code?) where refusal.rawValue == code:
            break
        case (let result, _): fail("sending several ends in \(result)", place, visitor)
        }
    }

    private func isRefused(
        _ result: Result<GATTServer.Notification, GATTServer.NotificationRefusal>,
        as refusal: GATTServer.NotificationRefusal
    ) -> Bool {
        guard case .failure(refusal) = result else { return false }
        return true
    }
}

extension GATTServer {
    fileprivate func send(
        _ place: GuardedServer.Place,
        to visitor: Visitor
    ) -> Result<Notification, NotificationRefusal> {
        notification(of: place.value, value: GuardedServer.secret, to: visitor.client)
    }
}
