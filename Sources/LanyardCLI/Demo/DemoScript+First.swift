// SPDX-License-Identifier: Apache-2.0

#if canImport(LanyardTesting)
    import BluetoothTypes
    import Foundation
    import Lanyard
    import LanyardTesting

    // The chapters on pairing, messages and range.
    extension DemoScript {
        // MARK: Pairing

        func playPairing() async throws {
            let central = environment.beginApplication()
            try printer.check(
                central.accessories.isEmpty,
                "an accessory exists at the first launch"
            )
            let strap = try await environment.pair(DemoAccessories.strap)
            try printer.say("the strap is ready: it is bonded, and its protected value can be read")
            {
                strap.state == .ready && environment.person.shown.count == 1
            }
            let place = try await strap.read("2A38")
            try printer.say("sensor location: \(Self.text(place, of: 0x2A38))") {
                place == Data([1])
            }
            let lamp = try await environment.pair(DemoAccessories.lamp)
            try printer.say("the lamp is ready, without pairing") {
                lamp.state == .ready && central.accessories.count == 2
            }
        }

        // MARK: Messages

        func playMessages() async throws {
            let strap = try environment.accessory("Strap")
            let lamp = try environment.accessory("Lamp")
            var options = MessageChannelOptions()
            options.form = .plain
            let channel = lamp.messages(
                writing: DemoAccessories.lampInput,
                listening: DemoAccessories.lampOutput,
                options: options
            )
            for level in [30, 85] {
                let answer = try await channel.request(
                    DemoAccessories.DimCommand(dim: level),
                    expecting: DemoAccessories.Brightness.self
                )
                try printer.say(
                    #"to the lamp {"dim":\#(level)}, from the lamp {"brightness":\#(level)}"#
                ) {
                    answer.brightness == level
                }
            }
            try await receiveButton(of: channel)
            for await value in try strap.values(of: "2A37").prefix(2) {
                let text = Self.text(value, of: 0x2A37)
                try printer.say("from the strap: \(text)") { value.count == 2 }
            }
        }

        private static func text(_ value: Data, of characteristic: UInt16) -> String {
            ValueText.describe(Array(value), ofCharacteristic: BluetoothUUID(characteristic))
        }

        /// Receives a message that the lamp sends without a request.
        private func receiveButton(of channel: MessageChannel) async throws {
            var presses = channel.messages(of: DemoAccessories.Pressed.self).makeAsyncIterator()
            environment.note("its button is pressed", of: "Lamp")
            let message = [0x02] + Array(#"{"pressed":"twice"}"#.utf8) + [0x03]
            try environment.live("Lamp").notify(message, on: DemoAccessories.lampOutput)
            let press = await presses.next()
            try printer.say("from the lamp: its button was pressed twice") {
                press?.pressed == "twice"
            }
        }

        // MARK: Range

        func playRange() async throws {
            let strap = try environment.accessory("Strap")
            let live = try environment.live("Strap")
            environment.note("is carried away", of: "Strap")
            live.walk(to: .outOfRange, over: .seconds(30))
            try await environment.world.expect(strap, becomes: .outOfRange, within: .seconds(60))
            try printer.say(
                "the strap goes out of range and its link is lost: the connection request is pending"
            ) {
                if case .idle = strap.state { false } else { strap.state != .ready }
            }
            try await environment.world.advance(by: .seconds(20))
            try printer.say("20 seconds later the request is still pending: no timeout, no polling")
            {
                strap.state == .outOfRange
            }
            environment.note("comes back", of: "Strap")
            live.comeBack(over: .seconds(10))
            try await environment.world.expect(strap, becomes: .ready, within: .seconds(60))
            try printer.say("it comes back and is ready, without any action") {
                strap.state == .ready && environment.person.shown.count == 1
            }
        }
    }
#endif
