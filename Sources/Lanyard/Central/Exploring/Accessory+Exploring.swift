// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Accessory {
    // MARK: Exploring

    /// Discovers all services of the accessory with their characteristics, descriptors and included
    /// services, whether or not the description declares them.
    ///
    /// ```swift
    /// for service in try await accessory.discoverServices() {
    ///     print(service.identifier.name ?? service.identifier.text)
    ///     for characteristic in service.characteristics
    ///     where characteristic.properties.contains(.read) {
    ///         print(characteristic.identifier, try await accessory.read(characteristic))
    ///     }
    /// }
    /// ```
    ///
    /// The call makes several requests for each service, so it suits tools and diagnosis. It is
    /// possible in the states `connected` and `ready`, and does not change them.
    ///
    /// - Returns: The primary services in the order of the accessory, and then the services that
    ///   are only included.
    /// - Throws: ``AccessoryError/notConnected``; ``AccessoryError/refused(code:text:)``;
    ///   ``AccessoryError/linkEnded``; ``AccessoryError/servicesChanged``;
    ///   ``AccessoryError/tooManyRequests(limit:)`` if 256 requests wait;
    ///   ``AccessoryError/requestTimedOut(after:)`` if one of the requests takes longer than
    ///   ``AccessoryTimeouts/requests``; ``AccessoryError/shutDown``; ``AccessoryError/cancelled``.
    public func discoverServices() async throws(AccessoryError) -> [DiscoveredService] {
        try await driver.explore(snapshot)
    }

    /// Discovers the descriptors of a declared characteristic.
    ///
    /// - Parameter characteristic: The UUID of the characteristic. If several services have it, the
    ///   first one in the description applies.
    /// - Returns: The descriptors in the order of the accessory.
    /// - Throws: ``AccessoryError/unknownCharacteristic(_:)`` if the description does not declare
    ///   the characteristic or it is not discovered, and the errors of ``discoverServices()``.
    public func descriptors(
        of characteristic: BluetoothID
    ) async throws(AccessoryError) -> [DiscoveredDescriptor] {
        try await driver.descriptors(of: characteristic, snapshot)
    }

    /// Reads a discovered characteristic, which the description need not declare.
    ///
    /// - Parameter characteristic: The characteristic, discovered during this link.
    /// - Returns: The value.
    /// - Throws: ``AccessoryError/unknownCharacteristic(_:)`` if the characteristic is of an
    ///   earlier link or its service has changed; ``AccessoryError/notPermitted(_:)`` if it cannot
    ///   be read; and the errors of ``discoverServices()``.
    public func read(
        _ characteristic: DiscoveredCharacteristic
    ) async throws(AccessoryError) -> Data {
        guard characteristic.properties.contains(.read) else {
            throw .notPermitted(characteristic.identifier)
        }
        let answer = try await driver.read(
            characteristic.reference,
            of: characteristic.identifier,
            snapshot
        )
        guard case .value(let value) = answer else { throw .linkEnded }
        return value
    }

    /// Reads a descriptor.
    ///
    /// ```swift
    /// for descriptor in try await accessory.descriptors(of: "2A56") {
    ///     print(descriptor.identifier, try await accessory.read(descriptor))
    /// }
    /// ```
    ///
    /// - Parameter descriptor: The descriptor, discovered during this link.
    /// - Returns: Its contents.
    /// - Throws: ``AccessoryError/unknownCharacteristic(_:)`` with the UUID of the descriptor's
    ///   characteristic if the descriptor is of an earlier link or the service has changed, and the
    ///   errors of ``discoverServices()``.
    public func read(
        _ descriptor: DiscoveredDescriptor
    ) async throws(AccessoryError) -> DescriptorContent {
        let answer = try await driver.read(
            descriptor.reference,
            of: descriptor.characteristic,
            snapshot
        )
        guard case .descriptor(let content) = answer else { throw .linkEnded }
        return content
    }
}
