// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Testing
import VirtualAccessories

@Suite("Values of a peripheral")
struct ValueTests {
    @Test("7.1 A value is there before the delegate is told that it was read")
    func reading() async throws {
        let stage = try Stage(.bench)
        try await stage.run {
            let phone = stage.central()
            let bench = try await phone.visit("Bench")
            await phone.explore(bench)
            bench.readValue(for: try bench.characteristic("A001"))
            await phone.journal.wait(for: "value A001 010203 ok")
        }
    }

    @Test("7.1 What is read and what comes unasked is told in the same way")
    func notifying() async throws {
        let stage = try Stage(.bench)
        try await stage.run {
            let phone = stage.central()
            let bench = try await phone.visit("Bench")
            await phone.explore(bench)
            bench.setNotifyValue(true, for: try bench.characteristic("A003"))
            await phone.journal.wait(for: "value A003", count: 3)
            #expect(
                phone.journal.lines == [
                    "notifying A003 on ok", "value A003 00 ok", "value A003 01 ok",
                    "value A003 02 ok",
                ]
            )
        }
    }

    @Test("7.2, 7.3 Long values are read and written in one go")
    func longValues() async throws {
        let stage = try Stage(.bench)
        try await stage.run {
            let phone = stage.central()
            let bench = try await phone.visit("Bench")
            await phone.explore(bench)
            let long = try bench.characteristic("A002")
            bench.readValue(for: long)
            await phone.journal.wait(for: "value A002")
            #expect(long.value?.count == 300)
            let data = Data((0..<400).map { UInt8(truncatingIfNeeded: $0 * 7) })
            bench.writeValue(data, for: long, type: .withResponse)
            bench.readValue(for: long)
            await phone.journal.wait(for: "value A002", count: 2)
            #expect(long.value == data)
            #expect(phone.journal.lines.count { $0 == "wrote A002 ok" } == 1)
        }
    }
}
