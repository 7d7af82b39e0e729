// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

@testable import ExampleKiosk

@MainActor
@Suite("The kiosk")
struct KioskTests {
    @Test("A tapped badge is paired, answers a sealed note, and is known after a relaunch")
    func relaunch() async throws {
        let world = TestWorld(seed: 3)
        let badges = try (1...2).map { world.add(try .badge($0), at: .meters(Double($0))) }
        let sealing = try AuthenticatedCBCSealing.ofKiosk()
        try await world.run {
            let first = world.phone.launch {
                Kiosk(sealing: sealing, configuration: $0)
            }
            let search = Task { await first.nearby.search() }
            try await world.expect("both badges are listed", within: .seconds(5)) {
                Set(first.nearby.devices.map(\.name)) == ["Badge 1", "Badge 2"]
            }
            let second = first.nearby.devices.first { $0.name == "Badge 2" }
            await first.tap(try #require(second))
            #expect(first.screen.problem == nil)
            let badge = try #require(first.screen.accessories.first)
            #expect(badge.name == "Badge 2" && badge.isReady)
            await first.send("Hello", to: badge)
            #expect(first.answers[badge.id] == "Badge 2 read Hello")
            // The written bytes do not contain the text of the note.
            let written = badges[1].written(to: "4C414E59-4152-4400-A000-000000001F01")
            #expect(!written.isEmpty)
            #expect(written.allSatisfy { $0.range(of: Data("Hello".utf8)) == nil })
            search.cancel()
            await search.value
            #expect(first.nearby.devices.isEmpty)
            await world.phone.endApp()

            let again = world.phone.launch {
                Kiosk(sealing: sealing, configuration: $0)
            }
            #expect(again.screen.accessories.map(\.id) == [badge.id])
            await again.send("Again", to: try #require(again.screen.accessories.first))
            #expect(again.answers[badge.id] == "Badge 2 read Again")
        }
    }

    @Test("Five badges share three links, and each answers")
    func fiveBadges() async throws {
        let world = TestWorld(seed: 5)
        for number in 1...5 { world.add(try .badge(number), at: .meters(Double(number))) }
        let sealing = try AuthenticatedCBCSealing.ofKiosk()
        try await world.run {
            let kiosk = world.phone.launch { configuration in
                var configuration = configuration
                configuration.connectionLimit = .fixed(3)
                // After the pairings, the badges take turns in these time slices.
                configuration.policy = StandardConnectionPolicy(
                    timeSlice: StandardConnectionPolicy.minimumTimeSlice
                )
                return Kiosk(sealing: sealing, configuration: configuration)
            }
            let search = Task { await kiosk.nearby.search() }
            try await world.expect("all are listed", within: .seconds(10)) {
                kiosk.nearby.devices.count == 5
            }
            for (index, device) in kiosk.nearby.devices.enumerated() {
                await kiosk.tap(device)
                #expect(kiosk.screen.problem == nil)
                #expect(kiosk.screen.accessories.count == index + 1)
            }
            for badge in kiosk.screen.accessories {
                await kiosk.send("Hi", to: badge)
                #expect(kiosk.screen.problem == nil)
                #expect(kiosk.screen.slots.holders.count <= 3)
            }
            #expect(Set(kiosk.answers.values) == Set((1...5).map { "Badge \($0) read Hi" }))
            search.cancel()
        }
    }

    @Test("A badge whose address changes stays one badge in the list and after pairing")
    func rotatingAddress() async throws {
        let world = TestWorld(seed: 7)
        let badge = world.add(
            try .badge(1).with { $0.address = .rotating(every: .seconds(60)) }
        )
        let sealing = try AuthenticatedCBCSealing.ofKiosk()
        try await world.run {
            let kiosk = world.phone.launch {
                Kiosk(sealing: sealing, configuration: $0)
            }
            let search = Task { await kiosk.nearby.search() }
            try await world.expect("it is listed", within: .seconds(5)) {
                kiosk.nearby.devices.count == 1
            }
            try await world.advance(by: .seconds(300))
            #expect(kiosk.nearby.devices.count == 1)
            await kiosk.tap(try #require(kiosk.nearby.devices.first))
            #expect(kiosk.screen.problem == nil)
            let model = try #require(kiosk.screen.accessories.first)
            for round in 1...3 {
                badge.walk(to: .outOfRange)
                try await world.expect("the loss is shown", within: .seconds(60)) {
                    !model.isReady
                }
                try await world.advance(by: .seconds(120))
                badge.comeBack()
                await kiosk.send("Round \(round)", to: model)
                #expect(kiosk.answers[model.id] == "Badge 1 read Round \(round)")
            }
            #expect(kiosk.screen.accessories.count == 1)
            search.cancel()
        }
    }
}

extension AuthenticatedCBCSealing {
    fileprivate static func ofKiosk() throws -> AuthenticatedCBCSealing {
        try AuthenticatedCBCSealing(
            encryption: SealingKey(Data(0..<16)),
            authentication: SealingKey(Data(16..<32))
        )
    }
}

/// A request of a message channel, with its number.
private struct RequestEnvelope: Decodable {
    var ask: Note
    var id: Int
}

/// The answer to a request, with the number of the request.
private struct AnswerEnvelope: Encodable {
    var answer: Note
    var id: Int
}

extension VirtualAccessory {
    /// Returns a badge that answers sealed notes, and has its number in the manufacturer data.
    fileprivate static func badge(_ number: Int) throws -> VirtualAccessory {
        let sealing = try AuthenticatedCBCSealing.ofKiosk()
        return VirtualAccessory(
            "Badge \(number)",
            services: [
                .messages(
                    Badge.service,
                    writing: "4C414E59-4152-4400-A000-000000001F01",
                    notifying: "4C414E59-4152-4400-A000-000000001F02"
                ) { frame in
                    // The framing carries text, so sealed bytes are in Base64.
                    guard let sealed = Data(base64Encoded: frame),
                        let message = try? sealing.open(sealed),
                        let asked = try? JSONDecoder().decode(RequestEnvelope.self, from: message)
                    else { return nil }
                    let note = Note(text: "Badge \(number) read \(asked.ask.text)")
                    let answer = try? JSONEncoder().encode(
                        AnswerEnvelope(answer: note, id: asked.id)
                    )
                    return answer.flatMap { try? sealing.seal($0) }?.base64EncodedData()
                }
            ],
            advertisedServices: [Badge.service],
            manufacturerData: [0xFF, 0xFF, 0, 0, 0, UInt8(number)]
        )
    }
}
