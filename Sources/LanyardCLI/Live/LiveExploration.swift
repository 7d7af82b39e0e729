// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import JSONText

extension LiveLinks {
    /// Discovers the services of the device and reads its values. Returns them for the page.
    func explore(_ session: ShellSession) async throws -> JSON {
        let connection = try session.connection()
        let explorer = Explorer(accessory: connection.link, limits: session.limits)
        let exploration = try await explorer.explore(advertisedName: connection.name)
        return .object([
            .init("name", .string(orNull: exploration.name.map { TerminalText.escape($0) })),
            .init("mtu", .integer(exploration.mtu)),
            .init("services", .array(exploration.services.map(\.forPage))),
        ])
    }
}

extension Exploration.Service {
    fileprivate var forPage: JSON {
        .object([
            .init("uuid", .string(uuid.description)),
            .init("name", .string(orNull: AssignedNumbers.name(ofService: uuid))),
            .init("handle", .integer(Int(handle))),
            .init("primary", .bool(isPrimary)),
            .init("characteristics", .array(characteristics.map(\.forPage))),
        ])
    }
}

extension Exploration.Characteristic {
    fileprivate var forPage: JSON {
        var members: [JSON.Member] = [
            .init("uuid", .string(uuid.description)),
            .init("name", .string(orNull: AssignedNumbers.name(ofCharacteristic: uuid))),
            .init("handle", .integer(Int(valueHandle))),
            .init("properties", .array(properties.names.map { .string($0) })),
            .init("descriptors", .array(descriptors.map(\.forPage))),
        ]
        switch value {
        case .bytes(let bytes): members += ValueReport.members(of: bytes, uuid)
        case .refused(let reason): members.append(.init("error", .string(reason)))
        case .notReadable: break
        }
        return .object(members)
    }
}

extension Exploration.Descriptor {
    fileprivate var forPage: JSON {
        var members: [JSON.Member] = [
            .init("uuid", .string(uuid.description)),
            .init("name", .string(orNull: AssignedNumbers.name(ofDescriptor: uuid))),
            .init("handle", .integer(Int(handle))),
        ]
        switch value {
        case .bytes(let bytes):
            members.append(
                .init("text", .string(ValueText.describe(bytes, ofDescriptor: uuid)))
            )
        case .refused(let reason): members.append(.init("error", .string(reason)))
        case .notReadable: break
        }
        return .object(members)
    }
}

extension ValueReport {
    /// The value for the page: the bytes, the text, and the numbers for its charts.
    var forPage: JSON {
        .object([.init("handle", .integer(Int(valueHandle)))] + Self.members(of: bytes, uuid))
    }

    fileprivate static func members(of bytes: [UInt8], _ uuid: BluetoothUUID) -> [JSON.Member] {
        [
            .init("value", .bytes(bytes)),
            .init("text", .string(ValueText.describe(bytes, ofCharacteristic: uuid))),
            .init("numbers", .array(ValueNumber.all(in: bytes, of: uuid).map(\.json))),
        ]
    }
}
