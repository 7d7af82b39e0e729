// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHost
import BluetoothTypes
import JSONText

/// An event of `serve`, as a line for people or as JSON for programs.
enum ServeEvent: Equatable, Sendable {
    /// The accessory advertises. The name is the device name if no name is advertised.
    case ready(name: String, address: DeviceAddress, services: Int, characteristics: Int)
    case connected(DeviceAddress)
    case disconnected(DeviceAddress, reason: String)
    /// A client has read a value from `offset` on, or the read was refused.
    case read(DeviceAddress, ServedAttribute, offset: Int, Outcome)
    /// A client has written a value, or the write was refused.
    case written(DeviceAddress, ServedAttribute, offset: Int, Outcome)
    /// A client has subscribed to a value, or, with `nil`, unsubscribed.
    case subscribed(DeviceAddress, ServedAttribute, GATT.SubscriptionKind?)
    /// A value was sent to a client.
    case sent(DeviceAddress, ServedAttribute, [UInt8])
    /// A value for a client was dropped.
    case unsent(DeviceAddress, ServedAttribute, reason: String)
    /// A client has bonded, or its keys have changed.
    case bonded(AccessoryBond)
    /// A client has lost the keys of its bond.
    case bondLost(AccessoryBond)
    /// The bond with a client was removed.
    case bondRemoved(AccessoryBond)
    /// The adapter is lost. The command waits for it.
    case adapterLost(String)
    /// The adapter is available again, and the accessory advertises as before.
    case adapterBack
    /// A typed command has set a value.
    case set(ServedAttribute, [UInt8])
    /// A value, in the list that the typed command `values` prints.
    case value(ServedAttribute, [UInt8])
    /// A client with its subscriptions, in the list that the typed command `links` prints.
    /// The protection is `nil` if the adapter does not report it.
    case link(DeviceAddress, LinkSecurity?, [ServedAttribute])

    /// The result of a request.
    enum Outcome: Equatable, Sendable {
        case value([UInt8])
        case refused(ATT.ErrorCode)
    }
}

// The event as a line.
extension ServeEvent {
    /// The event on one line. Text from clients is escaped.
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
        case .value(let attribute, let value):
            "value: \(attribute.text) = \(attribute.describe(value))"
        case .link(let client, let security, let subscriptions):
            "link: \(Self.text(client)), \(Self.text(security))"
                + subscriptions.map { ", subscribed to \($0.text)" }.joined()
        }
    }

    private static func text(_ security: LinkSecurity?) -> String {
        guard let security else { return "its protection is not reported" }
        guard security.isEncrypted else { return "not encrypted" }
        return "encrypted" + (security.isAuthenticated ? ", authenticated" : "")
            + (security.isBonded ? ", bonded" : "")
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

// The event as a JSON object.
extension ServeEvent {
    /// The event as a JSON object.
    var json: JSON {
        switch self {
        case .ready(let name, let address, let services, let characteristics):
            Self.event(
                "ready",
                [
                    .init("name", .string(name)),
                    .init("address", .string(address.description)),
                    .init("services", .integer(services)),
                    .init("characteristics", .integer(characteristics)),
                ]
            )
        case .connected(let client): Self.event("connected", Self.members(client))
        case .disconnected(let client, let reason):
            Self.event(
                "disconnected",
                Self.members(client) + [.init("reason", .string(reason))]
            )
        case .read(let client, let attribute, let offset, let outcome):
            Self.event(
                "read",
                Self.members(client) + attribute.members
                    + [.init("offset", .integer(offset))]
                    + outcome.members(of: attribute, offset: offset)
            )
        case .written(let client, let attribute, let offset, let outcome):
            Self.event(
                "written",
                Self.members(client) + attribute.members
                    + [.init("offset", .integer(offset))]
                    + outcome.members(of: attribute, offset: offset)
            )
        case .subscribed(let client, let attribute, let kind):
            Self.event(
                "subscribed",
                Self.members(client) + attribute.members
                    + [.init("kind", .string(orNull: kind.map { "\($0)" }))]
            )
        case .sent(let client, let attribute, let value):
            Self.event(
                "sent",
                Self.members(client) + attribute.members + attribute.members(of: value)
            )
        case .unsent(let client, let attribute, let reason):
            Self.event(
                "unsent",
                Self.members(client) + attribute.members + [.init("reason", .string(reason))]
            )
        case .bonded(let peer): Self.event("bonded", BondText.members(peer))
        case .bondLost(let peer): Self.event("bondLost", BondText.members(peer))
        case .bondRemoved(let peer): Self.event("bondRemoved", BondText.members(peer))
        case .adapterLost(let reason):
            Self.event("adapterLost", [.init("reason", .string(reason))])
        case .adapterBack: Self.event("adapterBack", [])
        case .set(let attribute, let value):
            Self.event("set", attribute.members + attribute.members(of: value))
        case .value(let attribute, let value):
            Self.event("value", attribute.members + attribute.members(of: value))
        case .link(let client, let security, let subscriptions):
            Self.event(
                "link",
                Self.members(client) + [
                    .init("encrypted", security.map { .bool($0.isEncrypted) } ?? .null),
                    .init("authenticated", security.map { .bool($0.isAuthenticated) } ?? .null),
                    .init("bonded", security.map { .bool($0.isBonded) } ?? .null),
                    .init("subscriptions", .array(subscriptions.map { .object($0.members) })),
                ]
            )
        }
    }

    private static func event(_ name: String, _ members: [JSON.Member]) -> JSON {
        .object([.init("event", .string(name))] + members)
    }

    private static func members(_ client: DeviceAddress) -> [JSON.Member] {
        [
            .init("client", .string(client.description)),
            .init("addressType", .string(AddressText.name(of: client.kind))),
        ]
    }
}

extension ServeEvent.Outcome {
    fileprivate func members(of attribute: ServedAttribute, offset: Int) -> [JSON.Member] {
        switch self {
        case .value(let bytes): attribute.members(of: bytes, offset: offset)
        case .refused(let code):
            [.init("value", .null), .init("meaning", .null), .init("error", .string("\(code)"))]
        }
    }
}
