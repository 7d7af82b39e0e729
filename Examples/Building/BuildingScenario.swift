// SPDX-License-Identifier: Apache-2.0

import VirtualRadio

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
    /// The connection interval that each device requests when it is ready, as devices do whose
    /// battery has to last; `nil` for the interval of the host.
    var interval: Duration?
    /// The maximum number of links of each gateway.
    var linkLimit = 20
    /// The losses of gateways. Each one concerns the gateway that has the most links at its
    /// beginning.
    var incidents = [
        Incident(kind: .power, at: .seconds(200), length: .seconds(60)),
        Incident(kind: .network, at: .seconds(400), length: .seconds(60)),
    ]

    /// Replaces the incidents by this number of random ones, one after the other and spread evenly
    /// over the walks.
    mutating func spreadIncidents(_ count: Int) {
        var random = SplitMix64(seed: SplitMix64.mix(seed))
        let interval = duration / max(1, count)
        incidents = (0..<count).map { number in
            let length = min(interval * Double.random(in: 0.1...0.4, using: &random), .seconds(120))
            return Incident(
                kind: Bool.random(using: &random) ? .power : .network,
                at: interval * number + interval * Double.random(in: 0.1...0.5, using: &random),
                length: length
            )
        }
    }

    static let names = [
        "Ada", "Ben", "Cleo", "Dev", "Eva", "Finn", "Gus", "Hana", "Ines", "Jon", "Kim", "Leo",
    ]

    func badge(_ number: Int) -> String {
        let names = Self.names
        let round = number / names.count
        return names[number % names.count] + (round == 0 ? "" : " \(round + 1)")
    }
}
