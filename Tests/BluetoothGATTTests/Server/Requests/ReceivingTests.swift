// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes
import ServerTestSupport
import Testing

@testable import BluetoothGATT

@Suite("Receiving requests and commands")
struct ReceivingTests {
    private let bearer = ServerFixture.bearer(1)

    @Test("A request on an unknown bearer gets an error response")
    func unknownBearer() throws {
        var server = try SampleTable.server()
        let handle = AttributeHandle(0x22)
        let read = ATT.PDU.readRequest(.init(handle: handle))
        let refusal = ATT.ErrorResponse(
            requestOpcode: .readRequest,
            handle: handle,
            code: .unlikelyError
        )
        #expect(
            server.receive(read, on: bearer, now: .zero)
                == [.respond(bearer, .errorResponse(refusal))]
        )
        let command = ATT.PDU.writeCommand(.init(handle: handle, value: [1]))
        #expect(server.receive(command, on: bearer, now: .zero) == [])
        #expect(server.value(of: handle) == [1, 2, 3])
    }

    @Test("A second request before the first response is reported as a violation")
    func outOfSequence() throws {
        var server = try SampleTable.server()
        server.open(bearer, security: .none, mtu: 23)
        let dynamic = ATT.PDU.readRequest(.init(handle: AttributeHandle(0x32)))
        let stored = ATT.PDU.readRequest(.init(handle: AttributeHandle(0x22)))
        _ = server.receive(dynamic, on: bearer, now: .zero)
        guard case .violated? = server.receive(stored, on: bearer, now: .zero).first else {
            Issue.record("The violation is not reported")
            return
        }
    }

    @Test("A request out of sequence does not make a client change-aware")
    func outOfSequenceRecord() throws {
        var server = try SampleTable.server()
        server.open(bearer, security: ServedTable.bonded, mtu: 23)
        let attributes = server.database.attributes
        let features = try #require(attributes.first { $0.type == BluetoothUUID(0x2B29) })
        _ = server.write([1], to: features, by: bearer.client)
        let dynamic = ATT.PDU.readRequest(.init(handle: AttributeHandle(0x32)))
        let stored = ATT.PDU.readRequest(.init(handle: AttributeHandle(0x22)))
        _ = server.receive(dynamic, on: bearer, now: .zero)
        _ = try server.publish(ServedTable.addition)
        for _ in 1...2 {
            let actions = server.receive(stored, on: bearer, now: .zero)
            #expect(actions.clientRecords == [])
            #expect(actions.count == 1)
        }
    }

    @Test("A command with a valid signature is executed once")
    func signed() throws {
        var fixture = ServerFixture(try SampleTable.server())
        fixture.connect(security: LinkSecurity(isBonded: true))
        let key = SigningKey(key: SampleTable.bytes(16))
        fixture.server.setSigningKey(key, of: bearer.client)
        let command: [UInt8] = [0xD2, 0x37, 0, 0x55]
        let signature = try #require(key.signature(of: command, counter: 1))
        #expect(fixture.send(command + signature) == [])
        #expect(fixture.server.value(of: AttributeHandle(0x37)) == [0x55])
        let written = GATT.WriteEntry(handle: AttributeHandle(0x37), value: [0x55])
        #expect(fixture.takeEvents().contains(.report(bearer.client, .written([written]))))
        try fixture.server.setValue([0], of: AttributeHandle(0x37))
        _ = fixture.send(command + signature)
        #expect(fixture.server.value(of: AttributeHandle(0x37)) == [0])
    }

    @Test("A signature does not replace required encryption")
    func signedIsNotEncrypted() throws {
        var fixture = ServerFixture(try SampleTable.server())
        fixture.connect(security: LinkSecurity(isBonded: true))
        let key = SigningKey(key: SampleTable.bytes(16))
        fixture.server.setSigningKey(key, of: bearer.client)
        let command: [UInt8] = [0xD2, 0x2A, 0, 0x55]
        _ = fixture.send(command + (try #require(key.signature(of: command, counter: 1))))
        #expect(fixture.server.value(of: AttributeHandle(0x2A)) == [3])
    }
}
