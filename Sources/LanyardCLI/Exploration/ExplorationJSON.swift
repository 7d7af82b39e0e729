// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension Exploration {
    /// The exploration as JSON: handles as numbers, values as lower-case hexadecimal, and null for
    /// a value that is not there, with an `error` beside it where reading it was refused.
    var json: JSON {
        .object([
            .init("address", .string(address.description)),
            .init("addressType", .string(AddressText.name(of: address.kind))),
            .init("name", .string(orNull: name)),
            .init("mtu", .number(mtu)),
            .init("services", .array(services.map(\.json))),
        ])
    }
}

extension Exploration.Service {
    fileprivate var json: JSON {
        .object([
            .init("uuid", .string(uuid.description)),
            .init("primary", .bool(isPrimary)),
            .init("handle", .number(Int(handle))),
            .init("endHandle", .number(Int(endHandle))),
            .init("includes", .array(includes.map(\.json))),
            .init("characteristics", .array(characteristics.map(\.json))),
        ])
    }
}

extension Exploration.Include {
    fileprivate var json: JSON {
        .object([
            .init("uuid", .string(uuid.description)),
            .init("handle", .number(Int(handle))),
            .init("serviceHandle", .number(Int(serviceHandle))),
            .init("serviceEndHandle", .number(Int(serviceEndHandle))),
        ])
    }
}

extension Exploration.Characteristic {
    fileprivate var json: JSON {
        .object(
            [
                .init("uuid", .string(uuid.description)),
                .init("handle", .number(Int(handle))),
                .init("valueHandle", .number(Int(valueHandle))),
                .init("properties", .array(properties.names.map { .string($0) })),
            ] + value.members + [.init("descriptors", .array(descriptors.map(\.json)))]
        )
    }
}

extension Exploration.Descriptor {
    fileprivate var json: JSON {
        .object(
            [
                .init("uuid", .string(uuid.description)),
                .init("handle", .number(Int(handle))),
            ] + value.members
        )
    }
}

extension Exploration.Value {
    fileprivate var members: [JSON.Member] {
        switch self {
        case .bytes(let bytes): [.init("value", .bytes(bytes))]
        case .notReadable: [.init("value", .null)]
        case .refused(let reason): [.init("value", .null), .init("error", .string(reason))]
        }
    }
}
