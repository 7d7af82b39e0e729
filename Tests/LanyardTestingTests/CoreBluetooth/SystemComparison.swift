// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

/// A scenario for an app's central. Its events must be the same on the adapter's port and on our
/// CoreBluetooth module.
struct ComparedRun: Sendable, CustomTestStringConvertible {
    let name: String
    var change: @Sendable (inout VirtualAccessory) -> Void = { _ in }
    let run: @Sendable (Kit) async throws -> Void

    var testDescription: String { name }

    func events() async throws -> [FlightEvent] {
        let kit = Kit(seed: 20, straps: 2, change)
        try await kit.world.run(for: .seconds(3_600)) { try await run(kit) }
        return kit.recorder.recording.events
    }
}

extension ComparedRun {
    static let all: [ComparedRun] = [
        ComparedRun(name: "pairing, values and the end") { kit in
            let central = kit.central()
            let strap = try await central.pair(Kit.strap)
            var values = try strap.values(of: "2A37").makeAsyncIterator()
            for _ in 1...3 { #expect(await values.next() != nil) }
            #expect(try await strap.read("2A38") == Data([1]))
            try await strap.write(Data([1]), to: "2A39")
            await #expect(throws: AccessoryError.self) {
                try await strap.write(Data([0xFF]), to: "2A39")
            }
            try await strap.disconnect()
            strap.connect()
            try await strap.untilReady()
            #expect(try await strap.discoverServices().count >= 2)
            await central.shutDown()
        },
        ComparedRun(name: "range loss, a restart and a dropped link") { kit in
            let central = kit.central()
            let strap = try await central.pair(Kit.strap)
            kit.straps[0].walk(to: .outOfRange)
            try await kit.world.expect(strap, becomes: .outOfRange, within: .seconds(60))
            kit.straps[0].comeBack()
            try await kit.world.expect(strap, becomes: .ready, within: .seconds(10))
            kit.straps[0].reboot(after: .seconds(20))
            try await kit.world.expect(strap, becomes: .outOfRange, within: .seconds(60))
            try await kit.world.expect(strap, becomes: .ready, within: .seconds(60))
            kit.straps[0].dropLink()
            try await kit.world.advance(by: .seconds(10))
            try await kit.world.expect(strap, becomes: .ready, within: .seconds(10))
            await central.shutDown()
        },
        ComparedRun(name: "Bluetooth switched off, denied and reset") { kit in
            let (phone, central) = (kit.world.phone, kit.central())
            let strap = try await central.pair(Kit.strap)
            phone.isPoweredOn = false
            try await kit.world.advance(by: .seconds(10))
            phone.isPoweredOn = true
            try await kit.world.expect(strap, becomes: .ready, within: .seconds(20))
            phone.isAuthorized = false
            try await kit.world.advance(by: .seconds(10))
            phone.isAuthorized = true
            try await kit.world.expect(strap, becomes: .ready, within: .seconds(20))
            phone.resetController()
            try await kit.world.advance(by: .seconds(20))
            try await kit.world.expect(strap, becomes: .ready, within: .seconds(60))
            await central.shutDown()
        },
        ComparedRun(name: "a bond, and its loss on either side") { kit in
            let lock = kit.world.add(.lock)
            let central = kit.central(.lock)
            let known = try await central.pair(.lock)
            kit.world.phone.loseBonds()
            try await kit.world.advance(by: .seconds(60))
            try await kit.world.expect(known, becomes: .ready, within: .seconds(120))
            lock.loseBonds()
            lock.dropLink()
            try await kit.world.expect(known, becomes: .idle, within: .seconds(120))
            await central.shutDown()
        },
        ComparedRun(name: "a relaunch, with and without kept links") { kit in
            let phone = kit.world.phone
            let first = phone.launch { _ in kit.central() }
            _ = try await first.pair(Kit.strap)
            try await kit.world.advance(by: .seconds(5))
            await phone.killApp(keepingLinks: true)
            try await kit.world.advance(by: .seconds(30))
            let second = phone.launch { _ in kit.central() }
            try await #require(second.knownAccessory(Kit.strap)).untilReady()
            await phone.endApp()
            let third = phone.launch { _ in kit.central() }
            try await #require(third.knownAccessory(Kit.strap)).untilReady()
            await third.shutDown()
        },
        ComparedRun(name: "two straps, and services that change") { kit in
            let central = kit.central()
            let first = try await central.pair(Kit.strap)
            let second = try await central.pair(Kit.strap)
            kit.straps[0].removeService("180F")
            kit.straps[1].addService(VirtualService("1805", [.readable("2A2B", [1])]))
            try await kit.world.advance(by: .seconds(20))
            for strap in [first, second] {
                try await kit.world.expect(strap, becomes: .ready, within: .seconds(60))
            }
            try await central.forget(first)
            await central.shutDown()
        },
    ]
}
