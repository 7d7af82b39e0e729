// SPDX-License-Identifier: Apache-2.0

import LanyardTestSupport
import Testing

struct CentralCoreModelTests {
    @Test(
        "5.4 With random input, no request is answered twice, and each link of ours has a user",
        arguments: RunSeed.seeds(40)
    )
    func randomInputs(seed: UInt64) {
        var world = CoreWorld(seed: seed)
        for _ in 0..<400 { world.step() }
        world.finish()
    }
}
