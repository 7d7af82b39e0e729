// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothPort
import Lanyard

/// The attributes of a peripheral as `CentralDriver` gets them, made from the table of discovered
/// attributes.
struct PortAttributes {
    /// The definition of an attribute in the table, as a key. An attribute keeps its reference as
    /// long as its definition stays the same.
    private enum Origin: Hashable {
        case service(GATT.Service)
        case characteristic(GATT.Characteristic)
        case descriptor(GATT.Descriptor)
    }

    private(set) var rows: [SystemAttribute] = []
    private var origins: [AttributeReference: Origin] = [:]
    private var references: [Origin: AttributeReference] = [:]
    /// The index of each row, by the handle of its attribute. For a characteristic, that is the
    /// handle of its value.
    private var indices: [AttributeHandle: Int] = [:]

    init() {}

    /// Creates the attributes of a table.
    ///
    /// - Parameter former: The attributes until now. Unchanged attributes keep their references.
    init(_ table: RemoteTable?, former: PortAttributes) {
        guard let table else { return }
        for service in table.services { reserve(.service(service.origin), former) }
        let handles = Dictionary(
            table.services.map { ($0.origin.handle, Origin.service($0.origin)) },
            uniquingKeysWith: { first, _ in first }
        )
        let listed = table.services.filter(\.isListed)
        for service in listed + table.services.filter({ !$0.isListed }) {
            let includes = (service.includes ?? []).compactMap { handle in
                handles[handle].flatMap { references[$0] }
            }
            add(service, includes, former)
        }
    }

    /// Returns the attribute at a handle; `nil` if there is none.
    func row(at handle: AttributeHandle) -> SystemAttribute? { indices[handle].map { rows[$0] } }

    func service(_ reference: AttributeReference) -> GATT.Service? {
        if case .service(let service) = origins[reference] { service } else { nil }
    }

    func characteristic(_ reference: AttributeReference) -> GATT.Characteristic? {
        if case .characteristic(let characteristic) = origins[reference] {
            characteristic
        } else {
            nil
        }
    }

    func descriptor(_ reference: AttributeReference) -> GATT.Descriptor? {
        if case .descriptor(let descriptor) = origins[reference] { descriptor } else { nil }
    }

    /// Returns the descriptor at a handle.
    func descriptor(at handle: AttributeHandle) -> GATT.Descriptor? {
        row(at: handle).flatMap { descriptor($0.reference) }
    }

    // MARK: Making the rows

    /// Returns the reference of an attribute: the former reference if the attribute is unchanged,
    /// and otherwise a new one.
    @discardableResult
    private mutating func reserve(
        _ origin: Origin,
        _ former: PortAttributes
    ) -> AttributeReference {
        let reference = references[origin] ?? former.references[origin] ?? .next()
        references[origin] = reference
        origins[reference] = origin
        return reference
    }

    private mutating func append(_ row: SystemAttribute, at handle: AttributeHandle) {
        indices[handle] = rows.count
        rows.append(row)
    }

    private mutating func add(
        _ service: RemoteTable.Service,
        _ includes: [AttributeReference],
        _ former: PortAttributes
    ) {
        let reference = reserve(.service(service.origin), former)
        var row = SystemAttribute(
            reference,
            .service,
            BluetoothID(WrittenUUID(service.origin.uuid))
        )
        row.isPrimary = service.origin.isPrimary
        row.isListed = service.isListed
        row.includes = includes
        append(row, at: service.origin.handle)
        for characteristic in service.characteristics ?? [] { add(characteristic, of: row, former) }
    }

    private mutating func add(
        _ characteristic: RemoteTable.Characteristic,
        of service: SystemAttribute,
        _ former: PortAttributes
    ) {
        let origin = characteristic.origin
        let reference = reserve(.characteristic(origin), former)
        let identifier = BluetoothID(WrittenUUID(origin.uuid))
        var row = SystemAttribute(reference, .characteristic, identifier)
        row.owner = service.reference
        row.path = CharacteristicPath(service.identifier, identifier)
        row.properties = CharacteristicUses(rawValue: Int(origin.properties.rawValue))
        row.isNotifying = characteristic.isNotifying
        row.isListed = service.isListed
        append(row, at: origin.valueHandle)
        for descriptor in characteristic.descriptors ?? [] {
            let reference = reserve(.descriptor(descriptor), former)
            let identifier = BluetoothID(WrittenUUID(descriptor.uuid))
            var member = SystemAttribute(reference, .descriptor, identifier)
            member.owner = row.reference
            member.isListed = service.isListed
            append(member, at: descriptor.handle)
        }
    }
}
