// SPDX-License-Identifier: Apache-2.0

import Testing

struct CentralCoreModelTests {
    @Test(
        "5.4 Whatever happens, every wish is answered once and no link is without a user",
        arguments: 1...40
    )
    func randomInputs(seed: UInt64) {
        var world = CoreWorld(seed: seed)
        for _ in 0..<400 { world.step() }
        world.finish()
    }
}
