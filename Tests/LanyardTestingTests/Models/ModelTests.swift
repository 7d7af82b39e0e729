// SPDX-License-Identifier: Apache-2.0

import Foundation
import LanyardTesting
import Observation
import Testing

@testable import Lanyard

@Suite("Models for a screen", .eachSystem)
struct ModelTests {
    @Test("A model of an accessory follows its state, and gives advice")
    func accessory() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run { @MainActor in
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            let model = AccessoryModel(strap)
            // The model has its status before any change arrives.
            #expect(model.status == "Connected")
            #expect(model.isReady && model.advice == nil && model.name == "Strap 0")
            #expect(model.id == strap.id)

            fixture.straps[0].walk(to: .outOfRange)
            try await fixture.world.expect("the loss is shown", within: .seconds(30)) {
                @MainActor in
                model.status == "Not in range"
            }
            #expect(model.advice == "Bring it nearer, and make sure that it is switched on.")
            fixture.straps[0].comeBack()
            try await fixture.world.expect("the return is shown", within: .seconds(30)) {
                @MainActor in
                model.isReady
            }
            await central.shutDown()
        }
    }

    @Test("A connected accessory is shown as pairing until its pairing has failed")
    func connectedStatus() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run { @MainActor in
            let central = fixture.central()
            let model = AccessoryModel(try await central.pair(CentralFixture.strap))
            model.show(AccessoryChange(.connected, .subscribed, number: 1_000))
            #expect(model.status == "Pairing")
            let failure = LinkFailure(.notPaired, "the person declined")
            model.show(AccessoryChange(.connected, .notPaired(failure), number: 1_001))
            #expect(model.status == "Not paired")
            await central.shutDown()
        }
    }

    @Test("A view that reads a property is informed of its change")
    func observation() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run { @MainActor in
            let central = fixture.central()
            let model = AccessoryModel(try await central.pair(CentralFixture.strap))
            let invalidations = ReceivedValues<Bool>()
            withObservationTracking {
                _ = model.status
            } onChange: {
                invalidations.add(true)
            }
            fixture.straps[0].dropLink()
            try await fixture.world.expect("the view is invalidated", within: .seconds(10)) {
                @MainActor in
                !invalidations.values.isEmpty
            }
            await central.shutDown()
        }
    }

    @Test("A model of a central lists its accessories, the power state and the slots")
    func central() async throws {
        let fixture = CentralFixture(straps: 2)
        try await fixture.world.run { @MainActor in
            let model = CentralModel(fixture.central())
            #expect(model.accessories.isEmpty)
            for count in 1...2 {
                // The list contains the accessory when the call returns.
                let paired = await model.pair(CentralFixture.strap)
                #expect(model.accessories.count == count)
                #expect(paired != nil && paired === model.accessories.last)
            }
            #expect(model.problem == nil)
            #expect(Set(model.slots.holders.map(\.name)) == ["Strap 0", "Strap 1"])
            fixture.world.phone.isPoweredOn = false
            try await fixture.world.expect("the power-off is shown", within: .seconds(5)) {
                @MainActor in
                model.availability == .poweredOff
            }
            #expect(model.advice == "Switch Bluetooth on.")
            fixture.world.phone.isPoweredOn = true
            try await fixture.world.expect("both are connected again", within: .seconds(30)) {
                @MainActor in
                model.accessories.allSatisfy(\.isReady)
            }
            let first = try #require(model.accessories.first)
            await model.disconnect(first)
            #expect(first.state == .idle && model.problem == nil)
            await model.forget(first)
            #expect(model.accessories.map(\.name) == ["Strap 1"])
            try await fixture.world.advance(by: .seconds(1))
            #expect(model.accessories.map(\.name) == ["Strap 1"])
            await model.central.shutDown()
        }
    }

    @Test("A model begins with the remembered accessories")
    func remembered() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run { @MainActor in
            let former = fixture.central()
            _ = try await former.pair(CentralFixture.strap)
            await former.shutDown()
            let model = CentralModel(fixture.central())
            #expect(model.accessories.map(\.name) == ["Strap 0"])
            try await fixture.world.expect("the strap is connected", within: .seconds(10)) {
                @MainActor in
                model.accessories.allSatisfy(\.isReady)
            }
            // The strap is listed once, although the sequence of changes begins with it as well.
            #expect(model.accessories.count == 1)
            await model.central.shutDown()
        }
    }

    @Test("The name that a person gives an accessory is shown at once, and after the next launch")
    func renamed() async throws {
        let world = TestWorld(seed: 41)
        let live = world.add(.strap)
        try await world.run { @MainActor in
            var central = world.phone.launch { CentralModel(for: [.strap], configuration: $0) }
            let strap = try #require(await central.pair(.strap))
            let other = AccessoryModel(strap.accessory)
            try await world.advance(by: .seconds(1))
            strap.rename(to: " Left ")
            #expect(strap.name == "Left" && strap.accessory.deviceName == "Strap")
            try await world.expect("each model shows the name", within: .seconds(1)) {
                @MainActor in
                other.name == "Left"
            }
            // The accessory is saved again when it is ready again.
            live.dropLink()
            try await world.expect(strap.accessory, becomes: .outOfRange, within: .seconds(10))
            try await world.expect(strap.accessory, becomes: .ready, within: .seconds(30))
            await world.phone.endApp()

            central = world.phone.launch { CentralModel(for: [.strap], configuration: $0) }
            #expect(central.accessories.map(\.name) == ["Left"])
            central.accessories.first?.rename(to: " ")
            #expect(central.accessories.map(\.name) == ["Strap"])
            try await world.advance(by: .seconds(1))
            #expect(world.phone.store.accessories.map(\.givenName) == [nil])
        }
    }

    @Test("The notes of an app are kept when the accessory is saved, and after the next launch")
    func notes() async throws {
        let world = TestWorld(seed: 43)
        let live = world.add(.strap)
        try await world.run { @MainActor in
            var central = world.phone.launch { AccessoryCentral(for: [.strap], configuration: $0) }
            let strap = try await central.pair(.strap)
            strap.setNote("cellar", for: "room")
            strap.setNote("draft", for: "state")
            #expect(strap.notes == ["room": "cellar", "state": "draft"])
            strap.setNote(nil, for: "state")
            // The accessory is saved again when it is ready again.
            live.dropLink()
            try await world.expect(strap, becomes: .outOfRange, within: .seconds(10))
            try await world.expect(strap, becomes: .ready, within: .seconds(30))
            #expect(world.phone.store.accessories.map(\.notes) == [["room": "cellar"]])
            await world.phone.endApp()

            central = world.phone.launch { AccessoryCentral(for: [.strap], configuration: $0) }
            #expect(central.accessories.map(\.notes) == [["room": "cellar"]])
            try await central.forget(try #require(central.accessories.first))
            #expect(world.phone.store.accessories.isEmpty)
        }
    }

    @Test("A search continues if an earlier search of the same model ends")
    func overlappingSearches() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run { @MainActor in
            let central = fixture.central()
            let nearby = NearbyModel(central, for: CentralFixture.strap)
            let searches = [Task { await nearby.search() }, Task { await nearby.search() }]
            try await fixture.world.expect("the strap is found", within: .seconds(10)) {
                @MainActor in
                nearby.devices.count == 1
            }
            searches[0].cancel()
            await searches[0].value
            #expect(nearby.isSearching && nearby.devices.count == 1)
            searches[1].cancel()
            await searches[1].value
            #expect(!nearby.isSearching && nearby.devices.isEmpty)
            await central.shutDown()
        }
    }

    @Test("A screen shows a first pairing from its beginning to its end")
    func pairing() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run { @MainActor in
            fixture.straps[0].switchOff()
            let model = CentralModel(fixture.central())
            let screen = PairingScreen(model)
            #expect(model.pairing == nil)
            let pairing = Task { await model.pair(CentralFixture.strap) }
            try await fixture.world.expect("the search is shown", within: .seconds(5)) {
                @MainActor in
                model.pairing?.status == "Searching"
            }
            #expect(model.pairing?.name == nil)
            fixture.straps[0].switchOn()
            let paired = try #require(await pairing.value)
            #expect(paired.isReady && model.pairing == nil && model.problem == nil)
            // A view that only reads the model was informed of each step.
            #expect(screen.statuses == ["Starting", "Searching", "Connecting", "Connected"])
            #expect(screen.progress == screen.progress.sorted())
            #expect(screen.names.last == "Strap 0")
            await model.central.shutDown()
        }
    }

    @Test("A pairing that a person cancels on the screen is not reported as a problem")
    func canceledPairing() async throws {
        let fixture = CentralFixture(straps: 0)
        try await fixture.world.run { @MainActor in
            let model = CentralModel(fixture.central())
            let pairing = Task { await model.pair(CentralFixture.strap) }
            try await fixture.world.expect("the pairing is shown", within: .seconds(5)) {
                @MainActor in
                model.pairing != nil
            }
            model.pairing?.cancel()
            #expect(await pairing.value == nil)
            #expect(model.pairing == nil && model.problem == nil && !model.isBusy)
            #expect(model.accessories.isEmpty)
            await model.central.shutDown()
        }
    }

    @Test("An error becomes a problem in words, and a cancellation does not")
    func problems() async throws {
        let fixture = CentralFixture(straps: 0)
        try await fixture.world.run { @MainActor in
            let model = CentralModel(fixture.central())
            let pairing = Task { await model.pair(CentralFixture.strap) }
            try await fixture.world.expect("the screen is busy", within: .seconds(5)) {
                @MainActor in
                model.isBusy
            }
            #expect(await pairing.value == nil)
            #expect(!model.isBusy)
            let problem = model.problem
            #expect(problem?.title == "No accessory was found.")
            #expect(
                problem?.message
                    == "None was discovered within 10 seconds. "
                    + "Pair it: bring it near, and have it advertise."
            )
            fixture.world.phone.isAuthorized = false
            await model.pair(CentralFixture.strap)
            #expect(model.problem?.title == "The app may not use Bluetooth.")
            #expect(model.availability == .unauthorized && model.advice != nil)
            fixture.world.phone.isAuthorized = true
            let canceled = Task { await model.pair(CentralFixture.strap) }
            try await fixture.world.advance(by: .seconds(1))
            canceled.cancel()
            #expect(await canceled.value == nil)
            #expect(model.problem == nil)
            await model.central.shutDown()
        }
    }
}

@Suite("The lifetime of models", .eachSystem)
struct ModelLifetimeTests {
    @Test("A released model is deallocated")
    func released() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run { @MainActor in
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            let weak = WeakModels()
            do {
                let accessory = AccessoryModel(strap)
                let model = CentralModel(central)
                weak.hold(accessory, model, model.accessories.first)
            }
            // The models are released although the accessory does not change again.
            #expect(weak.areGone)
            await central.shutDown()
        }
    }

    @Test("A released model of a central ends the central")
    func endsCentral() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run { @MainActor in
            do {
                let model = CentralModel(fixture.central())
                await model.pair(CentralFixture.strap)
                try await fixture.world.expect("the strap is shown", within: .seconds(5)) {
                    @MainActor in
                    model.accessories.first?.isReady == true
                }
                #expect(await fixture.straps[0].linkCount == 1)
            }
            try await fixture.world.expect("the link is ended", within: .seconds(10)) {
                @MainActor in
                await fixture.straps[0].linkCount == 0
            }
        }
    }

    @Test("A model of a forgotten accessory keeps its last state")
    func forgotten() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run { @MainActor in
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            let model = AccessoryModel(strap)
            try await central.forget(strap)
            try await fixture.world.expect("the end is shown", within: .seconds(5)) { @MainActor in
                model.change.reason == .resting(.forgotten)
            }
            #expect(model.status == "Not connected")
            await central.shutDown()
        }
    }
}

/// A view that shows the pairing of a model, and records the shown values.
@MainActor
private final class PairingScreen {
    private(set) var statuses: [String] = []
    private(set) var progress: [Double] = []
    private(set) var names: [String] = []
    private let model: CentralModel

    init(_ model: CentralModel) {
        self.model = model
        render()
    }

    private func render() {
        withObservationTracking {
            guard let pairing = model.pairing else { return }
            if statuses.last != pairing.status { statuses.append(pairing.status) }
            progress.append(pairing.progress)
            if let name = pairing.name { names.append(name) }
        } onChange: { [weak self] in
            Task { @MainActor in self?.render() }
        }
    }
}

/// Weak references to models.
@MainActor
private final class WeakModels {
    private weak var accessory: AccessoryModel?
    private weak var central: CentralModel?
    private weak var listed: AccessoryModel?

    nonisolated init() {}

    var areGone: Bool { accessory == nil && central == nil && listed == nil }

    func hold(_ accessory: AccessoryModel, _ central: CentralModel, _ listed: AccessoryModel?) {
        self.accessory = accessory
        self.central = central
        self.listed = listed
        assert(listed != nil)
    }
}
