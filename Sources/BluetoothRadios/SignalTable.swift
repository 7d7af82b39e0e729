// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A smoothed signal strength in dBm.
package struct Signal: Hashable, Sendable {
    package private(set) var strength: Double
    package private(set) var receivedAt: Instant

    init(_ reading: Int, now: Instant) {
        strength = Double(reading)
        receivedAt = now
    }

    /// Adds a reading. If the signal is no longer fresh, the reading replaces the earlier ones.
    mutating func add(_ reading: Int, _ rules: RadioRules, now: Instant) {
        if isFresh(rules, now: now) {
            strength += (Double(reading) - strength) * rules.smoothing
        } else {
            strength = Double(reading)
        }
        receivedAt = now
    }

    func isFresh(_ rules: RadioRules, now: Instant) -> Bool { now - receivedAt <= rules.freshness }
}

/// The signal of each device on each radio.
///
/// The size of the table is limited. When the new generation is full, it replaces the old one, so
/// that the least recently received devices are removed first.
struct SignalTable: Sendable {
    /// The signals of one device.
    struct Entry: Sendable {
        /// The signals by the number of the radio.
        var signals: [Int: Signal] = [:]
        /// The radio whose advertising reports of the device are passed on.
        var reporter: Int?

        fileprivate mutating func forget(_ radio: Int) {
            signals[radio] = nil
            if reporter == radio { reporter = nil }
        }
    }

    /// The maximum number of devices in a generation.
    static let generationLimit = 2_048

    private var young: [PeerIdentifier: Entry] = [:]
    private var old: [PeerIdentifier: Entry] = [:]

    /// The number of devices in the table.
    var count: Int { young.count + old.count }

    subscript(peer: PeerIdentifier) -> Entry? { young[peer] ?? old[peer] }

    /// Adds a reading of a device by a radio.
    ///
    /// - Returns: Whether this radio receives the device best, so that its report is passed on.
    ///   Another radio becomes the best one if its signal is stronger by `reportMargin`, or if the
    ///   former best radio no longer receives the device.
    mutating func note(
        _ reading: Int,
        of peer: PeerIdentifier,
        by radio: Int,
        _ rules: RadioRules,
        now: Instant
    ) -> Bool {
        change(peer) { entry in
            entry.signals[radio, default: Signal(reading, now: now)].add(reading, rules, now: now)
            guard let reporter = entry.reporter, reporter != radio,
                let best = entry.signals[reporter], best.isFresh(rules, now: now),
                let own = entry.signals[radio],
                own.strength < best.strength + rules.reportMargin
            else {
                entry.reporter = radio
                return true
            }
            return false
        }
    }

    /// Removes the signal of a device on a radio, because the link on that radio was lost.
    mutating func forget(_ peer: PeerIdentifier, on radio: Int) {
        change(peer) { $0.forget(radio) }
    }

    /// Removes the signals of all devices on a radio, because the radio was lost.
    mutating func forget(radio: Int) {
        for peer in young.keys { young[peer]?.forget(radio) }
        for peer in old.keys { old[peer]?.forget(radio) }
    }

    private mutating func change<Value>(
        _ peer: PeerIdentifier,
        _ body: (inout Entry) -> Value
    ) -> Value {
        if young[peer] == nil {
            if young.count >= Self.generationLimit {
                old = young
                young = [:]
            }
            young[peer] = old.removeValue(forKey: peer) ?? Entry()
        }
        return body(&young[peer, default: Entry()])
    }
}
