// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// All radios of a world and what is between them: tells who hears whom, and how loud.
package struct Surroundings: Sendable {
    private struct GroupPair: Hashable {
        let lower: Int
        let higher: Int

        init(_ one: Int, _ other: Int) {
            lower = min(one, other)
            higher = max(one, other)
        }
    }

    /// How many radios a world may have.
    package static let stationLimit = 4_096

    /// How much a signal fades on its way, where no explicit loss is given.
    package var pathLoss: PathLoss
    /// What walls add to that, or take from it.
    package var shadowing: Shadowing

    private let seed: WorldSeed
    private var stations: [RadioID: Station] = [:]
    private var explicitLosses: [RadioPair: Double] = [:]
    private var separations: Set<GroupPair> = []

    /// An empty world; free space without shadowing, if nothing else is said.
    package init(
        seed: WorldSeed,
        pathLoss: PathLoss = .freeSpace,
        shadowing: Shadowing = .none
    ) {
        self.seed = seed
        self.pathLoss = pathLoss
        self.shadowing = shadowing
    }

    /// How many radios there are.
    package var stationCount: Int { stations.count }

    /// The radio of that name, or nil. Setting it changes what is there already; use `place` for a
    /// new one. Setting nil takes it away, with every explicit loss it had.
    package subscript(radio: RadioID) -> Station? {
        get { stations[radio] }
        set {
            guard let newValue else { return remove(radio) }
            guard stations[radio] != nil else { return }
            stations[radio] = newValue
        }
    }

    /// Puts a radio into the world, or replaces the one of that name. False, and nothing happens,
    /// if there are `stationLimit` already.
    @discardableResult
    package mutating func place(_ station: Station, as radio: RadioID) -> Bool {
        guard stations[radio] != nil || stations.count < Self.stationLimit else { return false }
        stations[radio] = station
        return true
    }

    /// Fixes the loss between two radios, in decibels and both ways, whatever their positions, and
    /// without shadowing. Nil makes it follow from the positions again. Of radios that are not in
    /// the world nothing is remembered.
    package mutating func setLoss(_ decibels: Double?, between one: RadioID, and other: RadioID) {
        guard stations[one] != nil, stations[other] != nil else { return }
        explicitLosses[RadioPair(one, other)] = decibels
    }

    /// Puts a wall between two groups that no signal passes. Between a group and itself, none of
    /// its radios hear each other.
    package mutating func separate(group: Int, from other: Int) {
        separations.insert(GroupPair(group, other))
    }

    /// Takes the wall between two groups away.
    package mutating func join(group: Int, with other: Int) {
        separations.remove(GroupPair(group, other))
    }

    /// The power, in dBm, with which a signal of one radio arrives at another at the instant. Nil
    /// if none arrives: one of the two is off or not there, they are one and the same, or a wall
    /// is between their groups.
    package func power(
        from sender: RadioID,
        to receiver: RadioID,
        at instant: Instant
    ) -> Double? {
        guard sender != receiver, let source = stations[sender], let ear = stations[receiver],
            source.isOn, ear.isOn, !isSeparated(source.group, ear.group)
        else { return nil }
        let pair = RadioPair(sender, receiver)
        if let loss = explicitLosses[pair] { return source.transmitPower - loss }
        let distance = source.path.position(at: instant)
            .distance(to: ear.path.position(at: instant))
        return source.transmitPower - pathLoss.decibels(distance: distance)
            + shadowing.gain(of: pair, at: instant, seed: seed)
    }

    /// The probability that a packet arrives whole, as far as signal strength goes: 0 where
    /// `power(from:to:at:)` is nil.
    package func receptionProbability(
        from sender: RadioID,
        to receiver: RadioID,
        at instant: Instant,
        pduLength: Int,
        modulation: Modulation
    ) -> Double {
        guard let ear = stations[receiver]?.reception,
            let power = power(from: sender, to: receiver, at: instant)
        else { return 0 }
        return ear.probability(power: power, pduLength: pduLength, modulation: modulation)
    }

    private func isSeparated(_ one: Int, _ other: Int) -> Bool {
        !separations.isEmpty && separations.contains(GroupPair(one, other))
    }

    private mutating func remove(_ radio: RadioID) {
        guard stations.removeValue(forKey: radio) != nil else { return }
        explicitLosses = explicitLosses.filter { $0.key.lower != radio && $0.key.higher != radio }
    }
}
