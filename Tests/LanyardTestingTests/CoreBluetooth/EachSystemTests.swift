// SPDX-License-Identifier: Apache-2.0

import Lanyard
import LanyardTesting
import Testing

@Suite("Tests on each system")
struct EachSystemTests {
    @Test("The trait runs a test on the port and then on CoreBluetooth, even in its tasks")
    func both() async throws {
        let systems = ReceivedValues<String>()
        let test = try #require(Test.current)
        try await EachSystem()
            .provideScope(for: test, testCase: nil) {
                let world = TestWorld(seed: 1)
                try await world.run {
                    systems.add("\(type(of: world.phone.configuration.system))")
                    let inner = Task { "\(type(of: world.phone.peripheralConfiguration.system))" }
                    systems.add(await inner.value)
                }
            }
        let port = ["PortSystem", "PortSystem"]
        #expect(systems.values == port + ["CoreBluetoothSystem", "CoreBluetoothSystem"])
    }
}
