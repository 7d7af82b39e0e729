// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHost
import BluetoothTypes

/// Something that `serve` tells, as a line for people or as JSON for programs.
enum ServeNews: Equatable, Sendable {
    /// The accessory can be found, by the name that it advertises.
    case ready(name: String, address: DeviceAddress, services: Int, characteristics: Int)
    case connected(DeviceAddress)
    case disconnected(DeviceAddress, reason: String)
    /// A client has read a value from `offset` on, or was refused.
    case read(DeviceAddress, ServedAttribute, offset: Int, Outcome)
    /// A client has written a value, or was refused.
    case written(DeviceAddress, ServedAttribute, offset: Int, Outcome)
    /// A client wants to be sent a value, or, with nil, no longer.
    case subscribed(DeviceAddress, ServedAttribute, GATT.SubscriptionKind?)
    /// A client was sent a value.
    case sent(DeviceAddress, ServedAttribute, [UInt8])
    /// A value was to be sent, and was not.
    case unsent(DeviceAddress, ServedAttribute, reason: String)
    /// Keys are shared with a client from now on, or new ones.
    case bonded(BondedPeer)
    /// A client has lost the keys that are shared with it.
    case bondLost(BondedPeer)
    /// No keys are shared with a client any more.
    case bondRemoved(BondedPeer)
    /// The adapter cannot be used, and is waited for.
    case adapterLost(String)
    /// The adapter can be used again; the accessory can be found as before.
    case adapterBack
    /// A person has given a value.
    case set(ServedAttribute, [UInt8])

    /// What became of a request.
    enum Outcome: Equatable, Sendable {
        case value([UInt8])
        case refused(ATT.ErrorCode)
    }
}

// As a line.
extension ServeNews {
    /// The line. What clients say is a stranger's, and escaped.
    var line: String {
        switch self {
        case .ready(let name, let address, let services, let characteristics):
            "ready: \"\(TerminalText.escape(name))\""
                + " at \(AddressText.describe(address)), \(Self.count(services, "service")), "
                + Self.count(characteristics, "characteristic")
        case .connected(let client): "connected: \(Self.text(client))"
        case .disconnected(let client, let reason):
            "disconnected: \(Self.text(client)): \(TerminalText.escape(reason))"
        case .read(let client, let attribute, let offset, let outcome):
            "read: \(Self.text(client)) \(attribute.text)"
                + Self.text(outcome, of: attribute, offset: offset)
        case .written(let client, let attribute, let offset, let outcome):
            "written: \(Self.text(client)) \(attribute.text)"
                + Self.text(outcome, of: attribute, offset: offset)
        case .subscribed(let client, let attribute, let kind):
            (kind == nil ? "unsubscribed: " : "subscribed: ")
                + "\(Self.text(client)) \(attribute.text)" + (kind.map { " (\($0))" } ?? "")
        case .sent(let client, let attribute, let value):
            "sent: \(Self.text(client)) \(attribute.text) = \(attribute.describe(value))"
        case .unsent(let client, let attribute, let reason):
            "not sent: \(Self.text(client)) \(attribute.text): \(TerminalText.escape(reason))"
        case .bonded(let peer): "bonded: \(BondText.line(peer))"
        case .bondLost(let peer): "bond lost: \(BondText.line(peer))"
        case .bondRemoved(let peer): "bond removed: \(BondText.line(peer))"
        case .adapterLost(let reason): "adapter lost: \(TerminalText.escape(reason))"
        case .adapterBack: "adapter back"
        case .set(let attribute, let value):
            "set: \(attribute.text) = \(attribute.describe(value))"
        }
    }

    private static func text(_ client: DeviceAddress) -> String { AddressText.describe(client) }

    private static func count(_ number: Int, _ word: String) -> String {
        "\(number) \(word)\(number == 1 ? "" : "s")"
    }

    private static func text(
        _ outcome: Outcome,
        of attribute: ServedAttribute,
        offset: Int
    ) -> String {
        let place = offset == 0 ? "" : " from \(offset)"
        return switch outcome {
        case .value(let bytes): place + " = \(attribute.describe(bytes, from: offset))"
        case .refused(let code): place + ": refused, \(code)"
        }
    }
}
