// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import Foundation
    import Lanyard
    import Testing

    /// An app that uses the `Lanyard` module, in real time, with a third-party accessory. The rows
    /// in the names of tests are those of the table in docs/ACCESSORIES.md.
    @Suite(.needsPeers) struct BumbleBoxTests {
        @Test(
            "Rows 1, 2, 3, 4, 5, 12, 16: The central pairs with a box and exchanges messages",
            arguments: ControllerKind.available
        )
        func pairsAndTalks(kind: ControllerKind) async throws {
            try await withBoxFixture(on: kind) { fixture in
                let box = try await fixture.box()
                let central = AccessoryCentral(
                    for: [MessageBox.description],
                    configuration: try fixture.configuration()
                )
                let accessory = try await central.accessory(MessageBox.description)
                #expect(accessory.state == .ready)
                let messages = accessory.messages(
                    writing: MessageBox.inbox,
                    listening: MessageBox.outbox
                )
                try await exchange(over: messages, with: box)
                await central.shutDown()
            }
        }

        @Test("Row 17: Both sides read messages that are sealed by AES-CBC")
        func sealed() async throws {
            let key = [UInt8](0..<16)
            try await withBoxFixture { fixture in
                let digits = key.map { String(format: "%02x", $0) }.joined()
                let box = try await fixture.box(options: ["--key", digits])
                let central = AccessoryCentral(
                    for: [MessageBox.description],
                    configuration: try fixture.configuration()
                )
                let accessory = try await central.accessory(MessageBox.description)
                let sealing = CBCSealing(key: try SealingKey(Data(key)))
                let messages = accessory.messages(
                    writing: MessageBox.inbox,
                    listening: MessageBox.outbox,
                    options: MessageChannelOptions(sealing: sealing)
                )
                try await exchange(over: messages, with: box)
                await central.shutDown()
            }
        }

        @Test("Row 16: The channel subscribes again to a box that refuses all messages")
        func refuses() async throws {
            try await withBoxFixture { fixture in
                let box = try await fixture.box()
                let central = AccessoryCentral(
                    for: [MessageBox.description],
                    configuration: try fixture.configuration()
                )
                let accessory = try await central.accessory(MessageBox.description)
                let messages = accessory.messages(
                    writing: MessageBox.inbox,
                    listening: MessageBox.outbox
                )
                #expect(try await echoed(by: messages) == "hello")
                try await box.client.perform("refuse")
                var refusals = 0
                while refusals < 10 {
                    do throws(MessageError) {
                        let answer = try await echoed(by: messages)
                        #expect(answer == "hello")
                        break
                    } catch .notSent {
                        refusals += 1
                    }
                    try await accessory.untilReady()
                }
                #expect(refusals == 3)
                await central.shutDown()
            }
        }

        private func echoed(by messages: MessageChannel) async throws(MessageError) -> String {
            try await messages.request(
                "hello",
                expecting: String.self,
                timeout: BoxFixture.limit
            )
        }

        /// Exchanges requests and messages in both directions, one of them longer than any packet.
        private func exchange(over messages: MessageChannel, with box: MessageBox) async throws {
            let received = messages.messages(of: String.self)
            let long = String(repeating: "é🎧 ", count: 300)
            for text in ["Hello", "", long] {
                let answer = try await messages.request(
                    text,
                    expecting: String.self,
                    timeout: BoxFixture.limit
                )
                #expect(answer == text)
            }
            await #expect(throws: MessageError.self) {
                try await messages.request("refuse", expecting: String.self)
            }
            try await messages.send("back to me")
            try await box.send("news")
            let first = try await within(BoxFixture.limit, "two messages") {
                var texts: [String] = []
                for await text in received {
                    texts.append(text)
                    if texts.count == 2 { return texts }
                }
                return texts
            }
            #expect(Set(first) == ["back to me", "news"])
            let service = messages.answer(String.self) { "You said \($0)" }
            let answer = try await box.ask("hi")
            #expect(answer["answer"].text == "You said hi", "\(answer)")
            service.cancel()
        }

        @Test(
            "Rows 3, 8, 22: A restarted box becomes ready with and without system reconnection",
            arguments: [SystemReconnect.whereAvailable, .never]
        )
        func comesBack(reconnect: SystemReconnect) async throws {
            try await withBoxFixture { fixture in
                let box = try await fixture.box()
                var description = MessageBox.description
                description.systemReconnect = reconnect
                let central = AccessoryCentral(
                    for: [description],
                    configuration: try fixture.configuration()
                )
                let accessory = try await central.accessory(description)
                let messages = accessory.messages(
                    writing: MessageBox.inbox,
                    listening: MessageBox.outbox
                )
                let changes = accessory.changes
                try await fixture.reach(.ready, in: changes)
                box.client.process.kill()
                let reason = try await fixture.reach(.outOfRange, in: changes)
                #expect(isLeftToSystem(reason) == (reconnect == .whereAvailable), "\(reason)")
                await #expect(throws: MessageError.self) { try await messages.send("lost") }

                let again = try await fixture.box()
                try await fixture.reach(.ready, in: changes)
                try await again.send("back")
                let answer = try await messages.request(
                    "again",
                    expecting: String.self,
                    timeout: BoxFixture.limit
                )
                #expect(answer == "again")
                await central.shutDown()
            }
        }

        private func isLeftToSystem(_ reason: ChangeReason) -> Bool {
            guard case .systemReconnects = reason else { return false }
            return true
        }

        @Test("Row 12: A box that lost its bond is reported and is not ready")
        func lostBond() async throws {
            try await withBoxFixture { fixture in
                let box = try await fixture.box()
                let central = AccessoryCentral(
                    for: [MessageBox.description],
                    configuration: try fixture.configuration()
                )
                let accessory = try await central.accessory(MessageBox.description)
                let changes = accessory.changes
                try await fixture.reach(.ready, in: changes)
                try await box.forget()
                let reason = try await within(BoxFixture.limit, "the loss") {
                    for await change in changes {
                        switch change.reason {
                        case .notPaired(let failure), .resting(.failed(let failure)),
                            .abandoned(let failure):
                            return failure
                        default: #expect(change.number == 0 || change.state != .ready)
                        }
                    }
                    throw ProcessError.tooSlow("the loss")
                }
                #expect(reason.kind == .unpaired, "\(reason)")
                #expect(accessory.state != .ready)
                await central.shutDown()
            }
        }

        @Test("Row 6: The store does not contain a forgotten box")
        func forgets() async throws {
            try await withBoxFixture { fixture in
                _ = try await fixture.box()
                let configuration = try fixture.configuration()
                let central = AccessoryCentral(
                    for: [MessageBox.description],
                    configuration: configuration
                )
                let accessory = try await central.accessory(MessageBox.description)
                #expect(try configuration.store?.load().accessories.count == 1)
                try await central.forget(accessory)
                #expect(central.accessories.isEmpty)
                #expect(try configuration.store?.load().accessories.isEmpty == true)
                await central.shutDown()
            }
        }
    }

    /// A Bumble central with an `AccessoryPeripheral`.
    @Suite(.needsPeers) struct BumbleCentralTests {
        @Test("Rows 16, 18: The message box answers and notifies a Bumble central")
        func servesCentral() async throws {
            try await withBoxFixture { fixture in
                let client = try await fixture.client()
                var configuration = AccessoryPeripheral.Configuration()
                configuration.adapter = try fixture.adapter()
                let peripheral = AccessoryPeripheral(
                    PublishedAccessory(
                        name: "Box",
                        services: [
                            .messages(
                                MessageBox.service,
                                inbox: MessageBox.inbox,
                                outbox: MessageBox.outbox
                            )
                        ]
                    ),
                    configuration: configuration
                )
                let channels = peripheral.channels
                try await client.perform("connect", ["name": .string("Box")])
                try await client.perform("enter")
                let channel = try await within(BoxFixture.limit, "a channel") {
                    for await channel in channels { return channel }
                    throw ProcessError.tooSlow("a channel")
                }
                let service = channel.answer(String.self) { "You said \($0)" }
                let long = String(repeating: "x", count: 2_000)
                for text in ["hello", long] {
                    let answer = try await client.perform("ask", ["message": .string(text)])
                    #expect(answer["answer"].text == "You said \(text)")
                }
                let asked = try await channel.request(
                    "who?",
                    expecting: String.self,
                    timeout: BoxFixture.limit
                )
                #expect(asked == "who?")
                try await channel.send("news")
                #expect(try await client.perform("receive").text == "news")
                service.cancel()
            }
        }
    }
#endif
