// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import Testing
import VirtualRadio

@testable import LanyardTesting

/// An accessory that is ready, and then refuses messages while the link is up.
@Suite("Accessories that refuse messages", .eachSystem)
struct RefusingAccessoryTests {
    private struct RefusalHarness: Sendable {
        let world: TestWorld
        let gate: RefusalGate
        let recorder = FlightRecorder()

        init(seed: UInt64, code: UInt8) throws {
            let gate = RefusalGate(code: code)
            self.gate = gate
            world = TestWorld(seed: seed)
            let box = VirtualAccessory(
                "Box",
                services: [
                    VirtualService(
                        Box.service,
                        [.writable(Box.inbox) { gate.react($0) }, .notifying(Box.outbox)]
                    )
                ]
            )
            _ = try world.air.world.addController(
                ControllerConfiguration(name: box.name, at: Position(x: 2, y: 0)),
                host: RefusingAccessory(box.profile(noting: WriteRecord()), gate)
            )
        }

        /// Returns a box that has answered once.
        func open() async throws -> (Accessory, MessageChannel) {
            let recorder = recorder
            let central = world.phone.launch {
                var configuration = $0
                configuration.recorder = recorder
                return AccessoryCentral(for: [Box.description], configuration: configuration)
            }
            let box = try await central.pair(Box.description)
            // Each message is echoed, so the next number is the answer.
            var options = MessageChannelOptions()
            options.form = .plain
            let messages = box.boxMessages(options)
            #expect(try await messages.request(0, expecting: Int.self) == 0)
            return (box, messages)
        }
    }

    @Test(
        "Row 16: The library renews the subscription, then the services, then the link",
        arguments: [3, 6, 9],
        [0x03, 0x05, 0x0E] as [UInt8]
    )
    func renewed(refusals: Int, code: UInt8) async throws {
        let harness = try RefusalHarness(seed: 31, code: code)
        try await harness.world.run {
            let (box, messages) = try await harness.open()
            let recorder = harness.recorder
            let discoveries = recorder.count(of: "discoverServices")
            harness.gate.refuse(refusals)
            var refused = 0
            for number in 1...20 {
                try await box.untilReady()
                do throws(MessageError) {
                    let answer = try await messages.request(number, expecting: Int.self)
                    #expect(answer == number)
                    break
                } catch .notSent {
                    refused += 1
                }
            }
            #expect(refused == refusals)
            #expect(recorder.count(of: "setNotifyValue false") == 1)
            // The services are discovered again on another link.
            let expected = [3: 0, 6: 1, 9: 2]
            #expect(recorder.count(of: "discoverServices") - discoveries == expected[refusals])
            #expect(recorder.count(of: "cancelPeripheralConnection") == (refusals > 6 ? 1 : 0))
            #expect(box.state == .ready)
        }
    }

    @Test(
        "If the accessory refuses a write of the renewal as well, the link is made again",
        arguments: [0x05, 0x08] as [UInt8],
        [0x00, 0x01] as [UInt8]
    )
    func refusedRenewal(code: UInt8, subscriptionWrite: UInt8) async throws {
        let harness = try RefusalHarness(seed: 34, code: code)
        try await harness.world.run {
            let (box, messages) = try await harness.open()
            harness.gate.refuse(3)
            harness.gate.refuse(subscriptionWrite: subscriptionWrite)
            for number in 1...3 {
                try await box.untilReady()
                await #expect(throws: MessageError.self) {
                    _ = try await messages.request(number, expecting: Int.self)
                }
            }
            try await box.untilReady()
            #expect(try await messages.request(4, expecting: Int.self) == 4)
            #expect(messages.statistics.links == 2)
            let recorder = harness.recorder
            #expect(recorder.count(of: "setNotifyValue false") == 1)
            // There are three subscriptions: on the first link, in the renewal, and on the second
            // link. If the renewal cannot end the first one, it does not subscribe again.
            let begun = subscriptionWrite == 0 ? 2 : 3
            #expect(recorder.count(of: "setNotifyValue true") == begun)
            #expect(recorder.count(of: "cancelPeripheralConnection") == 1)
            #expect(box.state == .ready)
        }
    }

    @Test("An unsuccessful renewal is repeated after five minutes at the earliest")
    func forEver() async throws {
        let harness = try RefusalHarness(seed: 32, code: 0x03)
        try await harness.world.run {
            let (box, messages) = try await harness.open()
            harness.gate.refuse(.max)
            let start = harness.world.now
            while harness.world.now - start < .seconds(1_000) {
                try await box.untilReady()
                await #expect(throws: MessageError.self) {
                    _ = try await messages.request(1, expecting: Int.self)
                }
                try await harness.world.advance(by: .seconds(5))
            }
            let recorder = harness.recorder
            #expect((3...4).contains(recorder.count(of: "setNotifyValue false")))
            #expect((3...4).contains(recorder.count(of: "cancelPeripheralConnection")))
            #expect(box.state == .ready)
        }
    }

    @Test("Refusals with an application error cause no renewal")
    func ofTheApplication() async throws {
        let harness = try RefusalHarness(seed: 33, code: 0x80)
        try await harness.world.run {
            let (box, messages) = try await harness.open()
            harness.gate.refuse(20)
            for number in 1...20 {
                await #expect(throws: MessageError.self) {
                    _ = try await messages.request(number, expecting: Int.self)
                }
            }
            #expect(harness.recorder.count(of: "setNotifyValue false") == 0)
            #expect(messages.statistics.links == 1)
            #expect(box.state == .ready)
        }
    }
}
