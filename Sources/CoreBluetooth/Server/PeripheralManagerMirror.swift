// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// What a peripheral manager has of its own: the application's objects, by the names that the adapter
/// knows them by.
struct PeripheralManagerMirror {
    var isAdvertising = false
    /// How often advertising was stopped: what an earlier start comes to is not believed.
    var stopCount = 0
    /// What was added, by number; the characteristics of a service cannot change while it is here.
    private(set) var services: [Int: CBMutableService] = [:]
    private var numbers: [ObjectIdentifier: Int] = [:]
    private var lastNumber = 0
    /// What the delegate is still to be told of, in the order of the calls.
    private var adding: [(number: Int, service: CBMutableService)] = []
    /// Centrals that somebody has, or the application.
    private var centrals: [PeerIdentifier: WeakReference<CBCentral>] = [:]

    // MARK: Services

    /// The number of a service that was added; nil for any other.
    func number(of service: CBService) -> Int? { numbers[ObjectIdentifier(service)] }

    /// Takes a service in, under the number that it has or a new one.
    mutating func add(_ service: CBMutableService) -> Int {
        let known = number(of: service)
        let number = known ?? lastNumber + 1
        if known == nil { insert(service, as: number) }
        adding.append((number, service))
        return number
    }

    /// Takes in a service that has a number already.
    mutating func insert(_ service: CBMutableService, as number: Int) {
        lastNumber = max(lastNumber, number)
        services[number] = service
        numbers[ObjectIdentifier(service)] = number
    }

    /// The service with this number, of which an `add` was open; nil if none was.
    mutating func takeAdded(_ number: Int) -> CBMutableService? {
        guard let index = adding.firstIndex(where: { $0.number == number }) else { return nil }
        return adding.remove(at: index).service
    }

    /// Lets a service go; nil if it is not there.
    mutating func remove(_ number: Int) -> CBMutableService? {
        guard let service = services.removeValue(forKey: number) else { return nil }
        numbers[ObjectIdentifier(service)] = nil
        return service
    }

    mutating func removeAll() -> [CBMutableService] {
        defer {
            services = [:]
            numbers = [:]
        }
        return Array(services.values)
    }

    /// Where a characteristic is; nil if it is none of this manager's.
    func place(
        of characteristic: CBCharacteristic,
        _ session: SessionIdentifier
    ) -> PublishedTree.Place? {
        guard let service = characteristic.service, let number = number(of: service),
            let index = service.characteristics?.firstIndex(where: { $0 === characteristic })
        else { return nil }
        return .init(session: session, service: number, characteristic: index)
    }

    func characteristic(at place: PublishedTree.Place) -> CBMutableCharacteristic? {
        guard let characteristics = services[place.service]?.characteristics,
            characteristics.indices.contains(place.characteristic)
        else { return nil }
        return characteristics[place.characteristic] as? CBMutableCharacteristic
    }

    // MARK: Centrals

    /// The object for a central: the same as long as anybody has it.
    mutating func central(_ central: ServedCentral) -> CBCentral {
        if let known = knownCentral(central.peer) { return known }
        centrals = centrals.filter { $0.value.object != nil }
        let new = CBCentral(
            identity: .init(central.peer),
            maximumUpdateValueLength: central.maximumUpdateValueLength
        )
        centrals[central.peer] = WeakReference(new)
        return new
    }

    func knownCentral(_ peer: PeerIdentifier) -> CBCentral? { centrals[peer]?.object }
}
