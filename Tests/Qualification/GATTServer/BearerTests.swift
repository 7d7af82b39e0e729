// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import ServerTestSupport
import Testing

/// Several bearers of one client, and signed writes, which only the unenhanced bearer of an
/// unencrypted link accepts.
@Suite struct BearerTests {
    private static let key = SigningKey(key: SampleTable.bytes(16))
    private let fixed = ServerFixture.bearer(1)
    private let enhanced = ServerFixture.bearer(1, channel: 0x40)
    private let second = ServerFixture.bearer(1, channel: 0x41)

    private func encryptedFixture() throws -> ServerFixture {
        var fixture = ServerFixture(try SampleTable.server())
        fixture.connect(fixed, security: .encrypted)
        fixture.connect(enhanced, security: .encrypted)
        return fixture
    }

    @Test("GATT/SR/GPM/BV-05-C: A Client Characteristic Configuration applies on every bearer")
    func oneConfiguration() throws {
        var fixture = try encryptedFixture()
        #expect(fixture.send(bytes("12 3500 0100"), on: fixed) == [[0x13]])
        #expect(fixture.send(bytes("0A 3500"), on: enhanced) == [bytes("0B 0100")])
        #expect(fixture.send(bytes("12 3500 0200"), on: enhanced) == [[0x13]])
        #expect(fixture.send(bytes("0A 3500"), on: fixed) == [bytes("0B 0200")])
    }

    @Test("GATT/SR/GAW/BI-38-C: A signed write on an Enhanced ATT bearer is ignored")
    func ignoresSignatures() throws {
        var fixture = try encryptedFixture()
        fixture.server.setSigningKey(Self.key, of: fixed.client)
        let command = bytes("D2 3700 55")
        let signature = try #require(Self.key.signature(of: command, counter: 1))
        #expect(fixture.send(command + signature, on: enhanced) == [])
        #expect(fixture.server.value(of: 0x0037) == [9])
    }

    /// Prepares the parts of a value in turn on two enhanced bearers.
    private func fixtureWithParts() throws -> ServerFixture {
        var fixture = try encryptedFixture()
        fixture.connect(second, security: .encrypted)
        for (part, bearer) in [("0000 0102", enhanced), ("0200 0304", second)] {
            let echo = fixture.send(bytes("16 2500 \(part)"), on: bearer)
            #expect(echo == [bytes("17 2500 \(part)")])
        }
        return fixture
    }

    @Test("GATT/SR/GAW/BV-12-C: Prepared writes of one value arrive on several bearers")
    func writesPartsOfSeveralBearers() throws {
        var fixture = try fixtureWithParts()
        #expect(fixture.send(bytes("18 01"), on: enhanced) == [[0x19]])
        #expect(fixture.server.value(of: 0x0025) == [1, 2, 3, 4])
        #expect(fixture.send(bytes("18 01"), on: second) == [[0x19]])
        #expect(fixture.server.value(of: 0x0025) == [1, 2, 3, 4])
    }

    @Test("GATT/SR/GAW/BV-13-C: The prepared writes of several bearers are canceled on one bearer")
    func cancelsPartsOfSeveralBearers() throws {
        var fixture = try fixtureWithParts()
        let before = fixture.server.value(of: 0x0025)
        #expect(fixture.send(bytes("18 00"), on: enhanced) == [[0x19]])
        #expect(fixture.send(bytes("18 01"), on: second) == [[0x19]])
        #expect(fixture.server.value(of: 0x0025) == before)
    }

    @Test(
        "GATT/SR/GAW/BV-14-C: The prepared writes of a bearer that ends are kept",
        arguments: [0, 1]
    )
    func keepsPartsOfClosedBearer(remaining: Int) throws {
        var fixture = try fixtureWithParts()
        let bearers = [enhanced, second]
        fixture.disconnect(bearers[1 - remaining])
        let echo = fixture.send(bytes("16 2500 0400 05"), on: bearers[remaining])
        #expect(echo == [bytes("17 2500 0400 05")])
        #expect(fixture.send(bytes("18 01"), on: bearers[remaining]) == [[0x19]])
        #expect(fixture.server.value(of: 0x0025) == [1, 2, 3, 4, 5])
    }

    /// The channels of the bearers of each case.
    private static let channels: [(name: String, channels: [UInt16])] = [
        ("GATT/SR/GAR/BV-11-C", [4, 0x40]), ("GATT/SR/GAR/BV-12-C", [0x40, 0x41]),
    ]

    @Test(
        "Read Multiple Variable requests are answered on the bearers on which they arrived",
        arguments: channels
    )
    func readsAtOnce(_ name: String, channels: [UInt16]) throws {
        var fixture = ServerFixture(try SampleTable.server())
        let bearers = channels.map { ServerFixture.bearer(1, channel: $0) }
        for bearer in bearers { fixture.connect(bearer, security: .encrypted) }
        #expect(fixture.send(bytes("20 3200 2200"), on: bearers[0]) == [])
        #expect(fixture.send(bytes("20 2200 3200"), on: bearers[1]) == [])
        fixture.answer(.success([7]))
        #expect(fixture.drain(bearers[0]) == [bytes("21 0100 07 0300 010203")])
        #expect(fixture.drain(bearers[1]) == [])
        fixture.answer(.success([8]))
        #expect(fixture.drain(bearers[0]) == [])
        #expect(fixture.drain(bearers[1]) == [bytes("21 0300 010203 0100 08")])
    }

    /// A value of at most one byte, with the handle 0x0072.
    private static let shortValue = GATT.ServiceDefinition(
        BluetoothUUID(0xA030),
        [
            .init(
                BluetoothUUID(0xB400),
                [.read, .authenticatedSignedWrites],
                value: .stored([7], maximumLength: 1)
            )
        ],
        handle: 0x0070
    )

    @Test("GATT/SR/GAW/BI-40-C: A signed write of a value that is too long is ignored")
    func ignoresLongSignedWrites() throws {
        var fixture = ServerFixture(try SampleTable.server())
        _ = try fixture.server.publish(Self.shortValue)
        fixture.connect(fixed, security: .bonded)
        fixture.server.setSigningKey(Self.key, of: fixed.client)
        let long = bytes("D2 7200 0102")
        let signature = try #require(Self.key.signature(of: long, counter: 1))
        #expect(fixture.send(long + signature, on: fixed) == [])
        #expect(fixture.server.value(of: 0x0072) == [7])
        let short = bytes("D2 7200 08")
        let next = try #require(Self.key.signature(of: short, counter: 2))
        #expect(fixture.send(short + next, on: fixed) == [])
        #expect(fixture.server.value(of: 0x0072) == [8])
    }

    /// A value that requires an authenticated key for a write. Its handle is 0x0072.
    private static let authenticatedValue = GATT.ServiceDefinition(
        BluetoothUUID(0xA032),
        [
            .init(
                BluetoothUUID(0xB402),
                [.read, .authenticatedSignedWrites],
                permissions: .init(read: .open, write: .authenticated),
                value: .stored([7])
            )
        ],
        handle: 0x0070
    )

    @Test("GAP/SEC/CSIGN/BI-04-C: A signed write with a key that is not authenticated is ignored")
    func ignoresUnauthenticatedKey() throws {
        var fixture = ServerFixture(try SampleTable.server())
        _ = try fixture.server.publish(Self.authenticatedValue)
        fixture.connect(fixed, security: .bonded)
        fixture.server.setSigningKey(Self.key, of: fixed.client)
        let command = bytes("D2 7200 08")
        let signature = try #require(Self.key.signature(of: command, counter: 1))
        #expect(fixture.send(command + signature, on: fixed) == [])
        #expect(fixture.server.value(of: 0x0072) == [7])
        let permitted = bytes("D2 3700 55")
        let next = try #require(Self.key.signature(of: permitted, counter: 2))
        #expect(fixture.send(permitted + next, on: fixed) == [])
        #expect(fixture.server.value(of: 0x0037) == [0x55])
    }
}
