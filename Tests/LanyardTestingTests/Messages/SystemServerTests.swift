// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("A server of the system", .eachSystem)
struct SystemServerTests {
    @Test("A value of a characteristic that is not published is reported as not delivered")
    func unpublished() async throws {
        let world = TestWorld(seed: 24)
        try await world.run {
            let queue = DispatchQueue(label: "server")
            let system = world.phone.peripheralConfiguration.system
            let server = system.makeServer(restoring: nil, on: queue)
            let states = ReceivedValues<Availability>()
            queue.sync {
                server.begin {
                    if case .availabilityChanged(let state) = $0 { states.add(state) }
                }
            }
            try await world.expect("Bluetooth is on", within: .seconds(5)) {
                states.values.last == .poweredOn
            }
            let results = ReceivedValues<Bool>()
            let isAccepted = queue.sync {
                server.send(Data([1]), of: "FF23", to: nil) { results.add($0) }
            }
            #expect(isAccepted && results.values == [false])
            queue.sync { server.end() }
        }
    }
}
