// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// The radios of a world and the attenuation between them, which determines the power of each
/// radio's signal at the others.
///
/// A world needs the power of every packet at every receiver. A power that cannot change between
/// two packets, because neither radio moves and shadowing is constant, is computed once and cached
/// until a setting of the environment or of one of the two radios changes.
package struct RadioEnvironment: Sendable {
    private struct GroupPair: Hashable {
        let lower: Int
        let higher: Int

        init(_ one: Int, _ other: Int) {
            lower = min(one, other)
            higher = max(one, other)
        }
    }

    /// The maximum number of radios in a world.
    package static let stationLimit = 4_096

    /// The path loss between radios without an explicit loss.
    package var pathLoss: PathLoss { didSet { known.forget() } }
    /// The shadowing between radios without an explicit loss.
    package var shadowing: Shadowing { didSet { known.forget() } }

    private let seed: WorldSeed
    /// The stations, by the radio's number.
    private var stations: [Station?] = []
    private var known = ReceivedPowerCache()
    private var explicitLosses: [RadioPair: Double] = [:]
    private var separations: Set<GroupPair> = []

    /// Creates an environment without radios.
    package init(
        seed: WorldSeed,
        pathLoss: PathLoss = .freeSpace,
        shadowing: Shadowing = .none
    ) {
        self.seed = seed
        self.pathLoss = pathLoss
        self.shadowing = shadowing
    }

    /// The number of radios.
    package private(set) var stationCount = 0

    /// The station of the radio; `nil` if there is none. Setting a value changes an existing
    /// station; `place` adds a new one. Setting `nil` removes the station with all its explicit
    /// losses.
    package subscript(radio: RadioID) -> Station? {
        get { stations.indices.contains(radio.index) ? stations[radio.index] : nil }
        set {
            guard self[radio] != nil else { return }
            guard let newValue else { return remove(radio) }
            stations[radio.index] = newValue
            known.forget(radio)
        }
    }

    /// Returns the sensitivity of the radio; `nil` if there is no such radio.
    func reception(of radio: RadioID) -> Reception? {
        stations.indices.contains(radio.index) ? stations[radio.index]?.reception : nil
    }

    /// Adds a radio, or replaces the station of an existing one.
    ///
    /// - Returns: `false`, without any change, if the radio's number is not below `stationLimit`.
    @discardableResult
    package mutating func place(_ station: Station, as radio: RadioID) -> Bool {
        guard radio.rawValue < Self.stationLimit else { return false }
        let missing = radio.index + 1 - stations.count
        if missing > 0 { stations.append(contentsOf: repeatElement(nil, count: missing)) }
        if stations[radio.index] == nil { stationCount += 1 }
        stations[radio.index] = station
        known.forget(radio)
        return true
    }

    /// Fixes the loss between two radios, in decibels in both directions, whatever their positions
    /// and without shadowing. `nil` makes the loss follow from the positions again. Does nothing
    /// unless both radios are in the world.
    package mutating func setLoss(_ decibels: Double?, between one: RadioID, and other: RadioID) {
        guard self[one] != nil, self[other] != nil else { return }
        explicitLosses[RadioPair(one, other)] = decibels
        known.forget(one)
    }

    /// Blocks all signals between two groups. If both are the same group, its radios do not receive
    /// each other.
    package mutating func separate(group: Int, from other: Int) {
        separations.insert(GroupPair(group, other))
        known.forget()
    }

    /// Removes the block between two groups.
    package mutating func join(group: Int, with other: Int) {
        separations.remove(GroupPair(group, other))
        known.forget()
    }

    /// Returns the power of one radio's signal at another at the instant.
    ///
    /// - Returns: The power; `nil` if no signal arrives because one of the two is off or does not
    ///   exist, they are the same radio, or their groups are separated.
    package mutating func power(
        from sender: RadioID,
        to receiver: RadioID,
        at instant: Instant
    ) -> ReceivedPower? {
        if let power = known[sender, receiver] { return power.isReceived ? power : nil }
        let decibels = decibels(from: sender, to: receiver, at: instant)
        let power = decibels.map(ReceivedPower.init(decibels:)) ?? .nothing
        if isConstant(sender, receiver, from: instant) {
            known.remember(power, from: sender, to: receiver, stationCount: stations.count)
        }
        return power.isReceived ? power : nil
    }

    private func decibels(
        from sender: RadioID,
        to receiver: RadioID,
        at instant: Instant
    ) -> Double? {
        guard sender != receiver, let source = self[sender], let destination = self[receiver],
            source.isOn, destination.isOn, !isSeparated(source.group, destination.group)
        else { return nil }
        let pair = RadioPair(sender, receiver)
        if let loss = explicitLosses[pair] { return source.transmitPower - loss }
        let distance = source.path.position(at: instant)
            .distance(to: destination.path.position(at: instant))
        let power =
            source.transmitPower - pathLoss.decibels(distance: distance)
            + shadowing.gain(of: pair, at: instant, seed: seed)
        // The gain of shadowing must not make the power higher than the transmit power.
        return min(source.transmitPower, power)
    }

    /// Returns whether the power between the two stays the same from the instant on, until a
    /// setting changes.
    private func isConstant(
        _ sender: RadioID,
        _ receiver: RadioID,
        from instant: Instant
    ) -> Bool {
        guard let source = self[sender], let destination = self[receiver] else { return false }
        let isSteady = shadowing.deviation <= 0 || shadowing.period == nil
        return isSteady && source.path.isStill(from: instant)
            && destination.path.isStill(from: instant)
    }

    private func isSeparated(_ one: Int, _ other: Int) -> Bool {
        !separations.isEmpty && separations.contains(GroupPair(one, other))
    }

    private mutating func remove(_ radio: RadioID) {
        stations[radio.index] = nil
        stationCount -= 1
        known.forget(radio)
        explicitLosses = explicitLosses.filter { $0.key.lower != radio && $0.key.higher != radio }
    }
}
