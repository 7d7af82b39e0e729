// SPDX-License-Identifier: Apache-2.0

import Foundation

// Explorations: the discoveries that the app requests, and its reads of the discovered attributes.

extension CentralDriver {
    /// Discovers all services and their contents. Each service is visited once, so the loop ends
    /// even if services include one another.
    func explore(_ snapshot: AccessorySnapshot) async throws(AccessoryError) -> [DiscoveredService]
    {
        var waiting = try await discover(.services, snapshot)
        var known = Set(waiting.map(\.reference))
        var found: [DiscoveredService] = []
        while !waiting.isEmpty {
            let service = waiting.removeFirst()
            let included = try await discover(.includedServices(service.reference), snapshot)
            waiting += included.filter { known.insert($0.reference).inserted }
            var characteristics: [DiscoveredCharacteristic] = []
            for one in try await discover(.characteristics(service.reference), snapshot) {
                let characteristic = DiscoveredCharacteristic(
                    identifier: one.identifier,
                    service: service.identifier,
                    properties: one.properties,
                    descriptors: try await descriptors(one, snapshot),
                    reference: one.reference
                )
                characteristics.append(characteristic)
            }
            found.append(
                DiscoveredService(
                    identifier: service.identifier,
                    isPrimary: service.isPrimary,
                    includedServices: included.map(\.identifier),
                    characteristics: characteristics
                )
            )
        }
        return found
    }

    /// Discovers the descriptors of a declared characteristic.
    func descriptors(
        of characteristic: BluetoothID,
        _ snapshot: AccessorySnapshot
    ) async throws(AccessoryError) -> [DiscoveredDescriptor] {
        let answer = try await ask(snapshot) { driver, entry, number throws(AccessoryError) in
            let (_, found) = try driver.characteristic(characteristic, of: entry)
            entry.replies.removeValue(forKey: number)?
                .complete(.success(.attributes([found])))
        }
        guard case .attributes(let found) = answer, let first = found.first else {
            throw .linkEnded
        }
        return try await descriptors(first, snapshot)
    }

    private func descriptors(
        _ characteristic: SystemAttribute,
        _ snapshot: AccessorySnapshot
    ) async throws(AccessoryError) -> [DiscoveredDescriptor] {
        try await discover(.descriptors(characteristic.reference), snapshot).map {
            DiscoveredDescriptor(
                identifier: $0.identifier,
                characteristic: characteristic.identifier,
                reference: $0.reference
            )
        }
    }

    private func discover(
        _ subject: RequestTable.Subject,
        _ snapshot: AccessorySnapshot
    ) async throws(AccessoryError) -> [SystemAttribute] {
        let answer = try await ask(snapshot) { driver, entry, number throws(AccessoryError) in
            try driver.begin(subject, number, entry)
        }
        guard case .attributes(let attributes) = answer else { throw .linkEnded }
        return attributes
    }

    /// Reads an attribute that was discovered for the app.
    func read(
        _ reference: AttributeReference,
        of characteristic: BluetoothID,
        _ snapshot: AccessorySnapshot
    ) async throws(AccessoryError) -> RequestAnswer {
        try await ask(snapshot) { driver, entry, number throws(AccessoryError) in
            guard entry.peripheral?.attribute(reference) != nil else {
                throw .unknownCharacteristic(characteristic)
            }
            try driver.begin(.value(reference), number, entry)
        }
    }

    private func begin(
        _ subject: RequestTable.Subject,
        _ number: Int,
        _ entry: AccessoryEntry
    ) throws(AccessoryError) {
        let state = entry.snapshot.change.state
        guard state == .ready || state == .connected, let peripheral = entry.peripheral else {
            throw .notConnected
        }
        if let attribute = subject.attribute, peripheral.attribute(attribute) == nil {
            throw .servicesChanged
        }
        try expect(subject, number, entry)
        record(.call, "explore \(subject.name(in: peripheral))", entry)
        if let request = subject.request { send(request, entry) }
    }

    /// Passes a result to the app's request for it.
    ///
    /// - Returns: Whether the state machine may also use the result. It may not if the app
    ///   requested the result but no longer waits for it.
    func explored(
        _ subject: RequestTable.Subject,
        _ attributes: [SystemAttribute],
        _ failure: LinkFailure?,
        _ entry: AccessoryEntry
    ) -> Bool {
        let isAnswered = { (asked: RequestTable.Subject) in
            asked == subject || (asked == .neededServices && subject == .services)
        }
        guard let asked = entry.requests.answered(isAnswered), asked.subject == subject else {
            return true
        }
        guard let reply = entry.replies.removeValue(forKey: asked.number) else { return false }
        reply.complete(
            failure.map { .failure(AccessoryError($0)) } ?? .success(.attributes(attributes))
        )
        updateDeadline(of: entry)
        return true
    }

    /// Fails the explorations, because services have changed.
    func failExplorations(of entry: AccessoryEntry) {
        let peripheral = entry.peripheral
        let numbers = entry.requests.loseExplorations { peripheral?.attribute($0) != nil }
        for number in numbers {
            entry.replies.removeValue(forKey: number)?.complete(.failure(.servicesChanged))
        }
    }
}

extension RequestTable.Subject {
    /// The attribute of an exploration; `nil` for `services` and for requests that are no
    /// explorations.
    var attribute: AttributeReference? {
        switch self {
        case .includedServices(let attribute), .characteristics(let attribute),
            .descriptors(let attribute), .value(let attribute):
            attribute
        case .read, .probe, .signal, .channel, .services, .neededServices: nil
        }
    }

    /// The request for an exploration; `nil` for other requests.
    fileprivate var request: PeripheralRequest? {
        switch self {
        case .services: .discoverServices(nil)
        case .includedServices(let service): .discoverIncludedServices(of: service)
        case .characteristics(let service): .discoverCharacteristics(nil, of: service)
        case .descriptors(let characteristic): .discoverDescriptors(of: characteristic)
        case .value(let attribute): .read(attribute)
        case .read, .probe, .signal, .channel, .neededServices: nil
        }
    }

    /// Returns the text of the request for records.
    fileprivate func name(in peripheral: SystemPeripheral) -> String {
        let found = attribute.flatMap { peripheral.attribute($0) }
        let place = found.map { " of \($0.identifier)" } ?? ""
        return switch self {
        case .services: "services"
        case .includedServices: "included services" + place
        case .characteristics: "characteristics" + place
        case .descriptors: "descriptors" + place
        case .value: "value" + place
        case .read, .probe, .signal, .channel, .neededServices: ""
        }
    }
}
