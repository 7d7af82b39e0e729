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
    world.add(.strap, at: .meters(2))
    try await world.run {
        let model = await PulseModel(configuration: world.phone.configuration)
        try await model.begin()
        try await world.expect("the pulse is shown", within: .seconds(5)) {
            await model.rate == 61
        }
    }
}
