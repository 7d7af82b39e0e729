// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import ProcessTestSupport
import Testing

/// BlueZ's database changes, and our host detects the change on the same link or on the next one.
@Suite(.machines) struct AccessoryChangeTests {
    @Test("The host reports services that BlueZ adds and removes", arguments: Setting.all)
    func serviceChanged(_ setting: Setting) async throws {
        try await withAccessory(setting, "Service Changed") { fixture in
            let (link, database) = try await fixture.connectAndExplore()
            let changes = try await link.serviceChanges()
            let label = try database.handle(BlueZTable.label)
            #expect(try await link.read(label) == BlueZTable.labelValue)

            try await fixture.bluez.serve([AddedService.service], as: AddedService.name)
            let range = try await Self.next(changes)
            let grown = try await link.database()
            let added = try #require(grown.service(AddedService.uuid)?.service)
            #expect(range.contains(added.handle))
            #expect(range.contains(added.endHandle))
            #expect(try await link.read(try grown.handle(AddedService.valueUUID)) == [7])
            #expect(
                try await link.read(try grown.handle(BlueZTable.label)) == BlueZTable.labelValue
            )

            try await fixture.bluez.stopServing(AddedService.name)
            #expect(try await Self.next(changes).contains(added.handle))
            #expect(try await link.database() == database)
        }
    }

    @Test("The host uses no handle of an outdated database", arguments: Setting.oldestAndLatest)
    func oldHandles(_ setting: Setting) async throws {
        try await withAccessory(setting, "robust caching") { fixture in
            let (link, database) = try await fixture.connectAndExplore()
            let changes = try await link.serviceChanges()
            try await fixture.bluez.stopServing()
            _ = try await Self.next(changes)
            try await fixture.bluez.serve([AddedService.service, BlueZTable.service])
            _ = try await Self.next(changes)
            let label = try database.handle(BlueZTable.label)
            await #expect(throws: GATT.Failure.attribute(.databaseOutOfSync, handle: label)) {
                try await link.read(label)
            }
            let renewed = try await link.database()
            #expect(try await link.read(try renewed.handle(AddedService.valueUUID)) == [7])
            #expect(
                try await link.read(try renewed.handle(BlueZTable.label)) == BlueZTable.labelValue
            )
        }
    }

    @Test("The host reads only the hash of an unchanged database again", arguments: Setting.all)
    func unchanged(_ setting: Setting) async throws {
        try await withAccessory(setting, "unchanged cache") { fixture in
            let (link, database) = try await fixture.connectAndExplore()
            let features = try database.handle(GATT.AttributeType.clientSupportedFeatures)
            // Robust caching, Enhanced ATT, and notifications of several values.
            #expect(try await link.read(features) == [0b111])
            #expect(!fixture.recorder.discoveries.isEmpty)
            try await fixture.disconnect(link)
            let count = fixture.recorder.requests.count
            let again = try await fixture.connect()
            #expect(try await again.database() == database)
            let asked = fixture.recorder.requests.dropFirst(count)
            #expect(
                asked.prefix(2).map { ATT.Opcode(rawValue: $0[0]) }
                    == [.exchangeMTURequest, .readByTypeRequest]
            )
            #expect(asked.dropFirst().first?.suffix(2) == [0x2A, 0x2B])
            // BlueZ keeps no client features and no subscriptions of a client without a bond. On
            // the new link, our host therefore writes both again. All further requests are these
            // writes.
            #expect(asked.dropFirst(2).allSatisfy { $0[0] == 0x12 })
        }
    }

    @Test(
        "The host rediscovers a database that changed between two links",
        arguments: Setting.latestOnly
    )
    func changedBetweenLinks(_ setting: Setting) async throws {
        try await withAccessory(setting, "robust caching") { fixture in
            let (link, database) = try await fixture.connectAndExplore()
            try await fixture.disconnect(link)
            try await fixture.bluez.serve([AddedService.service], as: AddedService.name)
            let (again, grown) = try await fixture.connectAndExplore()
            #expect(grown != database)
            #expect(try await again.read(try grown.handle(AddedService.valueUUID)) == [7])
        }
    }

    @Test(
        "The host discovers a change that a bonded BlueZ made between two links",
        arguments: Setting.crossed
    )
    func changedForBonded(_ setting: Setting) async throws {
        try await withBond(setting, "robust caching", .by(.justWorks)) { pair in
            let link = try await pair.connect()
            let database = try await link.database()
            try await pair.disconnect(link)
            try await pair.bluez.serve([AddedService.service], as: AddedService.name)
            let again = try await pair.connect()
            let grown = try await again.database()
            #expect(grown != database)
            #expect(try await again.read(try grown.handle(AddedService.valueUUID)) == [7])
            #expect(try await again.read(pair.secret) == BondedFixture.secret)
        }
    }

    private static func next(
        _ changes: some AsyncSequence<ClosedRange<AttributeHandle>, any Error> & Sendable
    ) async throws -> ClosedRange<AttributeHandle> {
        try await within(Limits.step, "a change of the database") {
            for try await range in changes { return range }
            throw HostError.closed
        }
    }
}

/// A second set of services that BlueZ registers for part of a test.
private enum AddedService {
    static let name = "added"
    static let uuid = BluetoothUUID(0xFFC0)
    static let valueUUID = BluetoothUUID(0xFFC1)
    static let service = ServedService(
        uuid: uuid,
        characteristics: [ServedCharacteristic(uuid: valueUUID, flags: ["read"], value: [7])]
    )
}
