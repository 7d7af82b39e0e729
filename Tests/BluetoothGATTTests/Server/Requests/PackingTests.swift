// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes
import ServerTestSupport
import Testing

@testable import BluetoothGATT

@Suite("Responses with many attributes")
struct PackingTests {
    private func fixture(
        _ values: [[UInt8]],
        mtu: UInt16,
        type: BluetoothUUID = .init(0xB200)
    ) throws -> ServerFixture {
        var server = GATTServer()
        _ = try server.publish(
            .init(
                .init(0xA030),
                values.map { .init(type, .read, value: .stored($0)) },
                handle: .init(0x100)
            )
        )
        var fixture = ServerFixture(server)
        fixture.connect(mtu: mtu)
        return fixture
    }

    private func response(_ fixture: ServerFixture, _ hexadecimal: String) throws -> ATT.PDU {
        var fixture = fixture
        let answers = fixture.send([UInt8](hexadecimal: hexadecimal) ?? [])
        return try ATT.PDU(parsing: try #require(answers.first)[...])
    }

    @Test(
        "Read By Type contains as many values as fit",
        arguments: [(23, 3, 4), (24, 3, 4), (27, 3, 5), (517, 3, 40), (23, 19, 1), (23, 18, 1)]
            as [(UInt16, Int, Int)]
    )
    func readByType(mtu: UInt16, length: Int, count: Int) throws {
        let values = (0..<40).map { [UInt8](repeating: $0, count: length) }
        let response = try response(fixture(values, mtu: mtu), "080100ffff00b2")
        guard case .readByTypeResponse(let response) = response else {
            Issue.record("\(response)")
            return
        }
        #expect(response.entries.map { Array($0.value) } == Array(values.prefix(count)))
        #expect(response.encodedLength < mtu)
    }

    @Test(
        "A value that is too long for Read By Type is truncated",
        arguments: [(23, 19), (100, 96), (257, 253), (517, 253)] as [(UInt16, Int)]
    )
    func cutsFirst(mtu: UInt16, length: Int) throws {
        let values = [SampleTable.bytes(512), SampleTable.bytes(512)]
        let response = try response(fixture(values, mtu: mtu), "080100ffff00b2")
        guard case .readByTypeResponse(let response) = response else {
            Issue.record("\(response)")
            return
        }
        #expect(response.entries.count == (mtu == 517 ? 2 : 1))
        #expect(response.entries.allSatisfy { Array($0.value) == SampleTable.bytes(length) })
    }

    @Test("Read By Type ends before a value of another length")
    func leavesOut() throws {
        let values: [[UInt8]] = [[1], [2], [3, 3], [4]]
        let response = try response(fixture(values, mtu: 100), "080100ffff00b2")
        guard case .readByTypeResponse(let response) = response else {
            Issue.record("\(response)")
            return
        }
        #expect(response.entries.map { Array($0.value) } == [[1], [2]])
    }

    @Test("Empty values are included")
    func packsEmpty() throws {
        let response = try response(fixture([[], []], mtu: 23), "080100ffff00b2")
        guard case .readByTypeResponse(let response) = response else {
            Issue.record("\(response)")
            return
        }
        #expect(response.entries.map(\.handle.rawValue) == [0x102, 0x104])
    }

    @Test(
        "Find Information contains as many types of one length as fit",
        arguments: [(23, 5), (64, 15), (517, 41)] as [(UInt16, Int)]
    )
    func findInformation(mtu: UInt16, count: Int) throws {
        let values = [[UInt8]](repeating: [1], count: 20)
        let response = try response(fixture(values, mtu: mtu), "040001ffff")
        guard case .findInformationResponse(let response) = response else {
            Issue.record("\(response)")
            return
        }
        #expect(response.format == .uuid16)
        #expect(response.entries.count == count)
    }

    @Test("Find Information ends before UUIDs of the other length")
    func findInformationChanges() throws {
        let fixture = try fixture([[1], [1]], mtu: 517, type: SampleTable.longType)
        for (start, isLong) in [("0101", false), ("0201", true)] {
            guard
                case .findInformationResponse(let response) = try response(
                    fixture,
                    "04\(start)ffff"
                )
            else {
                Issue.record("The server sends no response")
                return
            }
            #expect(response.entries.count == 1)
            #expect((response.format == .uuid128) == isLong)
        }
    }

    @Test("Find By Type Value and Read By Group Type contain as many services as fit")
    func services() throws {
        var server = GATTServer()
        for number in 0..<40 {
            _ = try server.publish(.init(.init(0xA100 + UInt16(number % 2)), []))
        }
        var fixture = ServerFixture(server)
        fixture.connect(mtu: 64)
        let first = server.database.services[2].handle.rawValue
        let start = [UInt8(first & 0xFF), UInt8(first >> 8), 0xFF, 0xFF].hexadecimal
        guard
            case .findByTypeValueResponse(let found) = try response(fixture, "06\(start)002800a1"),
            case .readByGroupTypeResponse(let groups) = try response(fixture, "10\(start)0028")
        else {
            Issue.record("The server sends no response")
            return
        }
        #expect(found.entries.count == 15)
        #expect(groups.entries.count == 10)
        #expect(groups.entries.map(\.groupEnd) == groups.entries.map(\.handle))
    }

    @Test("A value without permission to read matches nothing")
    func hidesUnreadable() throws {
        var fixture = ServerFixture(try SampleTable.server())
        fixture.connect()
        #expect(
            fixture.send([0x06, 1, 0, 0xFF, 0xFF, 0x03, 0xB0, 0x03]) == [[0x01, 6, 1, 0, 0x0A]]
        )
        let encrypted = LinkSecurity(isEncrypted: true, keySize: 16)
        _ = fixture.server.securityChanged(ServerFixture.bearer(1).client, encrypted)
        #expect(
            fixture.send([0x06, 1, 0, 0xFF, 0xFF, 0x03, 0xB0, 0x03]) == [[0x07, 0x2A, 0, 0x2A, 0]]
        )
        #expect(
            fixture.send([0x06, 1, 0, 0xFF, 0xFF, 0x02, 0xB0, 0x02]) == [[0x01, 6, 1, 0, 0x0A]]
        )
    }
}
