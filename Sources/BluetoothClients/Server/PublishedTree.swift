// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// A published characteristic, identified by its manager, its service and its position in the
/// service.
package struct PublishedCharacteristicID: Hashable, Sendable {
    package let session: SessionIdentifier
    /// The number of the service at its manager.
    package let service: Int
    /// The index of the characteristic in the service.
    package let characteristic: Int

    package init(session: SessionIdentifier, service: Int, characteristic: Int) {
        self.session = session
        self.service = service
        self.characteristic = characteristic
    }
}

/// The services that all peripheral managers of an adapter have published, and the managers to
/// which the attributes in the adapter's database belong.
package struct PublishedTree: Sendable {
    struct Entry: Sendable {
        package let session: SessionIdentifier
        let service: AddedService
        /// The service in the host's database.
        let published: GATT.DiscoveredService
        /// Whether Bluetooth has been off since the service was published, or a former process
        /// published it. The application may then publish it again.
        var isFromEarlierSession = false
    }

    /// The services in the order in which they were published.
    private var entries: [Entry] = []
    private var characteristicIDs: [AttributeHandle: PublishedCharacteristicID] = [:]

    // MARK: Queries

    /// Returns the characteristic with a value handle.
    func characteristicID(of handle: AttributeHandle) -> PublishedCharacteristicID? {
        characteristicIDs[handle]
    }

    /// Returns the value handle of a characteristic; `nil` if its service is no longer published.
    func handle(of characteristicID: PublishedCharacteristicID) -> AttributeHandle? {
        guard let entry = entry(characteristicID.service, of: characteristicID.session) else {
            return nil
        }
        return entry.published.characteristics[characteristicID.characteristic].valueHandle
    }

    func entry(_ number: Int, of session: SessionIdentifier) -> Entry? {
        entries.first { $0.session == session && $0.service.number == number }
    }

    /// Returns the entry of a service in the host's database.
    func entry(publishedAs service: GATT.DiscoveredService) -> Entry? {
        entries.first { $0.published == service }
    }

    /// Returns the services of a manager, in the order in which they were published.
    func services(of session: SessionIdentifier) -> [AddedService] {
        entries.filter { $0.session == session }.map(\.service)
    }

    /// Whether a value requires encryption, which is a reason for centrals to pair.
    var hasProtectedValues: Bool {
        entries.contains { $0.service.characteristics.contains(where: \.isProtected) }
    }

    /// Returns the handles of services to include; `nil` if one of them is not published.
    func handles(of numbers: [Int], of session: SessionIdentifier) -> [AttributeHandle]? {
        let handles = numbers.compactMap { entry($0, of: session)?.published.service.handle }
        return handles.count == numbers.count ? handles : nil
    }

    /// Returns the services that a new service replaces, in the order in which to remove them. They
    /// have the same UUID, or include such a service, and were published before Bluetooth was off,
    /// or by a former process.
    func predecessors(of service: AddedService, of session: SessionIdentifier) -> [Int] {
        let uuid = service.type
        let earlier = entries.filter { $0.session == session && $0.isFromEarlierSession }
        var numbers = Set(
            earlier.filter { $0.published.service.uuid == uuid }.map(\.service.number)
        )
        for entry in earlier where !numbers.isDisjoint(with: entry.service.includes) {
            numbers.insert(entry.service.number)
        }
        return earlier.map(\.service.number).filter(numbers.contains).reversed()
    }

    // MARK: Changes

    mutating func insert(
        _ service: AddedService,
        of session: SessionIdentifier,
        as published: GATT.DiscoveredService,
        isFromEarlierSession: Bool = false
    ) {
        var service = service
        service.handle = published.service.handle.rawValue
        entries.append(
            Entry(
                session: session,
                service: service,
                published: published,
                isFromEarlierSession: isFromEarlierSession
            )
        )
        for (index, characteristic) in published.characteristics.enumerated() {
            characteristicIDs[characteristic.valueHandle] = PublishedCharacteristicID(
                session: session,
                service: service.number,
                characteristic: index
            )
        }
    }

    /// Removes a service.
    mutating func remove(_ number: Int, of session: SessionIdentifier) {
        entries.removeAll { $0.session == session && $0.service.number == number }
        characteristicIDs = characteristicIDs.filter {
            $0.value.session != session || $0.value.service != number
        }
    }

    /// Records that all services were published before Bluetooth was off.
    mutating func powerLost() {
        for index in entries.indices { entries[index].isFromEarlierSession = true }
    }

    /// Records that the application has published a service again.
    mutating func renew(_ number: Int, of session: SessionIdentifier) {
        for index in entries.indices
        where entries[index].session == session && entries[index].service.number == number {
            entries[index].isFromEarlierSession = false
        }
    }
}
