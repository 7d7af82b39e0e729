// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// A served accessory whose services have found their handles: what is where.
struct PublishedAccessory: Sendable {
    /// What is published, in the order of publication.
    let services: [GATT.PublishedService]
    private var attributes: [AttributeHandle: ServedAttribute]

    /// - Parameters:
    ///   - services: What is published, each beside what it was made of.
    ///   - table: What is where, the host's own services included. Clients subscribe to those too.
    init(
        _ services: [(ServedService, GATT.PublishedService)],
        table: [AttributeHandle: BluetoothUUID]
    ) {
        self.services = services.map(\.1)
        attributes = Dictionary(
            uniqueKeysWithValues: table.map { ($0, ServedAttribute(handle: $0, uuid: $1)) }
        )
        for (served, service) in services {
            for (served, published) in zip(served.characteristics, service.characteristics) {
                insert(published, described: served.definition.userDescription)
            }
        }
    }

    private mutating func insert(
        _ published: GATT.PublishedCharacteristic,
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

    /// The attribute at the handle; one without a name if nothing that is known is there.
    func attribute(_ handle: AttributeHandle) -> ServedAttribute {
        attributes[handle] ?? ServedAttribute(handle: handle, uuid: BluetoothUUID(0))
    }

    /// The one characteristic that a person named; throws if there is none, or more than one.
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
            throw ProgramFailure(.notFound, "no characteristic that is served is \(reference)")
        }
        guard matches.count == 1 else {
            let handles = matches.map { "#\($0.valueHandle.rawValue)" }.joined(separator: ", ")
            throw .usage(
                "\(matches.count) characteristics are \(reference)",
                advice: "say which by its handle: \(handles)"
            )
        }
        return attribute(match.valueHandle)
    }
}

extension GATT.CharacteristicDefinition {
    /// What the file says in words of the characteristic; nil if it says nothing.
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
