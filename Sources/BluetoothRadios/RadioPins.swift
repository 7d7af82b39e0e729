// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The radios that a person has chosen for peers. Each radio is stored by its name, because its
/// number changes if the adapters are listed in another order.
///
/// The store keeps the choices in a record. It has a line for each peer: the peer's identifier, a
/// space, and the name of the radio.
package struct RadioPins: Equatable, Sendable {
    /// The name of the record.
    package static let recordName = "radio-pins"
    /// The maximum number of peers.
    package static let limit = 1_024

    /// The name of the radio of each peer.
    package private(set) var names: [PeerIdentifier: String] = [:]

    /// Creates a value without choices.
    package init() {}

    /// Reads a record. Lines in another form, and lines beyond `limit`, are ignored.
    package init(_ bytes: [UInt8]?) {
        let text = String(decoding: bytes ?? [], as: UTF8.self)
        for line in text.split(separator: "\n").prefix(Self.limit) {
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let peer = PeerIdentifier(parts[0]) else { continue }
            names[peer] = String(parts[1])
        }
    }

    /// The record; `nil` without a choice.
    package var bytes: [UInt8]? {
        guard !names.isEmpty else { return nil }
        return Array(names.map { "\($0) \($1)\n" }.sorted().joined().utf8)
    }

    /// Chooses the radio of a peer, or with `nil` leaves the choice to the adapter.
    ///
    /// - Returns: `false` if there are too many peers, or if the name is empty or has more than one
    ///   line.
    package mutating func set(_ name: String?, for peer: PeerIdentifier) -> Bool {
        if let name {
            guard !name.isEmpty, !name.contains(where: \.isNewline) else { return false }
            guard names.count < Self.limit || names[peer] != nil else { return false }
        }
        names[peer] = name
        return true
    }
}
