// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("The first connection", .eachSystem)
struct FirstVisitTests {
    @Test("Row 5: At the first connection, an accessory is paired, read and subscribed to")
    func visit() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            #expect(strap.state == .ready)
            #expect(strap.name == "Strap 0")
            #expect(try await strap.read("2A38") == Data([1]))
            var values = try strap.values(of: "2A37").makeAsyncIterator()
            #expect(await values.next() != nil)
            #expect(await values.next() != nil)
            #expect(central.accessories.map(\.id) == [strap.id])
            await central.shutDown()
        }
    }
}
