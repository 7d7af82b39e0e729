// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import JSONText

/// A served accessory with the handles of its published services.
struct ServedTable: Sendable {
    /// The published services, in the order of publication.
    let services: [GATT.DiscoveredService]
    private var attributes: [AttributeHandle: ServedAttribute]

    /// Creates the attributes of the published services.
    ///
    /// - Parameters:
    ///   - services: The published services, each with its description.
    ///   - table: The attributes that the adapter reports. They include the attributes of its own
    ///     services, to which clients can also subscribe.
    init(
        _ services: [(ServedService, GATT.DiscoveredService)],
        table: [AttributeHandle: BluetoothUUID]
    ) {
        self.services = services.map(\.1)
        attributes = Dictionary(
            uniqueKeysWithValues: table.map { ($0, ServedAttribute(handle: $0, uuid: $1)) }
        )
        for (served, service) in services {
            for (defined, published) in zip(
                served.definition.characteristics,
                service.characteristics
            ) {
                insert(published, described: defined.userDescription)
            }
        }
    }

    private mutating func insert(
        _ published: GATT.DiscoveredCharacteristic,
        described description: String?
    ) {
        let handle = published.valueHandle
        let uuid = published.characteristic.uuid
        attributes[handle] = ServedAttribute(handle: handle, uuid: uuid, description: description)
        for descriptor in published.descriptors {
            attributes[descriptor.handle] = ServedAttribute(
                handle: descriptor.handle,
                uuid: descriptor.uuid,
                isDescriptor: true
            )
        }
    }

    /// Returns the attribute at the handle. It has no name if the handle is unknown.
    func attribute(_ handle: AttributeHandle) -> ServedAttribute {
        attributes[handle] ?? ServedAttribute(handle: handle, uuid: BluetoothUUID(0))
    }

    /// Returns the characteristic that matches the reference. Throws if there is none, or more than
    /// one.
    func find(_ reference: CharacteristicReference) throws(ProgramFailure) -> ServedAttribute {
        let matches = services.filter { service in
            reference.service.map { $0 == service.service.uuid } ?? true
        }.flatMap(\.characteristics).filter { characteristic in
            switch reference.identity {
            case .uuid(let uuid): characteristic.characteristic.uuid == uuid
            case .valueHandle(let handle): characteristic.valueHandle.rawValue == handle
            }
        }
        guard let match = matches.first else {
            throw ProgramFailure(
                .notFound,
                "no served characteristic is \(reference)",
                advice: "type values for a list"
            )
        }
        guard matches.count == 1 else {
            let handles = matches.map { "#\($0.valueHandle.rawValue)" }.joined(separator: ", ")
            throw .usage(
                "\(matches.count) characteristics are \(reference)",
                advice: "name one by its handle: \(handles)"
            )
        }
        return attribute(match.valueHandle)
    }
}

extension GATT.CharacteristicDefinition {
    /// The Characteristic User Description in the file; `nil` if there is none.
    fileprivate var userDescription: String? {
        for descriptor in descriptors {
            guard descriptor.uuid == GATT.AttributeType.characteristicUserDescription,
                case .stored(let bytes, _) = descriptor.value, !bytes.isEmpty
            else { continue }
            return TerminalText.escape(utf8: bytes)
        }
        return nil
    }
}

/// An attribute in the events of `serve`.
struct ServedAttribute: Hashable, Sendable {
    let handle: AttributeHandle
    let uuid: BluetoothUUID
    var isDescriptor = false
    /// The Characteristic User Description, safe to print.
    var description: String?

    /// The name and the handle.
    var text: String {
        let name =
            isDescriptor
            ? AssignedNumbers.name(ofDescriptor: uuid)
            : AssignedNumbers.name(ofCharacteristic: uuid)
        return "\(name ?? description ?? uuid.description) #\(handle.rawValue)"
    }

    /// Returns the text of a value of the attribute, or of the part that begins at the offset.
    func describe(_ bytes: [UInt8], from offset: Int = 0) -> String {
        let shown = Array(bytes.prefix(Self.shownLimit))
        guard shown.count == bytes.count else {
            return "\(shown.hexadecimal)… (\(bytes.count) bytes)"
        }
        guard offset == 0 else { return ValueText.plain(bytes) }
        return isDescriptor
            ? ValueText.describe(bytes, ofDescriptor: uuid)
            : ValueText.describe(bytes, ofCharacteristic: uuid)
    }

    /// The maximum number of bytes of a value on a line. `--json` shows all.
    private static let shownLimit = 32
}

extension ServedAttribute {
    /// Returns the members of a JSON object for a value, or for its part from the offset.
    func members(of value: [UInt8], offset: Int = 0) -> [JSON.Member] {
        let meaning =
            offset > 0
            ? nil
            : isDescriptor
                ? try? WellKnownValues.describe(value, ofDescriptor: uuid)
                : try? WellKnownValues.describe(value, ofCharacteristic: uuid)
        return [.init("value", .bytes(value)), .init("meaning", .string(orNull: meaning))]
    }

    /// The members of a JSON object that describes the attribute.
    var members: [JSON.Member] {
        [
            .init("uuid", .string(uuid.description)),
            .init("handle", .integer(Int(handle.rawValue))),
        ]
    }
}
