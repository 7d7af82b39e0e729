// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
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
            .init("services", .array(exploration.services.map(exploration.forPage))),
        ])
    }
}

extension Exploration {
    fileprivate func forPage(_ discovered: GATT.DiscoveredService) -> JSON {
        let service = discovered.service
        return .object([
            .init("uuid", .string(service.uuid.description)),
            .init("name", .string(orNull: AssignedNumbers.name(ofService: service.uuid))),
            .init("handle", .integer(service.handle)),
            .init("primary", .bool(service.isPrimary)),
            .init("characteristics", .array(discovered.characteristics.map(forPage))),
        ])
    }

    private func forPage(_ discovered: GATT.DiscoveredCharacteristic) -> JSON {
        let uuid = discovered.characteristic.uuid
        let names = discovered.characteristic.properties.names
        return .object(
            [
                .init("uuid", .string(uuid.description)),
                .init("name", .string(orNull: AssignedNumbers.name(ofCharacteristic: uuid))),
                .init("handle", .integer(discovered.valueHandle)),
                .init("properties", .array(names.map { .string($0) })),
                .init("descriptors", .array(discovered.descriptors.map(forPage))),
            ] + members(discovered.valueHandle) { ValueReport.members(of: $0, uuid) }
        )
    }

    private func forPage(_ descriptor: GATT.Descriptor) -> JSON {
        let uuid = descriptor.uuid
        return .object(
            [
                .init("uuid", .string(uuid.description)),
                .init("name", .string(orNull: AssignedNumbers.name(ofDescriptor: uuid))),
                .init("handle", .integer(descriptor.handle)),
            ]
                + members(descriptor.handle) {
                    [.init("text", .string(ValueText.describe($0, ofDescriptor: uuid)))]
                }
        )
    }

    private func members(
        _ handle: AttributeHandle,
        _ describe: ([UInt8]) -> [JSON.Member]
    ) -> [JSON.Member] {
        switch values[handle] {
        case .bytes(let bytes): describe(bytes)
        case .refused(let reason): [.init("error", .string(reason))]
        case nil: []
        }
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
