// SPDX-License-Identifier: Apache-2.0

import Lanyard
import LanyardTesting
import Testing

@testable import PulseKit

extension VirtualAccessory {
    /// A strap that sends a measurement each second.
    static let strap = VirtualAccessory(
        "Strap",
        services: [
            VirtualService(
                "180D",
                [.notifying("2A37", every: .seconds(1)) { beat in [0x06, UInt8(60 + beat % 40)] }]
            )
        ]
    )
}

@Test("The pulse comes back after a walk")
func pulseComesBack() async throws {
    let world = TestWorld(seed: 7)
    let strap = world.add(.strap, at: .meters(2))
    try await world.run {
        let model = await PulseModel(configuration: world.phone.configuration)
        try await model.begin()
        try await world.expect("the pulse is shown", within: .seconds(5)) {
            await model.rate == 61
        }

        strap.walk(to: .outOfRange, over: .seconds(10))
        try await world.expect("the loss is shown", within: .seconds(30)) {
            await !model.isConnected
        }

        try await world.advance(by: .seconds(3600))
        strap.comeBack()
        try await world.expect("the strap is back", within: .seconds(10)) {
            await model.isConnected
        }
    }
}

@Test("The app knows its strap at the next launch")
func strapIsKnown() async throws {
    let world = TestWorld(seed: 8)
    world.add(.strap)
    try await world.run {
        do {
            let first = world.phone.launch { AccessoryCentral(for: [.strap], configuration: $0) }
            _ = try await first.accessory(.strap)
        }
        await world.phone.endApp()

        let second = world.phone.launch { AccessoryCentral(for: [.strap], configuration: $0) }
        let strap = try #require(second.knownAccessory(.strap))
        try await world.expect(strap, becomes: .ready, within: .seconds(20))
    }
}
