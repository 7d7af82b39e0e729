// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes
import Testing

@testable import BluetoothGATT

/// The state that a server keeps for clients has named limits. A client that reaches a limit is
/// refused without an effect on other clients.
@Suite("Limits of a server")
struct LimitTests {
    private func prepare(
        _ value: [UInt8],
        at offset: Int = 0,
        on bearer: GATTServer.BearerID,
        of pair: inout ServedPair
    ) -> ATT.PDU? {
        let request = ATT.PrepareWriteRequest(
            handle: pair.storedHandle,
            offset: UInt16(offset),
            value: value[...]
        )
        let actions = pair.server.receive(.prepareWriteRequest(request), on: bearer, now: .zero)
        guard case .respond(bearer, let pdu)? = actions.first else { return nil }
        return pdu
    }

    private func isTaken(_ pdu: ATT.PDU?) -> Bool {
        if case .prepareWriteResponse? = pdu { true } else { false }
    }

    private func refusal(_ pair: ServedPair) -> ATT.PDU {
        .errorResponse(
            .init(
                requestOpcode: .prepareWriteRequest,
                handle: pair.storedHandle,
                code: .prepareQueueFull
            )
        )
    }

    private func bearer(_ client: UInt64, _ channel: UInt16 = 4) -> GATTServer.BearerID {
        .init(client: .init(rawValue: client), channel: channel)
    }

    @Test("The prepared writes of a client are limited over all its bearers")
    func count() throws {
        var pair = try ServedPair()
        for name in [bearer(1), bearer(1, 5), bearer(2)] {
            pair.server.open(name, security: .none, mtu: 517)
        }
        for index in 0..<GATTServer.preparedWriteLimit {
            let name = bearer(1, index.isMultiple(of: 2) ? 4 : 5)
            #expect(isTaken(prepare([1], on: name, of: &pair)))
        }
        #expect(prepare([1], on: bearer(1), of: &pair) == refusal(pair))
        #expect(prepare([1], on: bearer(1, 5), of: &pair) == refusal(pair))
        #expect(isTaken(prepare([1], on: bearer(2), of: &pair)), "Another client has its own limit")
        let cancel = ATT.PDU.executeWriteRequest(.init(flags: .cancelAll))
        let actions = pair.server.receive(cancel, on: bearer(1), now: .zero)
        #expect(actions == [.respond(bearer(1), .executeWriteResponse)])
        #expect(
            isTaken(prepare([1], on: bearer(1, 5), of: &pair)),
            "The first client has space again"
        )
        #expect(pair.server.value(of: pair.storedHandle) == ServedPair.longValue)
    }

    @Test("The prepared bytes of a client are limited")
    func bytes() throws {
        var pair = try ServedPair()
        pair.server.open(bearer(1), security: .none, mtu: 517)
        let part = [UInt8](repeating: 7, count: 512)
        for _ in 0..<GATTServer.preparedByteLimit / part.count {
            #expect(isTaken(prepare(part, on: bearer(1), of: &pair)))
        }
        #expect(prepare([1], on: bearer(1), of: &pair) == refusal(pair))
        // The parts that were accepted before the refusal are valid.
        let execute = ATT.PDU.executeWriteRequest(.init(flags: .writeAll))
        let actions = pair.server.receive(execute, on: bearer(1), now: .zero)
        #expect(actions.first == .respond(bearer(1), .executeWriteResponse))
        #expect(pair.server.value(of: pair.storedHandle) == part)
    }

    @Test("Each bearer has at most one open question")
    func questions() throws {
        var pair = try ServedPair()
        let names = (1...200).map { bearer(UInt64($0)) }
        for name in names { pair.server.open(name, security: .none, mtu: 23) }
        let read = ATT.PDU.readRequest(.init(handle: pair.dynamicHandle))
        for name in names {
            for attempt in 0..<3 {
                let actions = pair.server.receive(read, on: name, now: .zero)
                let asked = actions.filter { if case .ask = $0 { true } else { false } }
                #expect(asked.count == (attempt == 0 ? 1 : 0))
            }
        }
        #expect(pair.server.pending.count == names.count)
        // Without an answer of the application, each request is answered once at the deadline.
        let deadline = try #require(pair.server.nextDeadline)
        #expect(deadline == Instant.zero + GATTServer.questionLimit)
        let actions = pair.server.deadlinePassed(now: deadline)
        #expect(actions.count == names.count)
        let refusal = ATT.ErrorResponse(
            requestOpcode: .readRequest,
            handle: pair.dynamicHandle,
            code: .unlikelyError
        )
        for name in names { #expect(actions.contains(.respond(name, .errorResponse(refusal)))) }
        #expect(pair.server.pending.isEmpty)
        #expect(pair.server.nextDeadline == nil)
    }

    @Test("Changes during an unconfirmed indication lead to one more indication")
    func changes() throws {
        var pair = try ServedPair()
        let security = LinkSecurity(isEncrypted: true, keySize: 16, isBonded: true)
        pair.connect(security)
        let changed = try #require(pair.server.serviceChangedHandle)
        pair.start(
            .subscribe(
                valueHandle: changed,
                descriptor: try #require(changed.next),
                .indication
            )
        )
        pair.drive()
        var indications = 0
        for _ in 0..<100 {
            let (service, actions) = try pair.server.publish(.init(.init(0xD005), []))
            let more = try pair.server.unpublish(service.service.handle)
            for action in actions + more { if case .indicate = action { indications += 1 } }
            pair.perform(actions + more)
        }
        #expect(indications == 1)
        pair.drive()
        #expect(
            pair.notified.count == 2,
            "The client gets the value in transit and the latest value"
        )
    }
}
