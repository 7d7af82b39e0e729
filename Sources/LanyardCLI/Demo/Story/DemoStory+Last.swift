// SPDX-License-Identifier: Apache-2.0

#if canImport(LanyardTesting)
    import Foundation
    import Lanyard
    import LanyardTesting

    // A restart, lost keys, too many accessories, and the end.
    extension DemoStory {
        // MARK: A restart

        func tellOfARestart() async throws {
            stage.recorder.record(.note, "the application ends", of: "", at: stage.world.now)
            await stage.endApplication()
            try draw()
            try await stage.world.advance(by: .seconds(1))
            try teller.say("the application is gone, and with it all that it had in memory") {
                stage.store.accessories.count == 2
            }
            let central = stage.beginApplication()
            try teller.say("it is started again, and knows strap and lamp from its store") {
                central.accessories.count == 2
            }
            for name in ["Strap", "Lamp"] {
                let accessory = try stage.accessory(name)
                try await stage.world.expect(accessory, becomes: .ready, within: .seconds(30))
            }
            try teller.say("both are ready again, with the keys of before: nobody was asked") {
                stage.person.shown.count == 1
            }
        }

        // MARK: Lost keys

        func tellOfLostKeys() async throws {
            let strap = try stage.accessory("Strap")
            let live = try stage.live("Strap")
            stage.note("is reset to how it left the factory", of: "Strap")
            live.loseBonds()
            live.dropLink()
            try await stage.world.expect("the lost bond is noticed", within: .seconds(30)) {
                stage.person.wasAskedAgain == 1
            }
            try await stage.world.advance(by: .seconds(2))
            try teller.say(
                "the strap was reset, and has lost its keys: the phone does not trust it"
            ) {
                strap.state != .ready
            }
            try teller.say("   why: \(strap.latestChange.reason)")
            stage.person.willPairAgain = true
            strap.connect()
            try await stage.world.expect(strap, becomes: .ready, within: .seconds(30))
            try teller.say("its person says that it may be paired again, and it is: new keys") {
                stage.person.shown.count == 2 && Set(stage.person.shown).count == 2
            }
        }

        // MARK: Too many

        func tellOfSlots() async throws {
            let central = try stage.central
            let scale = try await stage.pair(DemoKinds.scale)
            try teller.say(
                "the scale is ready: all \(DemoStage.slots) links that there can be are taken"
            ) {
                scale.state == .ready
            }
            let holders = try await refusedHolders(central)
            try teller.say(
                "no room for the thermometer: held by \(holders.joined(separator: ", "))"
            ) {
                holders == ["Lamp", "Scale", "Strap"]
            }
            stage.policyAllows = true
            let thermometer = try await stage.pair(DemoKinds.thermometer)
            let ended = DemoKinds.names.filter { name in
                (try? stage.accessory(name))?.state != .ready
            }
            try teller.say(
                "now the silent may be ended: the thermometer is in, \(ended.joined()) waits"
            ) {
                thermometer.state == .ready && ended.count == 1 && ended != ["Strap"]
            }
            stage.policyAllows = false
            try await central.forget(thermometer)
            stage.forget("Thermometer")
            let waiting = try stage.accessory(ended[0])
            try await stage.world.expect(waiting, becomes: .ready, within: .seconds(60))
            try teller.say("the thermometer leaves, and \(ended[0]) has its link back") {
                waiting.state == .ready
            }
        }

        /// Who is said to hold the links when there are none left.
        private func refusedHolders(_ central: AccessoryCentral) async throws -> [String] {
            do {
                _ = try await stage.pair(DemoKinds.thermometer)
            } catch let error as AccessoryError {
                guard case .outOfConnectionSlots(let slots) = error else { throw error }
                let names = Dictionary(
                    uniqueKeysWithValues: central.accessories.map { ($0.id, $0.name ?? "?") }
                )
                return slots.holders.map { names[$0.identity] ?? "?" }.sorted()
            }
            return []
        }

        // MARK: The end

        func tellOfForgetting() async throws {
            let central = try stage.central
            let strap = try stage.accessory("Strap")
            try await central.forget(strap)
            stage.forget("Strap")
            try teller.say("the strap is forgotten: its link is gone, and nothing of it is stored")
            {
                !central.accessories.contains { $0.id == strap.id }
                    && stage.store.accessories.count == 2
            }
            try await stage.world.advance(by: .seconds(5))
            let links = await (try stage.live("Strap")).linkCount
            try teller.say("it is near and advertises, and nobody connects to it") { links == 0 }
        }
    }
#endif
