// SPDX-License-Identifier: Apache-2.0

import LanyardTestSupport

@testable import BluetoothGATT
@testable import PairingHarness
@testable import ServerHarness

/// Runs a server with clients, an application and a clock that the input controls.
func fuzzServer(_ bytes: [UInt8]) {
    guard var world = try? FuzzedServer(random: FuzzInput(bytes)) else {
        fatalError("the services cannot be published")
    }
    while !world.generator.random.isAtEnd { world.step() }
    world.pass(GATTServer.questionLimit)
    world.closeAll()
    require(world.faults.isEmpty, "\(world.faults.first ?? "")")
}

/// Runs two Security Managers. The input drops, repeats, changes and forges PDUs between them.
func fuzzPairing(_ bytes: [UInt8]) {
    var fuzzed = FuzzedPairing(generator: FuzzInput(bytes))
    for _ in 0..<stepLimit where !fuzzed.generator.isAtEnd {
        fuzzed.step()
        require(fuzzed.problems.isEmpty, "\(fuzzed.problems)")
    }
}

/// The number of steps of one run. Each may compute a key agreement, which is slow.
private let stepLimit = 400
