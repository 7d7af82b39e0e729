// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// Our host writes values that BlueZ serves.
@Suite(.machines) struct AccessoryWritingTests {
    @Test("A write arrives before BlueZ confirms it", arguments: Setting.oldestAndLatest)
    func requests(_ setting: Setting) async throws {
        try await withAccessory(setting, "writes, long writes, reliable writes") { fixture in
            let (link, database) = try await fixture.connectAndExplore()
            let slate = try database.handle(BlueZTable.slate)
            for count in [0, 1, 20, 100] {
                let value = BlueZTable.pattern(count, start: UInt8(count))
                try await link.write(value, to: slate)
                #expect(try await fixture.bluez.servedValue(BlueZTable.slate) == value)
            }
        }
    }

    @Test("Writes without response arrive in order", arguments: Setting.all)
    func commands(_ setting: Setting) async throws {
        try await withAccessory(setting, "commands") { fixture in
            let (link, database) = try await fixture.connectAndExplore()
            let pad = try database.handle(BlueZTable.pad)
            // One write at a time works with every release; see the next test.
            for number in 0..<5 {
                let value = BlueZTable.pattern(20, start: UInt8(number))
                try await link.writeWithoutResponse(value, to: pad)
                let written = try await fixture.bluez.written(BlueZTable.pad)
                #expect(written["value"].bytes == value)
            }
        }
    }

    /// The test does not run on Debian 12, whose kernel loses writes of a burst without flow
    /// control.
    @Test(
        "All writes without response of a burst arrive in order",
        arguments: Setting.all.filter { $0.release == .trixie }
    )
    func bursts(_ setting: Setting) async throws {
        try await withAccessory(setting, "commands") { fixture in
            let (link, database) = try await fixture.connectAndExplore()
            let pad = try database.handle(BlueZTable.pad)
            let values = (0..<100).map { BlueZTable.pattern(20, start: UInt8($0)) }
            for value in values { try await link.writeWithoutResponse(value, to: pad) }
            var written: [[UInt8]] = []
            for _ in values {
                written.append(try await fixture.bluez.written(BlueZTable.pad)["value"].bytes)
            }
            #expect(written == values)
        }
    }

    @Test("The longest value arrives complete", arguments: Setting.crossed)
    func longWrites(_ setting: Setting) async throws {
        try await withAccessory(setting, "writes, long writes, reliable writes") { fixture in
            let (link, database) = try await fixture.connectAndExplore()
            let slate = try database.handle(BlueZTable.slate)
            for count in [300, BlueZTable.longestWrite(to: setting)] {
                let value = BlueZTable.pattern(count, start: UInt8(count & 0xFF))
                try await link.write(value, to: slate)
                #expect(try await fixture.bluez.servedValue(BlueZTable.slate) == value)
                #expect(try await link.readLong(slate) == value)
            }
        }
    }

    @Test("A long write with a small MTU arrives complete", arguments: Setting.latestOnly)
    func partsOfSmallWrites(_ setting: Setting) async throws {
        try await withAccessory(setting, "writes, long writes, reliable writes") { configuration in
            configuration.attMTU = 23
        } _: { fixture in
            let (link, database) = try await fixture.connectAndExplore()
            #expect(try await link.mtu == 23)
            let slate = try database.handle(BlueZTable.slate)
            let value = BlueZTable.pattern(400, start: 77)
            try await link.write(value, to: slate)
            #expect(try await fixture.bluez.servedValue(BlueZTable.slate) == value)
        }
    }

    @Test("A reliable write changes several values", arguments: Setting.oldestAndLatest)
    func reliableWrites(_ setting: Setting) async throws {
        try await withAccessory(setting, "writes, long writes, reliable writes") { fixture in
            let (link, database) = try await fixture.connectAndExplore()
            let first = BlueZTable.pattern(9, start: 1)
            let second = BlueZTable.pattern(30, start: 2)
            try await link.writeReliably([
                GATT.AttributeValue(handle: try database.handle(BlueZTable.slate), value: first),
                GATT.AttributeValue(handle: try database.handle(BlueZTable.tablet), value: second),
            ])
            #expect(try await fixture.bluez.servedValue(BlueZTable.slate) == first)
            #expect(try await fixture.bluez.servedValue(BlueZTable.tablet) == second)
        }
    }
}
