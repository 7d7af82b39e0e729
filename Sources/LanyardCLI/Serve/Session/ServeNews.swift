// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHost
import BluetoothTypes

/// Something that `serve` tells, as a line for people or as JSON for programs.
enum ServeNews: Equatable, Sendable {
    /// The accessory can be found.
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
    /// A person has given a value.
    case set(ServedAttribute, [UInt8])

    /// What became of a request.
    enum Outcome: Equatable, Sendable {
        case value([UInt8])
        case refused(ATT.ErrorCode)
    }
}

/// An attribute, as `serve` speaks of it.
struct ServedAttribute: Hashable, Sendable {
    let handle: AttributeHandle
    let uuid: BluetoothUUID
    var isDescriptor = false

    /// What it is called, and where it is.
    var text: String {
        let name =
            isDescriptor
            ? AssignedNumbers.name(ofDescriptor: uuid)
            : AssignedNumbers.name(ofCharacteristic: uuid)
        return "\(name ?? uuid.description) #\(handle.rawValue)"
    }

    /// A value of it.
    func describe(_ bytes: [UInt8]) -> String {
        let shown = Array(bytes.prefix(Self.shownLimit))
        guard shown.count == bytes.count else {
            return "\(shown.hexadecimal)… (\(bytes.count) bytes)"
        }
        return isDescriptor
            ? ValueText.describe(bytes, ofDescriptor: uuid)
            : ValueText.describe(bytes, ofCharacteristic: uuid)
    }

    /// A line shows no more bytes of a value than this; `--json` shows all.
    private static let shownLimit = 64
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
        case .value(let bytes) where offset == 0: " = \(attribute.describe(bytes))"
        case .value(let bytes): place + " = \(ValueText.plain(bytes))"
        case .refused(let code): place + ": refused, \(code)"
        }
    }
}

// As an object.
extension ServeNews {
    /// The object.
    var json: JSON {
        switch self {
        case .ready(let name, let address, let services, let characteristics):
            Self.event(
                "ready",
                [
                    .init("name", .string(name)),
                    .init("address", .string(address.description)),
                    .init("services", .number(services)),
                    .init("characteristics", .number(characteristics)),
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
                    + [.init("offset", .number(offset))] + outcome.members
            )
        case .written(let client, let attribute, let offset, let outcome):
            Self.event(
                "written",
                Self.members(client) + attribute.members
                    + [.init("offset", .number(offset))] + outcome.members
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
                Self.members(client) + attribute.members + [.init("value", .bytes(value))]
            )
        case .unsent(let client, let attribute, let reason):
            Self.event(
                "unsent",
                Self.members(client) + attribute.members + [.init("reason", .string(reason))]
            )
        case .set(let attribute, let value):
            Self.event("set", attribute.members + [.init("value", .bytes(value))])
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

extension ServedAttribute {
    fileprivate var members: [JSON.Member] {
        [
            .init("uuid", .string(uuid.description)),
            .init("handle", .number(Int(handle.rawValue))),
        ]
    }
}

extension ServeNews.Outcome {
    fileprivate var members: [JSON.Member] {
        switch self {
        case .value(let bytes): [.init("value", .bytes(bytes))]
        case .refused(let code):
            [.init("value", .null), .init("error", .string("\(code)"))]
        }
    }
}
