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

extension ProtectedServer {
    /// Tries to send every protected value in this way, once to each requester. `rule` selects the
    /// rule of a value that decides whether it may be sent.
    mutating func tryAll(_ path: SendPath, rule: (Place) -> SecurityRequirement) {
        let open = places.first { !$0.isDynamic && rule($0) == .open }
        for place in places {
            for requester in Requester.all {
                let code = SpecifiedAccess.code(of: rule(place), for: requester, forbidden: 0)
                switch path {
                case .notify, .indicate: subscribe(path, place, requester, code)
                case .restoredNotify, .restoredIndicate:
                    restore(path, [place], requester)
                    expectSent(path, place, requester, code)
                case .restoredWithOthers:
                    guard let open, open.value != place.value else { continue }
                    restore(path, [open, place], requester)
                    expectSeveralSent(open, place, requester, code)
                }
            }
        }
    }

    private mutating func configure(
        _ place: Place,
        _ requester: Requester,
        _ bits: UInt8
    ) -> Exchange {
        let request = ATT.WriteRequest(handle: place.configuration, value: [bits, 0])
        return exchange(.writeRequest(request), with: requester)
    }

    private mutating func subscribe(
        _ path: SendPath,
        _ place: Place,
        _ requester: Requester,
        _ code: UInt8?
    ) {
        let exchange = configure(place, requester, UInt8(path.bits))
        if let code {
            let handle = place.configuration
            expectRefusal(exchange, code, of: .writeRequest, at: handle, place, requester)
            if !isRefused(server.send(place, to: requester), as: .notSubscribed) {
                fail("a value is sent to a client that may not subscribe", place, requester)
            }
        } else {
            expect(exchange, .writeResponse, place, requester)
            expectSent(path, place, requester, nil)
        }
        let unsubscribing = configure(place, requester, 0)
        if let code = SpecifiedAccess.openValueCode(for: requester) {
            let handle = place.configuration
            expectRefusal(unsubscribing, code, of: .writeRequest, at: handle, place, requester)
        } else {
            expect(unsubscribing, .writeResponse, place, requester)
        }
        if !isRefused(server.send(place, to: requester), as: .notSubscribed) {
            fail("a value is sent to a client that has unsubscribed", place, requester)
        }
    }

    private mutating func restore(_ path: SendPath, _ places: [Place], _ requester: Requester) {
        var clientRecord = ClientRecord()
        clientRecord.knownHash = server.database.hash
        clientRecord.supportedFeatures = 0x04
        for place in places {
            clientRecord.configurations[place.configuration] = .init(
                bits: path.bits,
                service: place.service.uuid,
                characteristic: place.type
            )
        }
        _ = server.restore(requester.client, clientRecord)
    }

    private mutating func expectSent(
        _ path: SendPath,
        _ place: Place,
        _ requester: Requester,
        _ code: UInt8?
    ) {
        let result = server.send(place, to: requester)
        if let code {
            guard !isRefused(result, as: .notPermitted(.init(rawValue: code))) else { return }
            return fail("sending ends in \(result)", place, requester)
        }
        guard case .success(let sent) = result else {
            return fail("nothing is sent: \(result)", place, requester)
        }
        let value = Self.secret[...]
        let pdu: ATT.PDU =
            path.bits == 1
            ? .handleValueNotification(.init(handle: place.value, value: value))
            : .handleValueIndication(.init(handle: place.value, value: value))
        if sent.pdu != pdu || sent.bearer != requester.bearer {
            fail("the PDU or the bearer is wrong", place, requester)
        }
    }

    /// Checks that an open value and the protected value are sent in one PDU, or that neither is
    /// sent if the protected value is not permitted.
    private mutating func expectSeveralSent(
        _ open: Place,
        _ place: Place,
        _ requester: Requester,
        _ code: UInt8?
    ) {
        let values = [open, place].map {
            GATT.AttributeValue(handle: $0.value, value: Self.secret)
        }
        switch (server.notifications(of: values, to: requester.client), code) {
        case (.success(let sent), nil):
            let entries = values.map {
                ATT.MultipleHandleValueNotification.Entry(handle: $0.handle, value: $0.value[...])
            }
            let pdu = ATT.PDU.multipleHandleValueNotification(.init(entries: entries))
            if sent.map(\.pdu) != [pdu] { fail("sent \(sent.map(\.pdu))", place, requester) }
        case (.failure(.notPermitted(let refusal)), let code?) where refusal.rawValue == code:
            break
        case (let result, _): fail("sending several ends in \(result)", place, requester)
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
        _ place: ProtectedServer.Place,
        to requester: Requester
    ) -> Result<Notification, NotificationRefusal> {
        notification(of: place.value, value: ProtectedServer.secret, to: requester.client)
    }
}
