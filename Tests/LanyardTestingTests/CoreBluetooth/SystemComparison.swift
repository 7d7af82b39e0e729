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
    let run: @Sendable (CentralFixture) async throws -> Void

    var testDescription: String { name }

    func events() async throws -> [FlightEvent] {
        let fixture = CentralFixture(seed: 20, straps: 2, change)
        try await fixture.world.run(for: .seconds(3_600)) { try await run(fixture) }
        return fixture.recorder.recording.events
    }
}

extension ComparedRun {
    static let all: [ComparedRun] = [
        ComparedRun(name: "pairing, values and the end") { fixture in
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
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
        ComparedRun(name: "range loss, a restart and a dropped link") { fixture in
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            fixture.straps[0].walk(to: .outOfRange)
            try await fixture.world.expect(strap, becomes: .outOfRange, within: .seconds(60))
            fixture.straps[0].comeBack()
            try await fixture.world.expect(strap, becomes: .ready, within: .seconds(10))
            fixture.straps[0].reboot(after: .seconds(20))
            try await fixture.world.expect(strap, becomes: .outOfRange, within: .seconds(60))
            try await fixture.world.expect(strap, becomes: .ready, within: .seconds(60))
            fixture.straps[0].dropLink()
            try await fixture.world.advance(by: .seconds(10))
            try await fixture.world.expect(strap, becomes: .ready, within: .seconds(10))
            await central.shutDown()
        },
        ComparedRun(name: "Bluetooth switched off, denied and reset") { fixture in
            let (phone, central) = (fixture.world.phone, fixture.central())
            let strap = try await central.pair(CentralFixture.strap)
            phone.isPoweredOn = false
            try await fixture.world.advance(by: .seconds(10))
            phone.isPoweredOn = true
            try await fixture.world.expect(strap, becomes: .ready, within: .seconds(20))
            phone.isAuthorized = false
            try await fixture.world.advance(by: .seconds(10))
            phone.isAuthorized = true
            try await fixture.world.expect(strap, becomes: .ready, within: .seconds(20))
            phone.resetController()
            try await fixture.world.advance(by: .seconds(20))
            try await fixture.world.expect(strap, becomes: .ready, within: .seconds(60))
            await central.shutDown()
        },
        ComparedRun(name: "a bond, and its loss on either side") { fixture in
            let lock = fixture.world.add(.lock)
            let central = fixture.central(.lock)
            let known = try await central.pair(.lock)
            fixture.world.phone.loseBonds()
            try await fixture.world.advance(by: .seconds(60))
            try await fixture.world.expect(known, becomes: .ready, within: .seconds(120))
            lock.loseBonds()
            lock.dropLink()
            try await fixture.world.expect(known, becomes: .idle, within: .seconds(120))
            await central.shutDown()
        },
        ComparedRun(name: "a relaunch, with and without kept links") { fixture in
            let phone = fixture.world.phone
            let first = phone.launch { _ in fixture.central() }
            _ = try await first.pair(CentralFixture.strap)
            try await fixture.world.advance(by: .seconds(5))
            await phone.killApp(keepingLinks: true)
            try await fixture.world.advance(by: .seconds(30))
            let second = phone.launch { _ in fixture.central() }
            try await #require(second.knownAccessory(CentralFixture.strap)).untilReady()
            await phone.endApp()
            let third = phone.launch { _ in fixture.central() }
            try await #require(third.knownAccessory(CentralFixture.strap)).untilReady()
            await third.shutDown()
        },
        ComparedRun(name: "two straps, and services that change") { fixture in
            let central = fixture.central()
            let first = try await central.pair(CentralFixture.strap)
            let second = try await central.pair(CentralFixture.strap)
            fixture.straps[0].removeService("180F")
            fixture.straps[1].addService(VirtualService("1805", [.readable("2A2B", [1])]))
            try await fixture.world.advance(by: .seconds(20))
            for strap in [first, second] {
                try await fixture.world.expect(strap, becomes: .ready, within: .seconds(60))
            }
            try await central.forget(first)
            await central.shutDown()
        },
    ]
}
