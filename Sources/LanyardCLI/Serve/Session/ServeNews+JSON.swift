// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

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
        case .bonded(let peer): Self.event("bonded", BondText.members(peer))
        case .bondLost(let peer): Self.event("bondLost", BondText.members(peer))
        case .bondRemoved(let peer): Self.event("bondRemoved", BondText.members(peer))
        case .adapterLost(let reason):
            Self.event("adapterLost", [.init("reason", .string(reason))])
        case .adapterBack: Self.event("adapterBack", [])
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

extension ServeNews.Outcome {
    fileprivate var members: [JSON.Member] {
        switch self {
        case .value(let bytes): [.init("value", .bytes(bytes))]
        case .refused(let code):
            [.init("value", .null), .init("error", .string("\(code)"))]
        }
    }
}
