// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing
import VirtualAdapters

@Suite("Test worlds")
struct WorldTests {
    @Test("A sleep on the world's clock advances the world's time")
    func clock() async throws {
        let world = TestWorld()
        try await world.run {
            try await world.clock.sleep(for: .seconds(3_600))
            #expect(world.now == .seconds(3_600))
            try await world.advance(by: .milliseconds(1))
            #expect(world.clock.now.offset == .seconds(3_600) + .milliseconds(1))
        }
    }

    @Test("Deferred work runs at its time")
    func later() async throws {
        let world = TestWorld()
        try await world.run {
            world.later(.seconds(2)) { world.story.note("second") }
            world.later(.seconds(1)) { world.story.note("first") }
            try await world.advance(by: .seconds(3))
        }
        #expect(world.story.description == "1.000 first\n2.000 second")
    }

    @Test("A run throws the error of its body, and another run can follow")
    func throwing() async throws {
        struct TestError: Error {}
        let world = TestWorld()
        await #expect(throws: TestError.self) {
            try await world.run {
                try await world.advance(by: .seconds(1))
                throw TestError()
            }
        }
        try await world.run { try await world.advance(by: .seconds(1)) }
        #expect(world.now >= .seconds(2))
    }

    @Test("A body that exceeds its limit of virtual time throws an error with the seed")
    func bound() async throws {
        let world = TestWorld(seed: 5, timeout: .seconds(1))
        let error = await #expect(throws: VirtualAirError.self) {
            try await world.run(for: .seconds(10)) {
                while true { try await world.advance(by: .seconds(1)) }
            }
        }
        #expect(error?.seed == 5)
        #expect(error?.problem == .boundReached(.seconds(10)))
    }

    @Test("A failure reports the expectation, its place, and the actual events")
    func failure() async throws {
        let world = TestWorld(seed: 6)
        let strap = world.add(.strap)
        let failure = await #expect(throws: ExpectationFailure.self) {
            try await world.run {
                let known = try await world.phone.central(.strap).pair(.strap)
                world.story.follow(known, as: "my strap")
                strap.switchOff()
                try await world.advance(by: .seconds(10))
                try await world.expect(known, becomes: .ready, within: .seconds(5))
            }
        }
        let text = try #require(failure).description
        #expect(text.contains("my strap did not become ready within 5.0 seconds"))
        #expect(text.contains("WorldTests.swift:"))
        #expect(text.contains("seed 6"))
        #expect(text.contains("Strap goes off"))
        #expect(text.contains("my strap: outOfRange"))
    }

    @Test("A world writes packet logs into a given directory")
    func trace() async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "lanyard-world-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let world = TestWorld(tracingInto: directory.path())
        world.add(.strap)
        try await world.run { _ = try await world.phone.central(.strap).pair(.strap) }
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.path())
        #expect(files.sorted() == ["0-phone.btsnoop", "1-Strap.btsnoop"])
    }

    @Test("An accessory performs the test's commands, and reports writes and links of centrals")
    func accessories() async throws {
        let world = TestWorld()
        let box = world.add(.box)
        try await world.run {
            let known = try await world.phone.central(.box).pair(.box)
            box.setValue([7], of: "1B13")
            let read = try await known.read("1B13")
            #expect(read == Data([7]))
            try await known.write(Data([8, 9]), to: "1B11")
            #expect(await box.value(of: "1B11") == Data([8, 9]))
            #expect(box.written(to: "1B11") == [Data([8, 9])])
            #expect(await box.linkCount == 1)
            var values = try known.values(of: "1B02").makeAsyncIterator()
            box.notify([5], on: "1B02")
            #expect(await values.next() == Data([5]))
        }
        #expect(await box.linkCount == 0)
    }

    @Test("Deferred work is released after it has run")
    func releasesWork() async throws {
        final class Witness: Sendable {}
        let world = TestWorld()
        var witness: Witness? = Witness()
        let isReleased = { [weak witness] in witness == nil }
        if let witness { world.later(.seconds(1)) { withExtendedLifetime(witness) {} } }
        witness = nil
        #expect(!isReleased())
        try await world.run { try await world.advance(by: .seconds(2)) }
        #expect(isReleased())
    }

    @Test("The story follows an accessory again after the next launch of the app")
    func followsNextLaunch() async throws {
        let world = TestWorld()
        let strap = world.add(.strap)
        try await world.run {
            let first = try await world.phone.central(.strap).pair(.strap)
            world.story.follow(first, as: "my strap")
            await world.phone.endApp()
            let central = world.phone.central(.strap)
            let second = try #require(central.knownAccessory(.strap))
            try await world.expect(second, becomes: .ready, within: .seconds(10))
            strap.walk(to: .outOfRange)
            try await world.expect(second, becomes: .outOfRange, within: .seconds(30))
        }
        let texts = world.story.texts
        let end = try #require(texts.firstIndex(of: "phone: the app ends"))
        let later = texts[end...]
        #expect(later.contains { $0.hasPrefix("my strap: ready") }, "\(world.story)")
        #expect(later.contains { $0.hasPrefix("my strap: outOfRange") })
    }

    @Test("The story does not keep the central of a followed accessory running")
    func releasesAccessory() async throws {
        let world = TestWorld()
        let strap = world.add(.strap)
        try await world.run(for: .seconds(60)) {
            try await pairAndRelease(in: world)
            try await world.expect("the link ends", within: .seconds(10)) {
                await strap.linkCount == 0
            }
        }
    }

    private func pairAndRelease(in world: TestWorld) async throws {
        let central = AccessoryCentral(for: [.strap], configuration: world.phone.configuration)
        let known = try await central.pair(.strap)
        try await world.expect(known, becomes: .ready, within: .seconds(1))
    }

    private static let counter = VirtualService(
        "1B20",
        [.readable("1B21", [1]).changing(every: .seconds(1)) { [$0[0] + 1] }]
    )

    @Test("A value of an added service changes periodically, even after a reboot")
    func addedChange() async throws {
        let world = TestWorld()
        let box = world.add(.box)
        try await world.run {
            box.addService(Self.counter)
            try await world.advance(by: .milliseconds(3_500))
            #expect(await box.value(of: "1B21") == Data([4]))
            box.reboot(after: .milliseconds(600))
            try await world.advance(by: .milliseconds(2_000))
            #expect(await box.value(of: "1B21") == Data([2]))
        }
    }

    @Test("A value of a service that a test removes and adds again changes once in each period")
    func changeAddedAgain() async throws {
        let world = TestWorld()
        let box = world.add(VirtualAccessory("Box", services: [Self.counter]))
        try await world.run {
            box.removeService("1B20")
            box.addService(Self.counter)
            try await world.advance(by: .milliseconds(3_500))
            #expect(await box.value(of: "1B21") == Data([4]))
        }
    }

    @Test("A value of a removed service no longer changes, even after a reboot")
    func removedChange() async throws {
        let world = TestWorld()
        let counts = ReceivedValues<[UInt8]>()
        let box = world.add(
            VirtualAccessory(
                "Box",
                services: [
                    .battery(3, losing: 1, every: .seconds(10)),
                    VirtualService(
                        "1B20",
                        [
                            .readable("1B21", [1]).changing(every: .seconds(1)) { value in
                                counts.add(value)
                                return value
                            }
                        ]
                    ),
                ]
            )
        )
        try await world.run {
            box.removeService("180F")
            box.removeService("1B20")
            try await world.advance(by: .seconds(10))
            box.reboot()
            try await world.advance(by: .seconds(50))
            #expect(counts.values.isEmpty)
        }
        #expect(world.story.texts.filter { $0 == "Box goes off" }.count == 1)
    }

    @Test("A value changes periodically after a reboot that ends with a period")
    func rebootedChange() async throws {
        let world = TestWorld()
        let box = world.add(VirtualAccessory("Box", services: [Self.counter]))
        try await world.run {
            box.reboot(after: .seconds(1))
            try await world.advance(by: .milliseconds(3_500))
            #expect(await box.value(of: "1B21") == Data([3]))
        }
    }

    @Test("A removal while the accessory is off changes nothing")
    func removalWhileOff() async throws {
        let world = TestWorld()
        let box = world.add(VirtualAccessory("Box", services: [Self.counter]))
        try await world.run {
            box.switchOff()
            box.removeService("1B20")
            try await world.advance(by: .milliseconds(500))
            box.switchOn()
            try await world.advance(by: .seconds(2))
            #expect(await box.value(of: "1B21") == Data([3]))
        }
    }

    @Test("Two phones do not share accessories")
    func phones() async throws {
        let world = TestWorld()
        world.add(.strap)
        let other = world.addPhone("tablet")
        try await world.run {
            let mine = try await world.phone.central(.strap).pair(.strap)
            let theirs = other.central(.strap)
            #expect(theirs.accessories.isEmpty)
            // A strap has a single link, which is in use.
            await #expect(throws: AccessoryError.notFound(after: .seconds(10))) {
                try await theirs.pair(.strap)
            }
            try await mine.disconnect()
            let taken = try await theirs.pair(.strap)
            #expect(taken.state == .ready)
        }
    }
}
