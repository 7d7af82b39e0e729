// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport

/// A world and the faults that happen in it, as a value that can be stored, reduced and run again.
///
/// The seed determines everything that the scenario does not contain.
struct SwarmScenario: Codable, Hashable, Sendable {
    var seed: UInt64
    /// The number of accessories of the app, at least 1.
    var straps: Int
    /// The number of the app's connection slots; `nil` for the default.
    var slots: Int?
    /// The number of radios of the app's composite adapter. With 0, the app uses the phone's
    /// controller.
    var rooms: Int
    /// Whether the accessories require pairing.
    var isProtected: Bool
    /// The number of clients of the gateway; zero for no gateway.
    var clients: Int
    var steps: [Step]

    /// A fault, and the pause after it.
    struct Step: Codable, Hashable, Sendable {
        var fault: SwarmFault
        /// The number of the affected device, modulo the number of devices that can have the fault.
        var target: Int
        /// The extent of the fault, from 0 to 1.
        var amount: Double
        /// The pause in milliseconds.
        var pause: Int
    }

    /// Creates the scenario of a seed.
    init(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        self.seed = seed
        straps = Int.random(in: 1...3, using: &generator)
        slots = generator.happens(oneIn: 3) ? Int.random(in: 1...straps, using: &generator) : nil
        rooms = generator.happens(oneIn: 3) ? Int.random(in: 2...3, using: &generator) : 0
        isProtected = rooms > 0 || generator.happens(oneIn: 2)
        clients = generator.happens(oneIn: 2) ? Int.random(in: 1...3, using: &generator) : 0
        // The pause between faults is often shorter than a procedure.
        let longest = [300, 3_000, 12_000].randomElement(using: &generator) ?? 3_000
        steps = []
        for _ in 0..<Int.random(in: 4...24, using: &generator) {
            steps.append(
                Step(
                    fault: SwarmFault.allCases.randomElement(using: &generator) ?? .nothing,
                    target: Int.random(in: 0..<6, using: &generator),
                    amount: Double(Int.random(in: 0...100, using: &generator)) / 100,
                    pause: Int.random(in: 1...longest, using: &generator)
                )
            )
        }
    }
}

/// The faults that happen to the devices of a world.
enum SwarmFault: String, Codable, CaseIterable, Sendable {
    // An accessory.
    case walkAway, comeBack, stepAside, reboot, switchOff, switchOn, dropLink, disturbAccessory
    // The app and its radios.
    case disturbRadio, powerCycle, restartController, hangController, slowWire, restartApp
    case disconnect, connect, loseRadio, regainRadio
    // The gateway and its clients.
    case dropClients, notifyClients, changeTable, restartGateway, disturbGateway
    case restartClient, disturbClient
    // A wall between the clients and all other devices.
    case separate, join
    case nothing
}
