// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// All radios of a world and what is between them: tells who hears whom, and how loud.
///
/// A world asks this for every packet at every receiver. What cannot change between two packets,
/// because neither radio moves and shadowing stands still, is therefore worked out once and
/// remembered, until something is set.
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
    package var pathLoss: PathLoss { didSet { known.forget() } }
    /// What walls add to that, or take from it.
    package var shadowing: Shadowing { didSet { known.forget() } }

    private let seed: WorldSeed
    /// By the radio's number.
    private var stations: [Station?] = []
    private var known = KnownPowers()
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
    package private(set) var stationCount = 0

    /// The radio of that name, or nil. Setting it changes what is there already; use `place` for a
    /// new one. Setting nil takes it away, with every explicit loss it had.
    package subscript(radio: RadioID) -> Station? {
        get { stations.indices.contains(radio.index) ? stations[radio.index] : nil }
        set {
            guard self[radio] != nil else { return }
            guard let newValue else { return remove(radio) }
            stations[radio.index] = newValue
            known.forget()
        }
    }

    /// How well the radio hears; nil if there is none of that name.
    func reception(of radio: RadioID) -> Reception? {
        stations.indices.contains(radio.index) ? stations[radio.index]?.reception : nil
    }

    /// Puts a radio into the world, or replaces the one of that name. False, and nothing happens,
    /// if its number is not below `stationLimit`.
    @discardableResult
    package mutating func place(_ station: Station, as radio: RadioID) -> Bool {
        guard radio.rawValue < Self.stationLimit else { return false }
        let missing = radio.index + 1 - stations.count
        if missing > 0 { stations.append(contentsOf: repeatElement(nil, count: missing)) }
        if stations[radio.index] == nil { stationCount += 1 }
        stations[radio.index] = station
        known.forget()
        return true
    }

    /// Fixes the loss between two radios, in decibels and both ways, whatever their positions, and
    /// without shadowing. Nil makes it follow from the positions again. Of radios that are not in
    /// the world nothing is remembered.
    package mutating func setLoss(_ decibels: Double?, between one: RadioID, and other: RadioID) {
        guard self[one] != nil, self[other] != nil else { return }
        explicitLosses[RadioPair(one, other)] = decibels
        known.forget()
    }

    /// Puts a wall between two groups that no signal passes. Between a group and itself, none of
    /// its radios hear each other.
    package mutating func separate(group: Int, from other: Int) {
        separations.insert(GroupPair(group, other))
        known.forget()
    }

    /// Takes the wall between two groups away.
    package mutating func join(group: Int, with other: Int) {
        separations.remove(GroupPair(group, other))
        known.forget()
    }

    /// The power with which a signal of one radio arrives at another at the instant. Nil if none
    /// arrives: one of the two is off or not there, they are one and the same, or a wall is between
    /// their groups.
    package mutating func power(
        from sender: RadioID,
        to receiver: RadioID,
        at instant: Instant
    ) -> ReceivedPower? {
        if let power = known[sender, receiver] { return power.isHeard ? power : nil }
        let decibels = decibels(from: sender, to: receiver, at: instant)
        let power = decibels.map(ReceivedPower.init(decibels:)) ?? .nothing
        if isLasting(sender, receiver) {
            known.remember(power, from: sender, to: receiver, stationCount: stations.count)
        }
        return power.isHeard ? power : nil
    }

    private func decibels(
        from sender: RadioID,
        to receiver: RadioID,
        at instant: Instant
    ) -> Double? {
        guard sender != receiver, let source = self[sender], let ear = self[receiver],
            source.isOn, ear.isOn, !isSeparated(source.group, ear.group)
        else { return nil }
        let pair = RadioPair(sender, receiver)
        if let loss = explicitLosses[pair] { return source.transmitPower - loss }
        let distance = source.path.position(at: instant)
            .distance(to: ear.path.position(at: instant))
        return source.transmitPower - pathLoss.decibels(distance: distance)
            + shadowing.gain(of: pair, at: instant, seed: seed)
    }

    /// Whether what is true between the two now is true until something is set.
    private func isLasting(_ sender: RadioID, _ receiver: RadioID) -> Bool {
        guard let source = self[sender], let ear = self[receiver] else { return false }
        let isSteady = shadowing.deviation <= 0 || shadowing.period == nil
        return isSteady && source.path.isStill && ear.path.isStill
    }

    /// The probability that a packet arrives whole, as far as signal strength goes: 0 where
    /// `power(from:to:at:)` is nil.
    package mutating func receptionProbability(
        from sender: RadioID,
        to receiver: RadioID,
        at instant: Instant,
        pduLength: Int,
        modulation: Modulation
    ) -> Double {
        guard let power = power(from: sender, to: receiver, at: instant),
            let ear = self[receiver]?.reception
        else { return 0 }
        return ear.probability(
            power: power.decibels,
            pduLength: pduLength,
            modulation: modulation
        )
    }

    private func isSeparated(_ one: Int, _ other: Int) -> Bool {
        !separations.isEmpty && separations.contains(GroupPair(one, other))
    }

    private mutating func remove(_ radio: RadioID) {
        stations[radio.index] = nil
        stationCount -= 1
        known.forget()
        explicitLosses = explicitLosses.filter { $0.key.lower != radio && $0.key.higher != radio }
    }
}
