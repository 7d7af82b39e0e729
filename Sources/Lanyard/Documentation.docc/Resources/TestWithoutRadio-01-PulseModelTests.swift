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
