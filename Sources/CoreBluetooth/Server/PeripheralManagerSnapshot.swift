// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothTypes

/// The state that a peripheral manager shows, and the app's objects. The adapter knows the services
/// by their numbers.
struct PeripheralManagerSnapshot {
    /// A service as it was when it was added.
    struct Entry {
        let service: CBMutableService
        let characteristics: [CBMutableCharacteristic]
        let value: AddedService
    }

    var isAdvertising = false
    /// The number of times that the app has stopped advertising. Each start is sent to the adapter
    /// with the current number. Its result is ignored if the app has stopped advertising since
    /// then, so that the number is greater.
    var stopCount = 0
    /// The services that were added, by number.
    private var services: [Int: Entry] = [:]
    private var numbers: [ObjectIdentifier: Int] = [:]
    private var lastNumber = 0
    /// The services whose `didAdd` is pending, in the order of the calls.
    private var adding: [(number: Int, service: CBMutableService)] = []
    /// The centrals that are still referenced.
    private var centrals: [PeerIdentifier: WeakReference<CBCentral>] = [:]
    /// The current maximum length of a value for each connected central.
    private var valueLengths: [PeerIdentifier: Int] = [:]

    // MARK: Services

    /// Returns the number of a service that was added; `nil` for others.
    func number(of service: CBService) -> Int? { numbers[ObjectIdentifier(service)] }

    /// Adds a service, and returns its value for the adapter. A service that was added before keeps
    /// its number. If the app has changed it since then (`change(of:includes:)`), the caller
    /// removes it first, so that it gets a new number.
    mutating func add(_ service: CBMutableService, includes: [Int]) -> AddedService {
        let number = number(of: service) ?? lastNumber + 1
        let value = AddedService(service, number: number, includes: includes)
        insert(service, as: value)
        adding.append((number, service))
        return value
    }

    /// Returns the number of a service that was changed since it was added; `nil` for others.
    func change(of service: CBMutableService, includes: [Int]) -> Int? {
        guard let number = number(of: service), let entry = services[number] else { return nil }
        let value = AddedService(service, number: number, includes: includes)
        return value.publishesSame(as: entry.value) ? nil : number
    }

    /// Adds a service with the number in `value`.
    mutating func insert(_ service: CBMutableService, as value: AddedService) {
        lastNumber = max(lastNumber, value.number)
        services[value.number] = Entry(
            service: service,
            characteristics: (service.characteristics ?? []).compactMap {
                $0 as? CBMutableCharacteristic
            },
            value: value
        )
        numbers[ObjectIdentifier(service)] = value.number
    }

    /// Removes the oldest pending `didAdd` of a number, and returns its service; `nil` if none is
    /// pending.
    mutating func takeAdded(_ number: Int) -> CBMutableService? {
        guard let index = adding.firstIndex(where: { $0.number == number }) else { return nil }
        return adding.remove(at: index).service
    }

    /// Removes a service and returns it; `nil` if there is none with this number.
    mutating func remove(_ number: Int) -> Entry? {
        guard let entry = services.removeValue(forKey: number) else { return nil }
        numbers[ObjectIdentifier(entry.service)] = nil
        return entry
    }

    mutating func removeAll() -> [Entry] {
        defer {
            services = [:]
            numbers = [:]
        }
        return Array(services.values)
    }

    /// The services that were added.
    var allServices: [CBMutableService] { services.values.map(\.service) }

    /// Returns the identifier of a characteristic; `nil` if this manager has not published it.
    func characteristicID(
        of characteristic: CBCharacteristic,
        _ session: SessionIdentifier
    ) -> PublishedCharacteristicID? {
        guard let service = characteristic.service, let number = number(of: service),
            let index = services[number]?.characteristics.firstIndex(where: {
                $0 === characteristic
            })
        else { return nil }
        return .init(session: session, service: number, characteristic: index)
    }

    func characteristic(with characteristicID: PublishedCharacteristicID)
        -> CBMutableCharacteristic?
    {
        guard let characteristics = services[characteristicID.service]?.characteristics,
            characteristics.indices.contains(characteristicID.characteristic)
        else { return nil }
        return characteristics[characteristicID.characteristic]
    }

    // MARK: Centrals

    /// Returns the object for a central. It is the same one while it is referenced.
    mutating func central(_ central: ServedCentral) -> CBCentral {
        // A length that changed while the event waited is newer than the event.
        let length = valueLengths[central.peer] ?? central.maximumUpdateValueLength
        if let known = centrals[central.peer]?.object {
            known.setMaximumUpdateValueLength(length)
            return known
        }
        centrals = centrals.filter { $0.value.object != nil }
        let new = CBCentral(
            identity: .init(central.peer),
            maximumUpdateValueLength: length
        )
        centrals[central.peer] = WeakReference(new)
        return new
    }

    /// Sets the lengths of the values for all connected centrals.
    mutating func setValueLengths(_ lengths: [PeerIdentifier: Int]) {
        valueLengths = lengths
        for (peer, length) in lengths {
            centrals[peer]?.object?.setMaximumUpdateValueLength(length)
        }
    }
}
