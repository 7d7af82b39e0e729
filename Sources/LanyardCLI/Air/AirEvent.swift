// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import HCITransports
import JSONText
import VirtualAdapters
import VirtualRadio

/// An event of `air`, as a line for people or as JSON for programs.
enum AirEvent: Equatable, Sendable {
    /// The server accepts hosts.
    case ready(addresses: [String], seed: UInt64)
    /// A host has connected and has the controller with that label.
    case connected(host: String, controller: String)
    /// A host has disconnected. The cause is `nil` if the host or the server closed the connection.
    case disconnected(host: String, controller: String, cause: String?)
    /// The server refused a host, because there are too many hosts or the world is full.
    case refused
    /// The connection to RootCanal has ended, and RootCanal's devices have left the radio. The
    /// radio tries to join again.
    case rootCanalEnded(cause: String)
    /// The radio has joined RootCanal again.
    case rootCanalJoined
    /// The radio no longer tries to join RootCanal again.
    case rootCanalGivenUp(attempts: Int)
    /// Two controllers have a connection.
    case linked(AirLink)
    /// A connection between two controllers has ended.
    case unlinked(AirLink)
    /// The display of an accessory shows a text, which a person enters or compares on the other
    /// device.
    case display(controller: String, text: String)

    /// The event on one line. Names come from other hosts, so they are escaped.
    var line: String {
        switch self {
        case .ready(let addresses, let seed):
            "ready: \(addresses.joined(separator: " ")) (seed \(seed))"
        case .connected(let host, let controller):
            "connected: \(Self.plain(host)) has \(Self.plain(controller))"
        case .disconnected(let host, let controller, let cause):
            "disconnected: \(Self.plain(host)) had \(Self.plain(controller))"
                + (cause.map { ": \(Self.plain($0))" } ?? "")
        case .refused: "refused: there are too many hosts or devices"
        case .rootCanalEnded(let cause): "disconnected from RootCanal: \(Self.plain(cause))"
        case .rootCanalJoined: "joined RootCanal again"
        case .rootCanalGivenUp(let attempts):
            "could not join RootCanal again in \(attempts) attempts"
        case .linked(let link): "linked: \(link.text)"
        case .unlinked(let link): "unlinked: \(link.text)"
        case .display(let controller, let text):
            "display: \(Self.plain(controller)) shows \(Self.plain(text))"
        }
    }

    /// The event as a JSON object.
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
        case .rootCanalEnded(let cause): event("rootCanalEnded", .init("cause", .string(cause)))
        case .rootCanalJoined: event("rootCanalJoined")
        case .rootCanalGivenUp(let attempts):
            event("rootCanalGivenUp", .init("attempts", .integer(attempts)))
        case .linked(let link): event("linked", link.members)
        case .unlinked(let link): event("unlinked", link.members)
        case .display(let controller, let text):
            event(
                "display",
                .init("controller", .string(controller)),
                .init("text", .string(text))
            )
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

extension AirEvent {
    /// Creates the event for an event of the server.
    init(_ event: AirServer.Event) {
        switch event {
        case .connected(let host, let name): self = .connected(host: host, controller: name)
        case .disconnected(let host, let name, let cause):
            self = .disconnected(host: host, controller: name, cause: cause.map { "\($0)" })
        case .refused: self = .refused
        }
    }
}

/// A connection between two controllers.
struct AirLink: Hashable, Sendable {
    let central: String
    let peripheral: String

    /// The names of both controllers.
    var text: String {
        "\(TerminalText.escape(central)) → \(TerminalText.escape(peripheral))"
    }

    var members: [JSON.Member] {
        [.init("central", .string(central)), .init("peripheral", .string(peripheral))]
    }
}

extension WorldStatus {
    /// The connections by number, with the names of their controllers.
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
