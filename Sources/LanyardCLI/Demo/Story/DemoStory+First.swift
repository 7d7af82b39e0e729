// SPDX-License-Identifier: Apache-2.0

#if canImport(LanyardTesting)
    import BluetoothTypes
    import Foundation
    import Lanyard
    import LanyardTesting

    // Pairing, messages, a walk.
    extension DemoStory {
        // MARK: Pairing

        func tellOfPairing() async throws {
            let central = stage.beginApplication()
            try teller.check(
                central.accessories.isEmpty,
                "an accessory is known at the first launch"
            )
            let strap = try await stage.pair(DemoKinds.strap)
            try teller.say("the strap is ready: bonded, and what it protects can be read") {
                strap.state == .ready && stage.person.shown.count == 1
            }
            let place = try await strap.read("2A38")
            try teller.say("where it is worn: \(Self.text(place, of: 0x2A38))") {
                place == Data([1])
            }
            let lamp = try await stage.pair(DemoKinds.lamp)
            try teller.say("the lamp is ready, and wants no pairing") {
                lamp.state == .ready && central.accessories.count == 2
            }
        }

        // MARK: Messages

        func tellOfMessages() async throws {
            let strap = try stage.accessory("Strap")
            let lamp = try stage.accessory("Lamp")
            var options = MessageChannelOptions()
            options.form = .plain
            let channel = lamp.messages(
                writing: DemoKinds.lampInput,
                listening: DemoKinds.lampOutput,
                options: options
            )
            for level in [30, 85] {
                let answer = try await channel.request(
                    DemoKinds.Order(dim: level),
                    expecting: DemoKinds.Brightness.self
                )
                try teller.say(
                    #"to the lamp {"dim":\#(level)}, from the lamp {"brightness":\#(level)}"#
                ) {
                    answer.brightness == level
                }
            }
            try await hearButton(of: channel)
            for await value in strap.values(of: "2A37").prefix(2) {
                let text = Self.text(value, of: 0x2A37)
                try teller.say("from the strap, unasked: \(text)") { value.count == 2 }
            }
        }

        private static func text(_ value: Data, of characteristic: UInt16) -> String {
            ValueText.describe(Array(value), ofCharacteristic: BluetoothUUID(characteristic))
        }

        /// The lamp speaks first.
        private func hearButton(of channel: MessageChannel) async throws {
            var presses = channel.messages(of: DemoKinds.Pressed.self).makeAsyncIterator()
            stage.note("its button is pressed", of: "Lamp")
            let message = [0x02] + Array(#"{"pressed":"twice"}"#.utf8) + [0x03]
            try stage.live("Lamp").notify(message, on: DemoKinds.lampOutput)
            let press = await presses.next()
            try teller.say("from the lamp, unasked: its button was pressed twice") {
                press?.pressed == "twice"
            }
        }

        // MARK: A walk

        func tellOfAWalk() async throws {
            let strap = try stage.accessory("Strap")
            let live = try stage.live("Strap")
            stage.note("is carried away", of: "Strap")
            live.walk(to: .outOfRange, over: .seconds(30))
            try await stage.world.expect(strap, becomes: .outOfRange, within: .seconds(60))
            try teller.say("the strap is carried away, and its link is lost: it is waited for") {
                if case .idle = strap.state { false } else { strap.state != .ready }
            }
            try await stage.world.advance(by: .seconds(20))
            try teller.say("twenty seconds later it is still waited for: no time-out, no polling") {
                strap.state == .outOfRange
            }
            stage.note("comes back", of: "Strap")
            live.comeBack(over: .seconds(10))
            try await stage.world.expect(strap, becomes: .ready, within: .seconds(60))
            try teller.say("it comes back, and is ready: nobody had to do anything") {
                strap.state == .ready && stage.person.shown.count == 1
            }
        }
    }
#endif
