// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Synchronization
import Testing

@Suite("Stores that fail", .eachSystem)
struct StoreTests {
    /// A store that fails on request.
    private final class FailingStore: AccessoryStore {
        struct Failure: Error {}

        let within = MemoryAccessoryStore()
        private let isFailing: Mutex<Bool>

        init(isFailing: Bool) { self.isFailing = Mutex(isFailing) }

        func set(failing: Bool) { isFailing.withLock { $0 = failing } }

        private func check() throws {
            if isFailing.withLock({ $0 }) { throw Failure() }
        }

        func load() throws -> RememberedAccessories {
            try check()
            return within.load()
        }

        func remember(_ accessory: RememberedAccessory) throws {
            try check()
            within.remember(accessory)
        }

        func forget(_ identity: AccessoryIdentity) throws {
            try check()
            within.forget(identity)
        }
    }

    @Test("A failed write is repeated until it succeeds")
    func remembering() async throws {
        let fixture = CentralFixture()
        let store = FailingStore(isFailing: false)
        try await fixture.world.run(for: .seconds(600)) {
            let central = fixture.central { $0.store = store }
            store.set(failing: true)
            let strap = try await central.pair(CentralFixture.strap)
            #expect(store.within.accessories.isEmpty)
            store.set(failing: false)
            try await fixture.world.advance(by: .seconds(60))
            #expect(store.within.accessories.map(\.identity) == [strap.id])
            await central.shutDown()
        }
    }

    @Test("A failed pairing does not erase an accessory of another kind from the store")
    func failedPairing() async throws {
        let fixture = CentralFixture()
        let other = CentralFixture.strap.with {
            $0.kind = "other"
            $0.services[0].characteristics.append(.read("2A99"))
        }
        try await fixture.world.run(for: .seconds(600)) {
            let first = fixture.central()
            let id = try await first.pair(CentralFixture.strap).id
            await first.shutDown()
            // This central has no description of the stored accessory.
            let second = fixture.central(other)
            await #expect(throws: AccessoryError.self) { try await second.pair(other) }
            try await fixture.world.advance(by: .seconds(10))
            #expect(fixture.store.accessories.map(\.identity) == [id])
            #expect(fixture.store.accessories.map(\.kind) == ["strap"])
            await second.shutDown()
        }
    }

    @Test("A failure to erase is reported, and the erasure is repeated")
    func forgetting() async throws {
        let fixture = CentralFixture()
        let store = FailingStore(isFailing: false)
        try await fixture.world.run(for: .seconds(600)) {
            let central = fixture.central { $0.store = store }
            let strap = try await central.pair(CentralFixture.strap)
            store.set(failing: true)
            await #expect(throws: AccessoryError.notErased) { try await central.forget(strap) }
            #expect(central.accessories.isEmpty)
            store.set(failing: false)
            try await fixture.world.advance(by: .seconds(60))
            #expect(store.within.accessories.isEmpty)
            await central.shutDown()
        }
    }

    @Test("An accessory that was forgotten before the store could be read does not return")
    func forgottenBeforeReading() async throws {
        let fixture = CentralFixture()
        let store = FailingStore(isFailing: false)
        try await fixture.world.run(for: .seconds(600)) {
            let first = fixture.central {
                $0.store = store
                $0.restores = false
            }
            _ = try await first.pair(CentralFixture.strap)
            await first.shutDown()
            store.set(failing: true)
            let second = fixture.central {
                $0.store = store
                $0.restores = false
            }
            let strap = try await second.pair(CentralFixture.strap)
            await #expect(throws: AccessoryError.notErased) { try await second.forget(strap) }
            store.set(failing: false)
            try await fixture.world.advance(by: .seconds(60))
            #expect(second.accessories.isEmpty)
            #expect(store.within.accessories.isEmpty)
            await second.shutDown()
        }
    }

    @Test("An accessory that is paired before the store can be read keeps its name and its notes")
    func pairedBeforeReading() async throws {
        let fixture = CentralFixture()
        let store = FailingStore(isFailing: false)
        try await fixture.world.run(for: .seconds(600)) {
            let first = fixture.central {
                $0.store = store
                $0.restores = false
            }
            let stored = try await first.pair(CentralFixture.strap)
            stored.rename(to: "Bedroom")
            stored.setNote("cellar", for: "room")
            stored.setNote("blue", for: "color")
            await first.shutDown()
            let date = store.within.accessories.first?.rememberedSince
            store.set(failing: true)
            let second = fixture.central {
                $0.store = store
                $0.restores = false
            }
            let strap = try await second.pair(CentralFixture.strap)
            strap.setNote("red", for: "color")
            store.set(failing: false)
            try await fixture.world.advance(by: .seconds(60))
            #expect(strap.name == "Bedroom")
            let kept = try #require(store.within.accessories.first)
            #expect(kept.givenName == "Bedroom")
            #expect(kept.notes == ["room": "cellar", "color": "red"])
            #expect(kept.rememberedSince == date)
            await second.shutDown()
        }
    }

    @Test("A restored peripheral that is paired before the store can be read keeps its link")
    func restoredBeforeReading() async throws {
        let fixture = CentralFixture()
        let store = FailingStore(isFailing: false)
        try await fixture.world.run(for: .seconds(600)) {
            let phone = fixture.world.phone
            let first = phone.launch { _ in fixture.central { $0.store = store } }
            _ = try await first.pair(CentralFixture.strap)
            fixture.straps[0].walk(to: .outOfRange)
            try await fixture.world.advance(by: .seconds(60))
            await phone.killApp(keepingLinks: true)
            store.set(failing: true)
            let second = phone.launch { _ in fixture.central { $0.store = store } }
            fixture.straps[0].comeBack()
            try await fixture.world.advance(by: .seconds(10))
            let strap = try await second.pair(CentralFixture.strap)
            store.set(failing: false)
            try await fixture.world.advance(by: .seconds(60))
            #expect(strap.state == .ready)
            await second.shutDown()
        }
    }

    @Test("The app's recorder has a note for each unreadable file, at the launch and later")
    func unreadableFile() async throws {
        let fixture = CentralFixture()
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("lanyard-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("accessories.json")
        try Data("{".utf8).write(to: file)
        try await fixture.world.run(for: .seconds(600)) {
            let central = fixture.central { $0.store = .file(file) }
            let text = "the store left out unreadable data"
            #expect(fixture.recorder.recording.events.count { $0.text == text } == 1)
            try Data("[".utf8).write(to: file)
            _ = try await central.pair(CentralFixture.strap)
            #expect(fixture.recorder.recording.events.count { $0.text == text } == 2)
            await central.shutDown()
        }
    }

    @Test("A failed read is repeated, and its accessories then appear")
    func reading() async throws {
        let fixture = CentralFixture()
        let store = FailingStore(isFailing: false)
        try await fixture.world.run(for: .seconds(600)) {
            let first = fixture.central { $0.store = store }
            let id = try await first.pair(CentralFixture.strap).id
            await first.shutDown()
            store.set(failing: true)
            let second = fixture.central { $0.store = store }
            #expect(second.accessories.isEmpty)
            try await fixture.world.advance(by: .seconds(60))
            #expect(second.accessories.isEmpty)
            store.set(failing: false)
            try await fixture.world.advance(by: .seconds(60))
            let strap = try #require(second.knownAccessory(CentralFixture.strap))
            #expect(strap.id == id)
            try await strap.untilReady()
            await second.shutDown()
        }
    }
}
