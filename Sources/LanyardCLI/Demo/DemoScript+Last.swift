// SPDX-License-Identifier: Apache-2.0

#if canImport(LanyardTesting)
    import Foundation
    import Lanyard
    import LanyardTesting

    // The chapters on a relaunch, lost keys, too many accessories, and forgetting.
    extension DemoScript {
        // MARK: Relaunch

        func playRestart() async throws {
            environment.recorder.record(
                .note,
                "the app is terminated",
                of: "",
                at: environment.world.now
            )
            await environment.endApplication()
            try draw()
            try await environment.world.advance(by: .seconds(1))
            try printer.say("the app is terminated, and its memory is lost") {
                environment.store.accessories.count == 2
            }
            let central = environment.beginApplication()
            try printer.say("it is relaunched, and loads strap and lamp from its store") {
                central.accessories.count == 2
            }
            for name in ["Strap", "Lamp"] {
                let accessory = try environment.accessory(name)
                try await environment.world.expect(accessory, becomes: .ready, within: .seconds(30))
            }
            try printer.say("both are ready again with the same keys, without a question") {
                environment.person.shown.count == 1
            }
        }

        // MARK: Lost keys

        /// Returns the failure because of which no further attempt is made; `nil` if there is none.
        private static func failure(of reason: ChangeReason) -> LinkFailure? {
            guard case .resting(.failed(let failure)) = reason else { return nil }
            return failure
        }

        func playLostKeys() async throws {
            let strap = try environment.accessory("Strap")
            let live = try environment.live("Strap")
            environment.note("is reset to factory settings", of: "Strap")
            live.loseBonds()
            live.dropLink()
            try await environment.world.expect("the lost bond is noticed", within: .seconds(30)) {
                environment.person.repeatedQuestions == 1
            }
            try await environment.world.advance(by: .seconds(2))
            try printer.say(
                "the strap was reset and has lost its keys: the phone refuses it"
            ) {
                strap.state != .ready
            }
            let reason = strap.latestChange.reason
            try printer.say("   reason: \(Self.failure(of: reason).map { "\($0)" } ?? "none")") {
                Self.failure(of: reason)?.kind == .unpaired
            }
            let advice = try await strap.diagnosis().advice ?? ""
            try printer.say("   what to do: \(advice)") { advice.hasPrefix("Pair it again") }
            environment.person.willPairAgain = true
            strap.connect()
            try await environment.world.expect(strap, becomes: .ready, within: .seconds(30))
            try printer.say("the user agrees to pair again: new keys") {
                environment.person.shown.count == 2 && Set(environment.person.shown).count == 2
            }
        }

        // MARK: Too many

        func playSlots() async throws {
            let central = try environment.central
            let scale = try await environment.pair(DemoAccessories.scale)
            try printer.say(
                "the scale is ready: all \(DemoEnvironment.slots) connection slots are in use"
            ) {
                scale.state == .ready
            }
            let holders = try await refusedHolders(central)
            try printer.say(
                "no slot for the thermometer: in use by \(holders.joined(separator: ", "))"
            ) {
                holders == ["Lamp", "Scale", "Strap"]
            }
            environment.policyAllows = true
            let thermometer = try await environment.pair(DemoAccessories.thermometer)
            let ended = DemoAccessories.names.filter { name in
                (try? environment.accessory(name))?.state != .ready
            }
            try printer.say(
                "now silent links may be ended: the thermometer is ready, \(ended.joined()) waits"
            ) {
                thermometer.state == .ready && ended.count == 1 && ended != ["Strap"]
            }
            environment.policyAllows = false
            try await central.forget(thermometer)
            environment.forget("Thermometer")
            let waiting = try environment.accessory(ended[0])
            try await environment.world.expect(waiting, becomes: .ready, within: .seconds(60))
            try printer.say("the thermometer leaves, and \(ended[0]) is connected again") {
                waiting.state == .ready
            }
        }

        /// Returns the names of the accessories that hold all the connection slots, according to
        /// the error.
        private func refusedHolders(_ central: AccessoryCentral) async throws -> [String] {
            do {
                _ = try await environment.pair(DemoAccessories.thermometer)
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

        func playForgetting() async throws {
            let central = try environment.central
            let strap = try environment.accessory("Strap")
            try await central.forget(strap)
            environment.forget("Strap")
            try printer.say("the strap is forgotten: its link has ended, and its data is removed") {
                !central.accessories.contains { $0.id == strap.id }
                    && environment.store.accessories.count == 2
            }
            try await environment.world.advance(by: .seconds(5))
            let links = await (try environment.live("Strap")).linkCount
            try printer.say("it is in range and advertises, and the phone does not connect") {
                links == 0
            }
        }
    }
#endif
