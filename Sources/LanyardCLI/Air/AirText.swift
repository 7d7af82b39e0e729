// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import HCITransports
import VirtualAdapters
import VirtualRadio

/// Something that `air` tells, as a line for people or as JSON for programs.
enum AirNews: Equatable, Sendable {
    /// Hosts can come.
    case ready(addresses: [String], seed: UInt64)
    /// A host has come, and has the controller of that label.
    case connected(host: String, controller: String)
    /// It has gone; why, if not of its own will.
    case disconnected(host: String, controller: String, cause: String?)
    /// A host was turned away.
    case refused
    /// Two controllers have a connection.
    case linked(AirLink)
    /// They have it no longer.
    case unlinked(AirLink)

    /// The line. Names are strangers': they are escaped.
    var line: String {
        switch self {
        case .ready(let addresses, let seed):
            "ready: \(addresses.joined(separator: " ")) (seed \(seed))"
        case .connected(let host, let controller):
            "connected: \(Self.plain(host)) has \(Self.plain(controller))"
        case .disconnected(let host, let controller, let cause):
            "disconnected: \(Self.plain(host)) had \(Self.plain(controller))"
                + (cause.map { ": \(Self.plain($0))" } ?? "")
        case .refused: "refused: there are too many hosts"
        case .linked(let link): "linked: \(link.text)"
        case .unlinked(let link): "unlinked: \(link.text)"
        }
    }

    /// The object.
    var json: JSON {
        switch self {
        case .ready(let addresses, let seed):
            event(
                "ready",
                .init("listen", .array(addresses.map { .string($0) })),
                .init("seed", .string(String(seed)))
            )
        case .connected(let host, let controller):
            event(
                "connected",
                .init("host", .string(host)),
                .init("controller", .string(controller))
            )
        case .disconnected(let host, let controller, let cause):
            event(
                "disconnected",
                .init("host", .string(host)),
                .init("controller", .string(controller)),
                .init("cause", .string(orNull: cause))
            )
        case .refused: event("refused")
        case .linked(let link): event("linked", link.members)
        case .unlinked(let link): event("unlinked", link.members)
        }
    }

    private func event(_ name: String, _ members: JSON.Member...) -> JSON {
        event(name, members)
    }

    private func event(_ name: String, _ members: [JSON.Member]) -> JSON {
        .object([.init("event", .string(name))] + members)
    }

    private static func plain(_ text: String) -> String { TerminalText.escape(text) }
}

extension AirNews {
    /// What the server tells, as news.
    init(_ event: AirServer.Event) {
        switch event {
        case .connected(let host, let name): self = .connected(host: host, controller: name)
        case .disconnected(let host, let name, let cause):
            self = .disconnected(host: host, controller: name, cause: cause.map { "\($0)" })
        case .refused: self = .refused
        }
    }
}

/// A connection as `air` tells of it.
struct AirLink: Hashable, Sendable {
    let central: String
    let peripheral: String

    /// Who has it.
    var text: String {
        "\(TerminalText.escape(central)) → \(TerminalText.escape(peripheral))"
    }

    var members: [JSON.Member] {
        [.init("central", .string(central)), .init("peripheral", .string(peripheral))]
    }
}

extension WorldStatus {
    /// The connections, by number, with the names of those who have them.
    var airLinks: [UInt64: AirLink] {
        let labels = Dictionary(
            controllers.map { ($0.id, $0.label) },
            uniquingKeysWith: { first, _ in first }
        )
        let pairs = links.map { link in
            let central = labels[link.central] ?? "\(link.central)"
            let peripheral = labels[link.peripheral] ?? "\(link.peripheral)"
            return (link.number, AirLink(central: central, peripheral: peripheral))
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }
}
