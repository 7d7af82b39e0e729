// SPDX-License-Identifier: Apache-2.0
import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// The attributes of an accessory, numbered from 1 without gaps (Vol 3, Part G, 2.5 and 3).
struct AttributeTable: Sendable {
    struct Attribute: Sendable {
        /// What the attribute is to the server, beside its type and value.
        enum Role: Sendable {
            /// Declares something, or describes it: can be read, no more.
            case fixed
            /// Opens a service.
            case service
            /// A characteristic's value.
            case value(AccessoryProfile.Characteristic)
            /// A Client Characteristic Configuration; its value is each client's own.
            case configuration(of: AttributeHandle, allowed: ClientConfiguration)
        }

        let handle: AttributeHandle
        let type: BluetoothUUID
        let role: Role
        var value: [UInt8]
    }

    private(set) var attributes: [Attribute] = []

    /// The table of a profile, the services that every device has before the others.
    init(_ profile: AccessoryProfile) {
        for service in Self.commonServices(of: profile) + profile.services { append(service) }
    }

    subscript(handle: AttributeHandle) -> Attribute? {
        let index = Int(handle.rawValue) - 1
        return attributes.indices.contains(index) ? attributes[index] : nil
    }

    /// The attributes from one handle to another.
    func attributes(
        from start: AttributeHandle,
        through end: AttributeHandle
    ) -> ArraySlice<Attribute> {
        let last = min(Int(end.rawValue), attributes.count)
        let first = max(Int(start.rawValue) - 1, 0)
        return first < last ? attributes[first..<last] : []
    }

    /// The last attribute of the group that the attribute opens; for one that opens none, itself.
    func groupEnd(of attribute: Attribute) -> AttributeHandle {
        guard case .service = attribute.role else { return attribute.handle }
        let next = attributes[Int(attribute.handle.rawValue)...].first {
            if case .service = $0.role { true } else { false }
        }
        return next.map { AttributeHandle($0.handle.rawValue - 1) }
            ?? AttributeHandle(UInt16(attributes.count))
    }

    /// Where the value of the first characteristic with the UUID is.
    func valueHandle(of uuid: BluetoothUUID) -> AttributeHandle? {
        attributes.first {
            if case .value = $0.role { $0.type == uuid } else { false }
        }?.handle
    }

    mutating func set(_ value: [UInt8], at handle: AttributeHandle) {
        guard self[handle] != nil else { return }
        attributes[Int(handle.rawValue) - 1].value = value
    }

    /// Adds a service at the end. Returns its handles; nil, and nothing is added, if they would
    /// not be enough.
    @discardableResult
    mutating func append(_ service: AccessoryProfile.Service) -> ClosedRange<AttributeHandle>? {
        let before = self
        let declaration =
            service.isPrimary
            ? GATT.AttributeType.primaryService : GATT.AttributeType.secondaryService
        append(declaration, .service, service.uuid.attBytes)
        for characteristic in service.characteristics { append(characteristic) }
        guard attributes.count < UInt16.max else {
            self = before
            return nil
        }
        let (first, last) = (UInt16(before.attributes.count + 1), UInt16(attributes.count))
        return AttributeHandle(first)...AttributeHandle(last)
    }
}

extension AttributeTable {
    /// The declaration, the value, the descriptors, and last the client's configuration.
    private mutating func append(_ characteristic: AccessoryProfile.Characteristic) {
        let valueHandle = AttributeHandle(UInt16(clamping: attributes.count + 2))
        let low = UInt8(truncatingIfNeeded: valueHandle.rawValue)
        let high = UInt8(valueHandle.rawValue >> 8)
        append(
            GATT.AttributeType.characteristic,
            .fixed,
            [characteristic.properties.rawValue, low, high] + characteristic.uuid.attBytes
        )
        append(characteristic.uuid, .value(characteristic), characteristic.value)
        for descriptor in characteristic.descriptors {
            append(descriptor.uuid, .fixed, descriptor.value)
        }
        let allowed = ClientConfiguration(allowedBy: characteristic.properties)
        guard !allowed.isEmpty else { return }
        append(
            GATT.AttributeType.clientCharacteristicConfiguration,
            .configuration(of: valueHandle, allowed: allowed),
            []
        )
    }

    private mutating func append(
        _ type: BluetoothUUID,
        _ role: Attribute.Role,
        _ value: [UInt8]
    ) {
        let handle = AttributeHandle(UInt16(clamping: attributes.count + 1))
        attributes.append(Attribute(handle: handle, type: type, role: role, value: value))
    }

    /// Generic Access (Vol 3, Part C, 12) and Generic Attribute (Vol 3, Part G, 7).
    private static func commonServices(
        of profile: AccessoryProfile
    ) -> [AccessoryProfile.Service] {
        let looks = [UInt8(truncatingIfNeeded: profile.appearance), UInt8(profile.appearance >> 8)]
        return [
            .init(
                BluetoothUUID(0x1800),
                [
                    .init(BluetoothUUID(0x2A00), .read, value: Array(profile.name.utf8)),
                    .init(BluetoothUUID(0x2A01), .read, value: looks),
                ]
            ),
            .init(
                GATT.AttributeType.genericAttribute,
                [.init(GATT.AttributeType.serviceChanged, .indicate)]
            ),
        ]
    }
}

/// What a client wants to be sent (Vol 3, Part G, 3.3.3.3).
struct ClientConfiguration: OptionSet, Hashable, Sendable {
    let rawValue: UInt16

    static let notifications = ClientConfiguration(rawValue: 1 << 0)
    static let indications = ClientConfiguration(rawValue: 1 << 1)

    init(rawValue: UInt16) { self.rawValue = rawValue }

    /// All that a client can want of a characteristic with these properties.
    init(allowedBy properties: GATT.CharacteristicProperties) {
        self = []
        if properties.contains(.notify) { insert(.notifications) }
        if properties.contains(.indicate) { insert(.indications) }
    }

    /// The two octets of the descriptor.
    var bytes: [UInt8] { [UInt8(truncatingIfNeeded: rawValue), UInt8(rawValue >> 8)] }
}
