// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import LanyardTestSupport
import LanyardTesting
import Testing

@testable import Lanyard

@Suite("Links that are made and ended repeatedly")
struct CycleTests {
    /// The number of KiB that the process may grow in ten thousand cycles. The allocator needs that
    /// much to settle, and a leak of 400 bytes in each cycle exceeds it.
    private static let toleratedGrowth = 3_072

    /// The number of cycles: few by default. `LANYARD_CYCLES=10000` checks memory as well.
    private static let count =
        ProcessInfo.processInfo.environment["LANYARD_CYCLES"].flatMap { Int($0) } ?? 100

    /// The supervision timeout of the host's links (`ConnectParameters`), the longest time until a
    /// strap has no link.
    private static let supervisionTimeout = Duration.seconds(5)

    @Test("Interrupted cycles leave no slot and no link, and a long run leaks no memory")
    func cycles() async throws {
        let app = try AppHarness(seed: RunSeed.value, straps: 2, limit: 2, isWritten: false)
        let count = Self.count
        let memory = try await app.run(for: .seconds(3600 + count * 60)) {
            try await app.pairAll()
            var generator = SplitMix64(seed: RunSeed.value)
            var memory: [Int] = []
            for cycle in 0..<count {
                try await app.cycle(using: &generator)
                if cycle.isMultiple(of: max(count / 5, 1)) {
                    try await app.check()
                    memory.append(MemoryUse.residentKibibytes)
                }
            }
            memory.append(MemoryUse.residentKibibytes)
            app.endFaults()
            for accessory in app.accessories { try await accessory.disconnect() }
            #expect(await app.slotCount == 0)
            // The controller can make a link while the host cancels the request for it. The host
            // then disconnects that link.
            try await app.world.advance(by: Self.supervisionTimeout)
            for strap in app.straps { #expect(await strap.linkCount == 0) }
            return memory
        }
        let growth = (memory.last ?? 0) - (memory.dropFirst().first ?? 0)
        print("\(count) cycles, resident: \(memory) KiB")
        // The first fifth of the cycles is not compared, because it fills caches and buffers.
        if count >= 5000 { #expect(growth <= Self.toleratedGrowth, "\(memory)") }
    }
}

extension AppHarness {
    /// Ends a link and makes it again, often with another event in between.
    fileprivate func cycle(using generator: inout SplitMix64) async throws {
        let number = Int.random(in: straps.indices, using: &generator)
        let accessory = accessories.first { $0.description.kind == "strap \(number)" }
        guard let accessory else { throw failure("an accessory is gone") }
        if generator.happens(oneIn: 3) {
            accessory.connect()
        } else {
            try await accessory.disconnect()
            accessory.connect()
        }
        if generator.happens(oneIn: 3) { interrupt(straps[number], using: &generator) }
        if generator.happens(oneIn: 4) {
            let pause = Int.random(in: 0...400, using: &generator)
            return try await world.advance(by: .milliseconds(pause))
        }
        world.phone.disturb(losing: 0)
        straps[number].disturb(losing: 0)
        try await accessory.untilReady()
    }

    private func cyclePower() {
        world.phone.isPoweredOn = false
        world.phone.isPoweredOn = true
    }

    private func interrupt(_ strap: LiveAccessory, using generator: inout SplitMix64) {
        let share = Double.random(in: 0...0.5, using: &generator)
        let pause = Duration.milliseconds(Int.random(in: 1...900, using: &generator))
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: strap.reboot(after: pause)
        case 1: strap.dropLink()
        case 2: world.later(pause) { strap.dropLink() }
        case 3: cyclePower()
        case 4: world.phone.disturb(losing: share)
        default: strap.disturb(losing: share)
        }
    }
}
