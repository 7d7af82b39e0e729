// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Which of the devices around are meant.
///
/// ```swift
/// let ours: AccessoryMatcher = .all(.service("180D"), .signal(atLeast: -70))
/// ```
public struct AccessoryMatcher: Sendable {
    /// The services of which a device must advertise at least one to match; nil if that is not so, and
    /// everything around has to be looked at, which costs power, and which Apple's systems do not do in
    /// the background.
    public let services: Set<BluetoothID>?
    /// Whether it looks at more than services: at what may be otherwise in the next packet, such as the
    /// signal, or a name. A scan for such devices has to report every packet.
    let looksBeyondServices: Bool
    private let test: @Sendable (Sighting) -> Bool

    private init(
        services: Set<BluetoothID>? = nil,
        looksBeyondServices: Bool = true,
        _ test: @escaping @Sendable (Sighting) -> Bool
    ) {
        self.services = services
        self.looksBeyondServices = looksBeyondServices
        self.test = test
    }

    /// Whether what was heard is of such a device.
    public func matches(_ sighting: Sighting) -> Bool { test(sighting) }

    /// Those that advertise the service.
    public static func service(_ service: BluetoothID) -> AccessoryMatcher {
        AccessoryMatcher(services: [service], looksBeyondServices: false) {
            $0.services.contains(service)
        }
    }

    /// Those whose manufacturer's data begins like this: the company's number with its low octet first,
    /// and whatever follows.
    public static func manufacturerData(prefix: Data) -> AccessoryMatcher {
        AccessoryMatcher { $0.manufacturerData?.starts(with: prefix) ?? false }
    }

    /// Those of a company, of whose data (without its number) this is true.
    public static func manufacturerData(
        company: UInt16,
        where test: @escaping @Sendable (Data) -> Bool = { _ in true }
    ) -> AccessoryMatcher {
        AccessoryMatcher { sighting in
            guard let data = sighting.manufacturerData, data.count >= 2 else { return false }
            let octets = Array(data.prefix(2))
            guard UInt16(octets[0]) | UInt16(octets[1]) << 8 == company else { return false }
            return test(Data(data.dropFirst(2)))
        }
    }

    /// Those that say something about a service of which this is true.
    public static func serviceData(
        _ service: BluetoothID,
        where test: @escaping @Sendable (Data) -> Bool = { _ in true }
    ) -> AccessoryMatcher {
        AccessoryMatcher { $0.serviceData[service].map(test) ?? false }
    }

    /// Those with the name.
    public static func name(_ name: String) -> AccessoryMatcher {
        AccessoryMatcher { $0.name == name }
    }

    /// Those with a name of which this is true.
    public static func name(where test: @escaping @Sendable (String) -> Bool) -> AccessoryMatcher {
        AccessoryMatcher { $0.name.map(test) ?? false }
    }

    /// Those that are received at least so strongly, in dBm: those that are near.
    public static func signal(atLeast threshold: Int) -> AccessoryMatcher {
        AccessoryMatcher { $0.rssi.map { $0 >= threshold } ?? false }
    }

    /// Those of which this is true.
    public static func custom(
        _ test: @escaping @Sendable (Sighting) -> Bool
    ) -> AccessoryMatcher {
        AccessoryMatcher(test)
    }

    /// Those that all of the others mean.
    public static func all(_ matchers: AccessoryMatcher...) -> AccessoryMatcher {
        // One that narrows the scan is enough: the device has to match it, too.
        let services = matchers.lazy.compactMap(\.services).min { $0.count < $1.count }
        // What fulfils several need not stand in one packet.
        let looksBeyond = matchers.count > 1 || matchers.contains(where: \.looksBeyondServices)
        return AccessoryMatcher(services: services, looksBeyondServices: looksBeyond) { sighting in
            matchers.allSatisfy { $0.matches(sighting) }
        }
    }

    /// Those that one of the others means.
    public static func any(_ matchers: AccessoryMatcher...) -> AccessoryMatcher {
        let services = matchers.map(\.services)
        let union: Set<BluetoothID>? =
            services.contains(nil)
            ? nil : services.compactMap(\.self).reduce(into: []) { $0.formUnion($1) }
        let looksBeyond = matchers.contains(where: \.looksBeyondServices)
        return AccessoryMatcher(services: union, looksBeyondServices: looksBeyond) { sighting in
            matchers.contains { $0.matches(sighting) }
        }
    }
}
