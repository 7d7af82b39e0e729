// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("Writing to an accessory", .eachSystem)
struct WritingTests {
    @Test("Row 15: A write has a response if possible, otherwise none")
    func kinds() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            try await strap.write(Data([1]), to: "2A39")
            #expect(fixture.straps[0].written(to: "2A39") == [Data([1])])
            try await strap.write(Data([2]), to: "1B02")
            try await strap.write(Data([3]), to: "1B01", as: .withoutResponse)
            try await fixture.world.advance(by: .seconds(1))
            #expect(fixture.straps[0].written(to: "1B02") == [Data([2])])
            #expect(fixture.straps[0].written(to: "1B01") == [Data([3])])
            await central.shutDown()
        }
    }

    @Test("Row 15: An impossible or refused write fails with the reason")
    func refusals() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            await #expect(throws: AccessoryError.notPermitted("2A39")) {
                try await strap.write(Data(), to: "2A39", as: .withoutResponse)
            }
            await #expect(throws: AccessoryError.notPermitted("2A38")) {
                try await strap.write(Data(), to: "2A38")
            }
            let error = await #expect(throws: AccessoryError.self) {
                try await strap.write(Data([0xFF]), to: "2A39")
            }
            guard case .refused(code: 0x80, _) = error else {
                throw Unexpected(error)
            }
            let maximum = strap.maximumWriteLength(for: .withoutResponse)
            #expect(maximum > 20)
            await #expect(throws: AccessoryError.tooLong(length: maximum + 1, maximum: maximum)) {
                try await strap.write(Data(count: maximum + 1), to: "1B02")
            }
            try await strap.write(Data(count: maximum), to: "1B02")
            await central.shutDown()
        }
    }

    @Test("Row 15: A large value is written in order, with progress", arguments: ["1B02", "2A39"])
    func chunks(_ text: String) async throws {
        let fixture = CentralFixture()
        let characteristic = try #require(BluetoothID(text))
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            let value = Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
            let progress = ReceivedValues<Int>()
            try await strap.writeInChunks(value, to: characteristic) { progress.add($0) }
            try await fixture.world.advance(by: .seconds(1))
            let chunks = fixture.straps[0].written(to: characteristic)
            #expect(chunks.reduce(Data(), +) == value)
            #expect(progress.values.count == chunks.count)
            #expect(progress.values == progress.values.sorted())
            #expect(progress.values.last == value.count)
            await central.shutDown()
        }
    }

    @Test("Row 15: An interrupted write reports how much was sent", arguments: ["1B02", "2A39"])
    func interrupted(_ text: String) async throws {
        let fixture = CentralFixture()
        let characteristic = try #require(BluetoothID(text))
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            let progress = ReceivedValues<Int>()
            let error = await #expect(throws: AccessoryError.self) {
                try await strap.writeInChunks(Data(count: 100_000), to: characteristic) {
                    progress.add($0)
                    if progress.values.count == 5 { fixture.straps[0].switchOff() }
                }
            }
            guard case .writeInterrupted(let sent, of: 100_000) = error else {
                throw Unexpected(error)
            }
            #expect(sent < 100_000 && sent > 0)
            #expect(progress.values.last.map { $0 <= sent } ?? false)
            await central.shutDown()
        }
    }

    @Test("A canceled write stops, and the next write succeeds")
    func cancelled() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            let big = Task { try await strap.writeInChunks(Data(count: 100_000), to: "2A39") }
            try await fixture.world.advance(by: .seconds(1))
            big.cancel()
            await #expect(throws: AccessoryError.cancelled) { try await big.value }
            try await strap.write(Data([7]), to: "2A39")
            let written = fixture.straps[0].written(to: "2A39")
            #expect(written.last == Data([7]))
            #expect(written.map(\.count).reduce(0, +) < 100_000)
            await central.shutDown()
        }
    }

    @Test("Row 15: A write beyond the queue's limit is refused")
    func bound() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            let refused = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<200 {
                    group.addTask {
                        do throws(AccessoryError) {
                            try await strap.write(Data([1]), to: "2A39")
                            return false
                        } catch {
                            return error == .tooManyWrites(limit: 128)
                        }
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(refused == 72)
            #expect(fixture.straps[0].written(to: "2A39").count == 128)
            await central.shutDown()
        }
    }
}

/// A result other than the expected one.
struct Unexpected: Error, CustomStringConvertible {
    let description: String

    init(_ value: Any?) {
        description = value.map { "\($0)" } ?? "nothing"
    }
}
