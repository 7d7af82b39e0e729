// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes
import ServerTestSupport
import Testing

@testable import BluetoothGATT

@Suite("A bearer that both the server and the client use")
struct ServingTests {
    private var client = DrivenClient()

    private let notification = ATT.PDU.handleValueNotification(
        .init(handle: AttributeHandle(3), value: [1])
    )
    private let indication = ATT.PDU.handleValueIndication(
        .init(handle: AttributeHandle(4), value: [2])
    )

    @Test("A request is passed to the server, and its response is sent")
    mutating func responds() {
        let request = ATT.PDU.readRequest(.init(handle: AttributeHandle(9)))
        #expect(client.receive(request.encode()[...], now: .zero) == [.request(request)])
        client.bearer.respond(.readResponse(.init(value: [7])))
        #expect(client.nextPDU(now: .zero) == .init(bytes: [0x0B, 7], actions: []))
    }

    @Test("A command is passed to the server")
    mutating func commands() {
        let command = ATT.PDU.writeCommand(.init(handle: AttributeHandle(9), value: [1]))
        #expect(client.receive(command.encode()[...], now: .zero) == [.command(command)])
        #expect(client.nextPDU(now: .zero) == nil)
    }

    @Test("A notification is reported when it is sent")
    mutating func notifies() throws {
        try client.bearer.notify(notification, id: 5)
        try client.bearer.notify(notification, id: nil)
        let bytes: [UInt8] = [0x1B, 3, 0, 1]
        #expect(client.nextPDU(now: .zero) == .init(bytes: bytes, actions: [.sent(5)]))
        #expect(client.nextPDU(now: .zero) == .init(bytes: bytes, actions: []))
        #expect(client.bearer.hasRoomForNotification)
    }

    @Test("An indication is reported when it is confirmed")
    mutating func indicates() throws {
        try client.bearer.indicate(indication, id: 5)
        #expect(client.nextPDU(now: .zero)?.bytes == [0x1D, 4, 0, 2])
        #expect(client.receive([0x1E], now: .zero) == [.confirmed(5)])
        #expect(client.bearer.hasRoomForIndication)
    }

    @Test("A withdrawn notification or indication is not reported")
    mutating func withdraws() throws {
        try client.bearer.notify(notification, id: 4)
        try client.bearer.indicate(indication, id: 5)
        client.bearer.cancel(4)
        #expect(client.nextPDU(now: .zero)?.bytes == [0x1D, 4, 0, 2])
        client.bearer.cancel(5)
        #expect(client.receive([0x1E], now: .zero) == [])
        #expect(client.close() == [])
    }

    @Test("An unconfirmed indication ends the link and fails all pending requests")
    mutating func timesOut() throws {
        try client.bearer.indicate(indication, id: 5)
        _ = client.nextPDU(now: .zero)
        try client.bearer.notify(notification, id: 6)
        _ = client.start(.read(AttributeHandle(1)), id: 7)
        #expect(
            client.deadlinePassed(now: .zero + .seconds(30)) == [
                .completed(5, .failure(.timedOut)),
                .completed(7, .failure(.timedOut)),
                .completed(6, .failure(.timedOut)),
                .transactionTimedOut,
            ]
        )
    }

    @Test("The end of the link fails unsent notifications and indications")
    mutating func closes() throws {
        try client.bearer.notify(notification, id: 4)
        try client.bearer.indicate(indication, id: 5)
        #expect(
            client.close() == [
                .completed(4, .failure(.bearerClosed)), .completed(5, .failure(.bearerClosed)),
            ]
        )
        #expect(throws: ATTBearer.BearerError.closed) {
            try client.bearer.notify(notification, id: 6)
        }
    }
}
