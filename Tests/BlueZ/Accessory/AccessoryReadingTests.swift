// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// Our host reads values that BlueZ serves.
@Suite(.machines) struct AccessoryReadingTests {
    @Test(
        "The host reads values by handle, by UUID, and several at once",
        arguments: Setting.oldestAndLatest
    )
    func reading(_ setting: Setting) async throws {
        try await withAccessory(setting, "reads, long reads") { fixture in
            let (link, database) = try await fixture.connectAndExplore()
            let label = try database.handle(BlueZTable.label)
            let vendor = try database.handle(BlueZTable.vendor)
            #expect(try await link.read(label) == BlueZTable.labelValue)
            #expect(try await link.readLong(label) == BlueZTable.labelValue)
            #expect(try await link.read(vendor) == [0x2A])
            #expect(try await link.read(try database.handle(BlueZTable.slate)) == [])
            let values = try await link.read(uuid: BlueZTable.label)
            #expect(values == [GATT.AttributeValue(handle: label, value: BlueZTable.labelValue)])
            #expect(try await link.readJoined([label, vendor]) == BlueZTable.labelValue + [0x2A])
        }
    }

    @Test("A long value arrives complete with a small or large MTU", arguments: Setting.crossed)
    func longReads(_ setting: Setting) async throws {
        try await withAccessory(setting, "reads, long reads") { fixture in
            let (link, database) = try await fixture.connectAndExplore()
            #expect(try await link.mtu == 517)
            let page = try database.handle(BlueZTable.page)
            #expect(try await link.readLong(page) == BlueZTable.pageValue)
            try await fixture.disconnect(link)
            await fixture.host.shutdown()
            var configuration = HostConfiguration()
            configuration.attMTU = 23
            let other = try await fixture.bluez.makeHost(configuration)
            let narrow = try await fixture.connect(other)
            #expect(try await narrow.read(page) == Array(BlueZTable.pageValue.prefix(22)))
            #expect(try await narrow.readLong(page) == BlueZTable.pageValue)
            #expect(try await narrow.mtu == 23)
        }
    }

    @Test("The host reads and writes short and long descriptors", arguments: Setting.all)
    func descriptors(_ setting: Setting) async throws {
        try await withAccessory(setting, "descriptors") { fixture in
            let (link, database) = try await fixture.connectAndExplore()
            let vendor = try #require(database.characteristic(BlueZTable.vendor))
            let note = try #require(vendor.descriptor(BlueZTable.note)).handle
            #expect(try await link.readLong(note) == BlueZTable.noteValue)
            let short = BlueZTable.pattern(7, start: 3)
            try await link.write(short, to: note)
            #expect(try await fixture.bluez.servedValue(BlueZTable.note) == short)
            let long = BlueZTable.pattern(BlueZTable.longestWrite(to: setting), start: 5)
            try await link.write(long, to: note)
            #expect(try await link.readLong(note) == long)
        }
    }

    @Test("A refused read or write fails with the reason that BlueZ gave", arguments: Setting.all)
    func refusals(_ setting: Setting) async throws {
        try await withAccessory(setting, "refused reads and writes") { fixture in
            let (link, database) = try await fixture.connectAndExplore()
            let label = try database.handle(BlueZTable.label)
            let slate = try database.handle(BlueZTable.slate)
            for (name, code) in Refusals.codes {
                try await fixture.bluez.refuse(BlueZTable.slate, with: name)
                await #expect(throws: GATT.Failure.attribute(code, handle: slate)) {
                    try await link.read(slate)
                }
                await #expect(throws: GATT.Failure.attribute(code, handle: slate)) {
                    try await link.write([1], to: slate)
                }
            }
            await #expect(throws: GATT.Failure.attribute(.writeNotPermitted, handle: label)) {
                try await link.write([1], to: label)
            }
            let none: AttributeHandle = .last
            await #expect(throws: GATT.Failure.attribute(.invalidHandle, handle: none)) {
                try await link.read(none)
            }
            #expect(try await link.read(label) == BlueZTable.labelValue)
        }
    }
}

/// The errors with which a program refuses BlueZ's calls, and the ATT errors that BlueZ then sends.
private enum Refusals {
    static let codes: [(String, ATT.ErrorCode)] = [
        ("org.bluez.Error.NotAuthorized", .insufficientAuthorization),
        ("org.bluez.Error.InvalidValueLength", .invalidAttributeValueLength),
        ("org.bluez.Error.InvalidOffset", .invalidOffset),
        ("org.bluez.Error.NotSupported", .requestNotSupported),
        ("org.bluez.Error.Failed", ATT.ErrorCode(rawValue: 0x80)),
    ]
}

extension BlueZ {
    /// Makes an attribute refuse reads and writes.
    func refuse(_ uuid: BluetoothUUID, with name: String) async throws {
        try await call("refuse", ["uuid": .string(uuid.bluez), "refusal": .string(name)])
    }
}
