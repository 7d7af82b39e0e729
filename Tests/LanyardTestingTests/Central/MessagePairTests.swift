// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("Messages over characteristics", .eachSystem)
struct MessagePairTests {
    private struct Question: Codable, Sendable { var text: String }

    @Test(
        "Messages travel in both directions, even after the link was lost",
        arguments: [WriteKind.withResponse, .withoutResponse]
    )
    func echo(_ kind: WriteKind) async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(600)) {
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            let channel = strap.messages(writing: "1B01", listening: "1B01", as: kind)
            var answers = channel.messages(of: Question.self).makeAsyncIterator()
            let long = String(repeating: "long ", count: 300)
            for text in ["first", long, "last"] {
                try await channel.send(Question(text: text))
                #expect(await answers.next()?.text == text)
            }
            let changes = strap.changes
            fixture.straps[0].dropLink()
            for await change in changes where change.state != .ready { break }
            try await strap.untilReady()
            try await channel.send(Question(text: "again"))
            #expect(await answers.next()?.text == "again")
            await central.shutDown()
        }
    }
}
