// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A peripheral of a `SystemCentral`, and the table of its discovered attributes.
///
/// The system creates the objects, and two of them are equal only if they are the same object. When
/// the system finds a device again after Bluetooth was off, the device may have a new object. A
/// connection request ends when its peripheral is released.
///
/// Unchecked: used on the queue of its central only, except for the immutable properties.
package final class SystemPeripheral: @unchecked Sendable {
    /// The identifier that the system assigns to the device.
    package let identifier: UUID
    /// The implementation's object for the device, which lives as long as this one.
    package let source: AnyObject
    /// The name of the device, if it is known.
    package var name: String?
    /// The discovered attributes that are valid, in the order of the peripheral: each service,
    /// followed by its characteristics, each of them followed by its descriptors. Services that
    /// were found only because another one includes them are at the end.
    package var attributes: [SystemAttribute] = []

    package init(_ identifier: UUID, name: String?, source: AnyObject) {
        self.identifier = identifier
        self.name = name
        self.source = source
    }
}

extension SystemPeripheral: Hashable {
    package static func == (one: SystemPeripheral, other: SystemPeripheral) -> Bool {
        one === other
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension SystemPeripheral {
    /// The discovered services.
    var services: [SystemAttribute] { attributes.filter { $0.kind == .service && $0.isListed } }

    /// Returns the discovered services with this identifier.
    func services(_ identifier: BluetoothID) -> [SystemAttribute] {
        services.filter { $0.identifier == identifier }
    }

    /// Returns a discovered characteristic; the first one if several services match.
    func characteristic(_ path: CharacteristicPath) -> SystemAttribute? {
        attributes.first { $0.isListed && $0.path == path }
    }

    /// The paths of all discovered characteristics that are still valid.
    var knownPaths: Set<CharacteristicPath> {
        Set(attributes.filter(\.isListed).compactMap(\.path))
    }

    /// Returns the attribute with a reference; `nil` if it is no longer valid.
    func attribute(_ reference: AttributeReference) -> SystemAttribute? {
        attributes.first { $0.reference == reference }
    }

    /// Returns the characteristics of a service, or the descriptors of a characteristic.
    func members(of owner: SystemAttribute) -> [SystemAttribute] {
        attributes.filter { $0.owner == owner.reference }
    }

    /// Returns the services that a service includes.
    func included(in service: SystemAttribute) -> [SystemAttribute] {
        service.includes.compactMap { attribute($0) }
    }
}

/// A discovered attribute of a peripheral.
package struct SystemAttribute: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case service
        case characteristic
        case descriptor
    }

    /// The identity of the attribute in requests.
    package let reference: AttributeReference
    package let kind: Kind
    /// The UUID of the attribute.
    package let identifier: BluetoothID
    /// The service of a characteristic, or the characteristic of a descriptor.
    package var owner: AttributeReference?
    /// The UUIDs of a characteristic and its service; `nil` for a service or a descriptor.
    package var path: CharacteristicPath?
    /// The properties of a characteristic; empty for other attributes.
    package var properties: CharacteristicUses = []
    /// Whether the app has subscribed to the characteristic.
    package var isNotifying = false
    /// Whether a service is primary.
    package var isPrimary = true
    /// Whether a discovery of services found this service, or the service that contains this
    /// attribute; `false` if it was found only because another service includes it.
    package var isListed = true
    /// The services that a service includes.
    package var includes: [AttributeReference] = []

    package init(_ reference: AttributeReference, _ kind: Kind, _ identifier: BluetoothID) {
        self.reference = reference
        self.kind = kind
        self.identifier = identifier
    }
}

/// A reference to a discovered attribute, which identifies it in requests. Unique in the process:
/// an attribute that is discovered again after its service has changed has another reference.
package struct AttributeReference: Hashable, Sendable {
    private static let last = Locked(UInt64(0))
    private let number: UInt64

    /// Returns a reference that no other attribute has.
    package static func next() -> AttributeReference {
        last.change { last in
            last += 1
            return AttributeReference(number: last)
        }
    }
}
