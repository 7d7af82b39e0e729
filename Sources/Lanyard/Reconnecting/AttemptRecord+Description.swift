// SPDX-License-Identifier: Apache-2.0

extension AttemptRecord: CustomStringConvertible {
    /// The attempt in one line:
    /// `attempt 3, direct, at -71 dBm: connecting 10.00 s; failed: no answer; next in 0.43 s`.
    public var description: String {
        var line = "attempt \(number), \(approach)"
        if let rssi { line += ", at \(rssi) dBm" }
        if let slots {
            line += slots.limit == nil && slots.inUse == 1 ? ", 1 link" : ", \(slots) links"
        }
        line += ": " + steps.map(\.description).joined(separator: ", ")
        if let failure { line += "; failed: \(failure)" }
        return line + "; \(next)"
    }
}

extension AttemptRecord.Step: CustomStringConvertible {
    /// The step in words: `connecting 0.12 s`.
    public var description: String { "\(phase) \(duration.inSeconds)" }
}

extension AttemptRecord.Slots: CustomStringConvertible {
    /// The numbers in words: `3 of 5`, or `3` without a known limit.
    public var description: String {
        limit.map { "\(inUse) of \($0)" } ?? "\(inUse)"
    }
}

extension AttemptRecord.Phase: CustomStringConvertible {
    /// The phase in words.
    public var description: String {
        switch self {
        case .waitingForSlot: "waiting for a slot"
        case .connecting: "connecting"
        case .discoveringServices: "discovering services"
        case .discoveringCharacteristics: "discovering characteristics"
        case .subscribing: "subscribing"
        case .pairing: "pairing"
        case .ending: "disconnecting"
        }
    }
}

extension AttemptRecord.Approach: CustomStringConvertible {
    /// The kind of the attempt in words.
    public var description: String {
        switch self {
        case .direct: "direct"
        case .pending: "pending"
        case .restored: "restored"
        case .renewal: "renewed"
        }
    }
}

extension AttemptRecord.Next: CustomStringConvertible {
    /// The next step in words.
    public var description: String {
        switch self {
        case .ready: "ready"
        case .pairing: "to be paired"
        case .connect(let delay): "next in \(delay.inSeconds)"
        case .pending(.zero): "pending from now on"
        case .pending(let delay): "pending in \(delay.inSeconds)"
        case .system: "the system reconnects"
        case .slot: "next when there is a slot"
        case .rest(let reason): "no further attempt: \(reason)"
        case .bluetooth: "next when Bluetooth is available"
        }
    }
}
