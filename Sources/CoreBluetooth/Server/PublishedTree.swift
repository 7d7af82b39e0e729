// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// What all peripheral managers of an adapter have published: which attribute of the table that centrals
/// see is whose.
struct PublishedTree: Sendable {
    /// A characteristic of a manager.
    struct Place: Hashable, Sendable {
        let session: SessionIdentifier
        /// The number of the service among those of the manager.
        let service: Int
        /// Which characteristic of the service.
        let characteristic: Int
    }

    struct Entry: Sendable {
        let session: SessionIdentifier
        let service: PublishedService
        /// What the host has made of it.
        let published: GATT.PublishedService
        /// Whether Bluetooth was off since it was published: then the application may publish it again.
        var isFromBefore = false
    }

    /// In the order in which they were published.
    private var entries: [Entry] = []
    private var places: [AttributeHandle: Place] = [:]

    // MARK: Questions

    /// Whose value a handle is.
    func place(of handle: AttributeHandle) -> Place? { places[handle] }

    /// The handle of a value; nil if its service is gone.
    func handle(of place: Place) -> AttributeHandle? {
        guard let entry = entry(place.service, of: place.session) else { return nil }
        return entry.published.characteristics[place.characteristic].valueHandle
    }

    func entry(_ number: Int, of session: SessionIdentifier) -> Entry? {
        entries.first { $0.session == session && $0.service.number == number }
    }

    /// What a manager has published, in that order.
    func services(of session: SessionIdentifier) -> [PublishedService] {
        entries.filter { $0.session == session }.map(\.service)
    }

    /// Whether any value asks for encryption: then centrals have a reason to pair.
    var hasProtectedValues: Bool {
        entries.contains { $0.service.characteristics.contains(where: \.isProtected) }
    }

    /// The handles of services that are to be included; nil if one of them is not published.
    func handles(of numbers: [Int], of session: SessionIdentifier) -> [AttributeHandle]? {
        let handles = numbers.compactMap { entry($0, of: session)?.published.service.handle }
        return handles.count == numbers.count ? handles : nil
    }

    /// The services that a new one takes the place of: those with the same UUID that were published
    /// before Bluetooth was off, and what includes them, which has to go first.
    func predecessors(of service: PublishedService, of session: SessionIdentifier) -> [Int] {
        let uuid = CBUUID(string: service.uuid).value
        let earlier = entries.filter { $0.session == session && $0.isFromBefore }
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
        _ service: PublishedService,
        of session: SessionIdentifier,
        as published: GATT.PublishedService,
        isFromBefore: Bool = false
    ) {
        var service = service
        service.handle = published.service.handle.rawValue
        entries.append(
            Entry(
                session: session,
                service: service,
                published: published,
                isFromBefore: isFromBefore
            )
        )
        for (index, characteristic) in published.characteristics.enumerated() {
            places[characteristic.valueHandle] = Place(
                session: session,
                service: service.number,
                characteristic: index
            )
        }
    }

    /// Takes a service out.
    mutating func remove(_ number: Int, of session: SessionIdentifier) {
        entries.removeAll { $0.session == session && $0.service.number == number }
        places = places.filter { $0.value.session != session || $0.value.service != number }
    }

    /// Bluetooth is off.
    mutating func powerLost() {
        for index in entries.indices { entries[index].isFromBefore = true }
    }

    /// The application has published a service again that is there.
    mutating func renew(_ number: Int, of session: SessionIdentifier) {
        for index in entries.indices
        where entries[index].session == session && entries[index].service.number == number {
            entries[index].isFromBefore = false
        }
    }
}
