// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The reason why a peer is connected through its radio.
package enum PathReason: String, Hashable, Sendable {
    /// No other radio was usable when the request began.
    case onlyRadio
    /// The radio received the peer best, or it connected first after the best radio had failed or
    /// its head start was over.
    case strongest
    /// No radio had received the peer, and this one connected first.
    case firstToConnect
    /// A person chose the radio.
    case pinned
    /// The radio took over from another one.
    case moved
}

/// The radios of a composite adapter, and the links on them, at one time.
package struct RadioReport: Sendable {
    package struct Radio: Sendable {
        package let name: String
        package let isUsable: Bool
        package let linkCount: Int
        /// The number of links that the radio had when it refused another one; `nil` if no limit is
        /// known.
        package let slotLimit: Int?
    }

    package struct Peer: Sendable {
        package let peer: PeerIdentifier
        /// The signal in dBm on each radio that has received the peer lately, by the number of the
        /// radio.
        package let signals: [Int: Int]
        /// The number of the radio of the link.
        package let radio: Int
        package let reason: PathReason
    }

    package let radios: [Radio]
    package let peers: [Peer]
    /// The number of links that were moved since the adapter was created.
    package let moveCount: Int
}

extension RadioCore {
    /// Returns the current state.
    func report(names: [String], now: Instant) -> RadioReport {
        RadioReport(
            radios: zip(names, radios).map {
                RadioReport.Radio(
                    name: $0,
                    isUsable: $1.isUsable,
                    linkCount: $1.linkCount,
                    slotLimit: $1.slotLimit
                )
            },
            peers: links.sorted { $0.key < $1.key }.map { _, link in
                RadioReport.Peer(
                    peer: link.peer,
                    signals: signals(of: link.peer, now: now),
                    radio: link.radio,
                    reason: link.reason
                )
            },
            moveCount: moveCount
        )
    }

    /// Returns the signal of a device in dBm on each radio that has received it lately.
    func signals(of peer: PeerIdentifier, now: Instant) -> [Int: Int] {
        (signals[peer]?.signals ?? [:])
            .filter { $0.value.isFresh(rules, now: now) }
            .mapValues { Int($0.strength.rounded()) }
    }
}
