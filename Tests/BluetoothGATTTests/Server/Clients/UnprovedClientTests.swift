// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import ServerTestSupport
import Testing

/// A client that has the address of a bonded one, and no encryption yet. That values of all
/// permissions are kept from it on all paths, `ProtectionTests` show.
@Suite("A bonded client that has not proved who it is")
struct UnprovedClientTests {
    private static let unproved = LinkSecurity(isBonded: true)
    private let bearer = ServerStage.bearer(1)

    private func stage() throws -> ServerStage {
        var stage = ServerStage(try SampleTable.server())
        stage.connect(security: Self.unproved)
        return stage
    }

    @Test("exchanges MTUs, and sees how the table is built")
    func structure() throws {
        var stage = try stage()
        #expect(stage.send([0x02, 0x40, 0x00]) == [[0x03, 0x05, 0x02]])
        // Services, characteristics and descriptors; the last of a service that is sought by name.
        #expect(stage.send([0x10, 0x20, 0, 0x20, 0, 0x00, 0x28]).first?.first == 0x11)
        #expect(stage.send([0x08, 0x20, 0, 0x24, 0, 0x03, 0x28]).first?.first == 0x09)
        #expect(stage.send([0x08, 0x50, 0, 0x53, 0, 0x02, 0x28]).first?.first == 0x09)
        #expect(stage.send([0x04, 0x23, 0, 0x23, 0]).first?.first == 0x05)
        #expect(
            stage.send([0x06, 1, 0, 0xFF, 0xFF, 0x00, 0x28, 0x00, 0xA0]).first?.first == 0x07
        )
        #expect(stage.send([0x0A, 0x20, 0]) == [[0x0B, 0x00, 0xA0]])
    }

    @Test("gets the hash of the table, for which nobody may be asked for a key")
    func hash() throws {
        var stage = try stage()
        let hash = stage.server.database.hash
        let response = stage.send([0x08, 1, 0, 0xFF, 0xFF, 0x2A, 0x2B])
        #expect(response.first?.suffix(16) == hash[...])
    }

    @Test(
        "gets no value, not even what everybody may read",
        arguments: [0x0003, 0x0022, 0x0023, 0x0026, 0x0032, 0x0034, 0x0035]
    )
    func values(_ handle: UInt8) throws {
        var stage = try stage()
        let refusal: [UInt8] = [0x01, 0x0A, handle, 0, 0x0F]
        #expect(stage.send([0x0A, handle, 0]) == [refusal])
        _ = stage.server.securityChanged(bearer.client, ServedTable.bonded)
        #expect(stage.send([0x0A, handle, 0]) != [refusal])
    }

    @Test("is not told what nobody may do by a wish for encryption")
    func forbidden() throws {
        var stage = try stage()
        #expect(stage.send([0x0A, 0x28, 0]) == [[0x01, 0x0A, 0x28, 0, 0x02]])
        #expect(stage.send([0x12, 0x39, 0, 1]) == [[0x01, 0x12, 0x39, 0, 0x03]])
        #expect(stage.send([0x0A, 0x3F, 0]) == [[0x01, 0x0A, 0x3F, 0, 0x01]])
    }

    @Test("is sent nothing that it subscribed to before the bond was known")
    func sending() throws {
        var stage = ServerStage(try SampleTable.server())
        stage.connect()
        #expect(stage.send([0x12, 0x35, 0, 1, 0]) == [[0x13]])
        let value = AttributeHandle(0x34)
        #expect(try stage.notify(value, [1]))
        #expect(stage.drain() == [[0x1B, 0x34, 0, 1]])
        _ = stage.server.securityChanged(bearer.client, Self.unproved)
        #expect(try !stage.notify(value, [2]))
        _ = stage.server.securityChanged(bearer.client, ServedTable.bonded)
        #expect(try stage.notify(value, [3]))
        #expect(stage.drain() == [[0x1B, 0x34, 0, 3]])
    }

    @Test("executes nothing that it has prepared before the bond was known")
    func prepared() throws {
        var stage = ServerStage(try SampleTable.server())
        stage.connect()
        #expect(stage.send([0x16, 0x22, 0, 0, 0, 9]) == [[0x17, 0x22, 0, 0, 0, 9]])
        _ = stage.server.securityChanged(bearer.client, Self.unproved)
        #expect(stage.send([0x18, 1]) == [[0x01, 0x18, 0x22, 0, 0x0F]])
        #expect(stage.server.value(of: AttributeHandle(0x22)) == [1, 2, 3])
    }

    @Test("hears of a change of the table once the link is encrypted")
    func serviceChanged() throws {
        var table = try ServedTable(security: .none)
        try table.wantServiceChanged()
        _ = table.server.securityChanged(ServedTable.client, Self.unproved)
        let actions = try table.server.publish(ServedTable.addition).1
        #expect(actions.changedRanges == [])
        let later = table.server.securityChanged(ServedTable.client, ServedTable.bonded)
        #expect(later.changedRanges.count == 1)
    }

    @Test("writes with a signature only what is written with signatures")
    func signed() throws {
        var stage = try stage()
        let key = SigningKey(key: SampleTable.octets(16))
        stage.server.setSigningKey(key, of: bearer.client)
        for (counter, handle) in [UInt8(0x22), 0x37].enumerated() {
            let command: [UInt8] = [0xD2, handle, 0, 0x55]
            let signature = try #require(key.signature(of: command, counter: UInt32(counter)))
            #expect(stage.send(command + signature) == [])
        }
        #expect(stage.server.value(of: AttributeHandle(0x22)) == [1, 2, 3])
        #expect(stage.server.value(of: AttributeHandle(0x37)) == [0x55])
    }
}
