// SPDX-License-Identifier: Apache-2.0

/// The people, the devices and the faults of a run.
struct BuildingScenario: Sendable {
    /// The loss of one gateway.
    struct Incident: Sendable {
        enum Kind: String, Sendable {
            /// The gateway has no power: its links end without a packet.
            case power = "no power"
            /// The network between the host and the gateway is cut. The gateway itself works.
            case network = "no network"
        }

        let kind: Kind
        /// The beginning, from the start of the walks.
        let at: Duration
        let length: Duration
    }

    /// The number that determines all randomness.
    var seed: UInt64 = 1
    /// The number of people, each with a badge.
    var walkerCount = 5
    /// The number of devices that stay in their rooms.
    var sensorCount = 6
    /// The time for which people walk.
    var duration: Duration = .seconds(600)
    var network = NetworkConditions()
    /// The gateways that are lost. Each incident concerns the gateway with the most links then.
    var incidents = [
        Incident(kind: .power, at: .seconds(200), length: .seconds(60)),
        Incident(kind: .network, at: .seconds(400), length: .seconds(60)),
    ]

    /// The names of the people.
    static let names = [
        "Ada", "Ben", "Cleo", "Dev", "Eva", "Finn", "Gus", "Hana", "Ines", "Jon", "Kim", "Leo",
    ]

    /// Returns the name of the badge of a person.
    func badge(_ number: Int) -> String {
        let names = Self.names
        let round = number / names.count
        return names[number % names.count] + (round == 0 ? "" : " \(round + 1)")
    }
}
