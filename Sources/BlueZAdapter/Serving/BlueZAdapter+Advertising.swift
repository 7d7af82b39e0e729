// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import DBus
import HCITransports

/// An advertising set, as an object that the daemon reads (org.bluez.LEAdvertisement1).
struct DaemonAdvertisement: Sendable {
    let path: DBusObjectPath
    let properties: DaemonObjects.Properties

    /// Returns whether messages of the bus can contain the advertising. A text with a zero byte
    /// would end the connection to the bus.
    static func canDescribe(_ advertising: Advertising) -> Bool {
        properties(of: advertising)["LocalName"]?.string?.utf8.contains(0) != true
    }

    /// Returns the properties of an object that describes advertising.
    static func properties(of advertising: Advertising) -> DaemonObjects.Properties {
        let type = advertising.isConnectable ? "peripheral" : "broadcast"
        var properties: DaemonObjects.Properties = ["Type": .string(type)]
        switch advertising.content {
        case .raw(let bytes, let scanResponse):
            let data = AdvertisingData(bytes).merging(scanResponse: AdvertisingData(scanResponse))
            properties.add(
                name: data.localName,
                services: data.serviceUUIDs,
                manufacturerData: data.allManufacturerData.map { ($0.company, $0.bytes) },
                serviceData: data.serviceData.map { ($0, $1) }
            )
        case .composed(let content):
            properties.add(
                name: content.localName,
                services: content.serviceUUIDs,
                manufacturerData: content.manufacturerData.map { ($0.company, $0.bytes) },
                serviceData: content.serviceData.map { ($0.uuid, $0.bytes) }
            )
            properties["Appearance"] = content.appearance.map { .uint16($0) }
        }
        // Without this property, the daemon advertises as discoverable only while its adapter is
        // discoverable.
        if advertising.isConnectable { properties["Discoverable"] = .boolean(true) }
        properties["MinInterval"] = milliseconds(advertising.interval.lowerBound)
        properties["MaxInterval"] = milliseconds(advertising.interval.upperBound)
        return properties
    }

    /// Returns an advertising interval in milliseconds, within the limits of legacy advertising
    /// (Vol 4, Part E, 7.8.5). Most controllers support only these limits.
    private static func milliseconds(_ interval: Duration) -> DBusValue {
        .uint32(UInt32(min(max(interval / .milliseconds(1), 20), 10_240)))
    }
}

extension DaemonObjects.Properties {
    fileprivate mutating func add(
        name: String?,
        services: [BluetoothUUID],
        manufacturerData: [(UInt16, [UInt8])],
        serviceData: [(BluetoothUUID, [UInt8])]
    ) {
        if let name { self["LocalName"] = .string(name) }
        if !services.isEmpty { self["ServiceUUIDs"] = .strings(services.map(\.bluez)) }
        if !manufacturerData.isEmpty {
            let entries = manufacturerData.map { company, bytes in
                DBusValue.Entry(.uint16(company), .variant(.bytes(bytes)))
            }
            self["ManufacturerData"] = .dictionary(.uint16, .variant, entries)
        }
        if !serviceData.isEmpty {
            let entries = serviceData.map { uuid, bytes in
                DBusValue.Entry(.string(uuid.bluez), .variant(.bytes(bytes)))
            }
            self["ServiceData"] = .dictionary(.string, .variant, entries)
        }
    }
}

// Advertising.
extension BlueZAdapter {
    /// The maximum number of advertising sets. Controllers have fewer.
    static let advertisementLimit = 64
    private static let zeroByte = "the name contains a zero byte"

    package nonisolated func advertise(
        _ advertising: Advertising,
        then completion: @escaping PortCompletion<Void>
    ) -> RequestIdentifier {
        onThread { adapter in
            let id = RequestIdentifier(rawValue: adapter.nextNumber())
            guard adapter.capabilities.contains(.advertising) else {
                adapter.fail(.unsupported(.advertising), completion)
                return id
            }
            guard adapter.advertisements.count < Self.advertisementLimit else {
                adapter.fail(.tooManyRequests, completion)
                return id
            }
            guard DaemonAdvertisement.canDescribe(advertising) else {
                adapter.fail(.other(Self.zeroByte), completion)
                return id
            }
            adapter.begin(advertising, as: id, then: completion)
            return id
        }
    }

    package nonisolated func update(
        _ set: RequestIdentifier,
        to advertising: Advertising,
        then completion: @escaping PortCompletion<Void>
    ) {
        onThread { adapter in
            guard adapter.advertisements[set] != nil else {
                return adapter.fail(.refused(.unknown), completion)
            }
            guard DaemonAdvertisement.canDescribe(advertising) else {
                return adapter.fail(.other(Self.zeroByte), completion)
            }
            // The daemon applies changes of an object's properties one by one, and reports no
            // refusal of them (src/advertising.c, `properties_changed`). Changed advertising
            // therefore gets a new object.
            adapter.endAdvertising(set)
            adapter.begin(advertising, as: set, isChange: true, then: completion)
        }
    }

    package nonisolated func endAdvertising(_ set: RequestIdentifier) {
        onThread { adapter in
            guard let ended = adapter.advertisements.removeValue(forKey: set) else { return }
            adapter.unregister(ended)
        }
    }

    private func unregister(_ advertisement: DaemonAdvertisement) {
        guard let adapterPath else { return }
        let arguments: [DBusValue] = [.objectPath(advertisement.path)]
        let interface = BlueZ.Interface.advertisingManager
        send(BlueZ.call(adapterPath, interface, "UnregisterAdvertisement", arguments))
    }

    private func fail(_ error: PortError, _ completion: @escaping PortCompletion<Void>) {
        thread.perform { completion(.failure(error)) }
    }

    /// Registers a set with a new object. If the registration fails, the set ends, except for a
    /// changed set while the daemon is unavailable: `registerAgain(_:)` registers that one later.
    private func begin(
        _ advertising: Advertising,
        as set: RequestIdentifier,
        isChange: Bool = false,
        then completion: @escaping PortCompletion<Void>
    ) {
        guard let path = nextAdvertisementPath() else { return fail(.outOfSpace, completion) }
        let properties = DaemonAdvertisement.properties(of: advertising)
        let advertisement = DaemonAdvertisement(path: path, properties: properties)
        advertisements[set] = advertisement
        register(advertisement) { adapter, error in
            let isCurrent = adapter.advertisements[set]?.path == path
            let hasEnded = isCurrent && error != nil && !(isChange && error == .unavailable)
            if hasEnded { adapter.advertisements[set] = nil }
            completion(error.map { .failure($0) } ?? .success(()))
            if hasEnded, isChange { adapter.report(.advertisingEnded(set)) }
        }
    }

    private func register(
        _ advertisement: DaemonAdvertisement,
        then done: @escaping @Sendable (isolated BlueZAdapter, PortError?) -> Void
    ) {
        guard let adapterPath, state == .ready else {
            return thread.perform { [weak self] in self?.onThread { done($0, .unavailable) } }
        }
        let arguments: [DBusValue] = [.objectPath(advertisement.path), .properties([:])]
        let message = BlueZ.call(
            adapterPath,
            BlueZ.Interface.advertisingManager,
            "RegisterAdvertisement",
            arguments
        )
        call(message) { adapter, result in
            switch result {
            case .success: done(adapter, nil)
            case .failure(let error): done(adapter, DaemonError.port(error))
            }
        }
    }

    /// Registers sets again, after the daemon has started again or its adapter was off. The daemon
    /// remembers the sets of an adapter that was off, and would refuse their paths. Each set
    /// therefore gets a new path.
    ///
    /// - Parameter known: The sets before the adapter was ready. Sets that have changed since then
    ///   are already registered.
    func registerAgain(_ known: [RequestIdentifier: DaemonAdvertisement]) {
        for (set, old) in known where advertisements[set]?.path == old.path {
            unregister(old)
            guard let path = nextAdvertisementPath() else { continue }
            let new = DaemonAdvertisement(path: path, properties: old.properties)
            advertisements[set] = new
            register(new) { adapter, error in
                if error != nil { adapter.advertisingEnded(set, at: path) }
            }
        }
    }

    private func nextAdvertisementPath() -> DBusObjectPath? {
        DBusObjectPath("/org/lanyard/advertisement\(nextNumber())")
    }

    private func advertisingEnded(_ set: RequestIdentifier, at path: DBusObjectPath) {
        guard advertisements[set]?.path == path else { return }
        advertisements[set] = nil
        report(.advertisingEnded(set))
    }

    /// Answers a call of an advertisement's object.
    func answerAdvertisement(
        _ call: DBusMessage,
        _ path: DBusObjectPath,
        _ interface: String?,
        _ member: String
    ) {
        guard let (set, advertisement) = advertisements.first(where: { $0.value.path == path })
        else { return refuse(call, "org.freedesktop.DBus.Error.UnknownObject") }
        switch (interface, member) {
        case (BlueZ.Interface.properties, "GetAll"):
            reply(to: call, [.properties(advertisement.properties)])
        case (BlueZ.Interface.advertisement, "Release"):
            reply(to: call)
            advertisingEnded(set, at: path)
        default: refuse(call, "org.freedesktop.DBus.Error.UnknownMethod")
        }
    }
}
