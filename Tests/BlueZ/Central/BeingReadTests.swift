// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// BlueZ reads and writes values that our host serves.
@Suite(.machines) struct BeingReadTests {
    @Test(arguments: Setting.all)
    func valuesOfEveryLengthAreRead(_ setting: Setting) async throws {
        try await withVisit(setting, "reads, long reads") { stall in
            let (visitor, _) = try await stall.arrive()
            #expect(try await visitor.read(Stall.short) == Stall.pattern(20))
            #expect(try await visitor.read(Stall.short, offset: 5) == Array(5..<20))
            #expect(try await visitor.read(Stall.long) == Stall.pattern(512))
            #expect(try await visitor.read(Stall.dynamic) == Stall.countdown)
            #expect(
                try await visitor.read(BluetoothUUID(0x2901), of: Stall.short) == Stall.description
            )
            let refusal = await #expect(throws: Refusal.self) {
                try await visitor.read(Stall.refused)
            }
            // BlueZ has no name for an application error, and reports its number.
            #expect(refusal?.name == "org.bluez.Error.Failed")
            #expect(refusal?.text.contains("0x81") == true)
        }
    }

    /// With the smallest MTU, a value of 512 bytes takes 24 requests.
    @Test(arguments: Setting.all)
    func longValuesAreReadAndWrittenInParts(_ setting: Setting) async throws {
        let plan = StallPlan.such { $0.configuration.attMTU = 23 }
        try await withVisit(setting, "long values in parts", plan) { stall in
            let (visitor, link) = try await stall.arrive()
            #expect(try await link.mtu == 23)
            #expect(try await visitor.read(Stall.long) == Stall.pattern(512))
            #expect(stall.recorder.count(of: .readBlobRequest) >= 512 / 22)
            let handle = try stall.handle(Stall.long)
            try await visitor.write(Array(Stall.pattern(512).reversed()), to: Stall.long)
            #expect(await stall.host.value(of: handle) == Stall.pattern(512).reversed())
            #expect(stall.recorder.count(of: .prepareWriteRequest) == (512 + 17) / 18)
            try await visitor.write(Stall.pattern(200), to: Stall.dynamic)
            #expect(await stall.keeper.content == Stall.pattern(200))
        }
    }

    @Test(arguments: Setting.all)
    func valuesAreWrittenInEveryWay(_ setting: Setting) async throws {
        try await withVisit(setting, "writes, long writes, reliable writes") { stall in
            let (visitor, _) = try await stall.arrive()
            try await expectWrite(Stall.pattern(3), to: Stall.long, stall, visitor)
            try await expectWrite(Stall.pattern(512, start: 7), to: Stall.long, stall, visitor)
            try await visitor.write(Stall.pattern(300), to: Stall.dynamic)
            #expect(await stall.keeper.content == Stall.pattern(300))
            let reliable = Stall.pattern(60, start: 9)
            try await expectWrite(reliable, to: Stall.reliable, as: .reliable, stall, visitor)
            #expect(stall.recorder.count(of: .executeWriteRequest) >= 1)
            let refusal = await #expect(throws: Refusal.self) {
                try await visitor.write([1], to: Stall.refused)
            }
            #expect(refusal?.name == "org.bluez.Error.Failed")
            #expect(refusal?.text.contains("0x81") == true)
        }
    }

    @Test(arguments: Setting.all)
    func commandsArriveInOrder(_ setting: Setting) async throws {
        try await withVisit(setting, "commands") { stall in
            let (visitor, _) = try await stall.arrive()
            let handle = try stall.handle(Stall.commanded)
            for number in UInt8(0)..<20 {
                try await visitor.write([number], to: Stall.commanded, as: .command)
            }
            for number in UInt8(0)..<20 {
                let entries = try await stall.keeper.written(handle)
                #expect(entries.map(\.value) == [[number]])
            }
            #expect(stall.recorder.count(of: .writeCommand) == 20)
        }
    }

    private func expectWrite(
        _ value: [UInt8],
        to uuid: BluetoothUUID,
        as type: BlueZ.WriteType = .request,
        _ stall: StallVisit,
        _ visitor: Visitor
    ) async throws {
        let handle = try stall.handle(uuid)
        try await visitor.write(value, to: uuid, as: type)
        #expect(await stall.host.value(of: handle) == value)
        #expect(try await visitor.read(uuid) == value)
    }
}
