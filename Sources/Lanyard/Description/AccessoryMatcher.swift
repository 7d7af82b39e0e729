// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A rule that selects devices by their advertisements.
///
/// ```swift
/// let ours: AccessoryMatcher = .all(.service("180D"), .signal(atLeast: -70))
/// ```
public struct AccessoryMatcher: Sendable {
    /// The services to scan for: a matching device advertises at least one of them. `nil` if the
    /// rule requires no service. Without services the scan reports all devices. That costs power,
    /// and in the background, iOS reports no device to such a scan.
    public let services: Set<BluetoothID>?
    /// Whether a later packet of a device may match although an earlier one did not, for example
    /// because its signal is stronger. The scan must then report every packet.
    let looksBeyondServices: Bool
    /// A name that a matching device must have; `nil` if the rule requires none. It is compared
    /// first, because that is fast.
    let name: String?
    private let test: @Sendable (Discovery) -> Bool

    private init(
        services: Set<BluetoothID>? = nil,
        looksBeyondServices: Bool = true,
        name: String? = nil,
        _ test: @escaping @Sendable (Discovery) -> Bool
    ) {
        self.services = services
        self.name = name
        self.looksBeyondServices = looksBeyondServices
        self.test = test
    }

    /// Returns whether the advertisement is from a matching device.
    ///
    /// - Parameter discovery: The data of the advertisement.
    public func matches(_ discovery: Discovery) -> Bool {
        if let name, discovery.name != name { return false }
        return test(discovery)
    }

    /// Returns a matcher for devices that advertise the service.
    ///
    /// - Parameter service: The UUID of the service.
    public static func service(_ service: BluetoothID) -> AccessoryMatcher {
        AccessoryMatcher(services: [service], looksBeyondServices: false) {
            $0.services.contains(service)
        }
    }

    /// Returns a matcher for devices whose manufacturer data begins with this prefix.
    ///
    /// - Parameter prefix: The first bytes of the manufacturer data, which begins with the company
    ///   identifier, low byte first.
    public static func manufacturerData(prefix: Data) -> AccessoryMatcher {
        AccessoryMatcher { $0.manufacturerData?.starts(with: prefix) ?? false }
    }

    /// Returns a matcher for devices of a company whose manufacturer data passes the test.
    ///
    /// - Parameters:
    ///   - company: The company identifier.
    ///   - test: A test of the data that follows the company identifier; by default all data
    ///     passes. The central runs it on its queue.
    public static func manufacturerData(
        company: UInt16,
        where test: @escaping @Sendable (Data) -> Bool = { _ in true }
    ) -> AccessoryMatcher {
        AccessoryMatcher { discovery in
            guard let data = discovery.manufacturerData, data.count >= 2 else { return false }
            let bytes = Array(data.prefix(2))
            guard UInt16(bytes[0]) | UInt16(bytes[1]) << 8 == company else { return false }
            return test(Data(data.dropFirst(2)))
        }
    }

    /// Returns a matcher for devices that advertise data of the service that passes the test.
    ///
    /// - Parameters:
    ///   - service: The UUID of the service.
    ///   - test: A test of the data; by default all data passes. The central runs it on its queue.
    public static func serviceData(
        _ service: BluetoothID,
        where test: @escaping @Sendable (Data) -> Bool = { _ in true }
    ) -> AccessoryMatcher {
        AccessoryMatcher { $0.serviceData[service].map(test) ?? false }
    }

    /// Returns a matcher for devices with this name.
    ///
    /// - Parameter name: The complete name.
    public static func name(_ name: String) -> AccessoryMatcher {
        AccessoryMatcher(name: name) { _ in true }
    }

    /// Returns a matcher for devices whose name passes the test.
    ///
    /// - Parameter test: A test of the name. The central runs it on its queue.
    public static func name(where test: @escaping @Sendable (String) -> Bool) -> AccessoryMatcher {
        AccessoryMatcher { $0.name.map(test) ?? false }
    }

    /// Returns a matcher for devices that are near: their signal strength is at least the
    /// threshold. Devices with an unknown signal strength do not match.
    ///
    /// - Parameter threshold: The lowest signal strength (RSSI) in dBm.
    public static func signal(atLeast threshold: Int) -> AccessoryMatcher {
        AccessoryMatcher { $0.rssi.map { $0 >= threshold } ?? false }
    }

    /// Returns a matcher for devices whose advertisement passes the test.
    ///
    /// - Parameter test: A test of the advertisement. The central runs it on its queue.
    public static func custom(
        _ test: @escaping @Sendable (Discovery) -> Bool
    ) -> AccessoryMatcher {
        AccessoryMatcher(test)
    }

    /// Returns a matcher for devices that all of the matchers match.
    ///
    /// - Parameter matchers: The matchers. Without any, all devices match.
    public static func all(_ matchers: AccessoryMatcher...) -> AccessoryMatcher {
        // One matcher's services are enough for the filter, because a device must match that
        // matcher too.
        let services = matchers.lazy.compactMap(\.services).min { $0.count < $1.count }
        // The data for several matchers may arrive in different packets.
        let looksBeyond = matchers.count > 1 || matchers.contains(where: \.looksBeyondServices)
        return AccessoryMatcher(
            services: services,
            looksBeyondServices: looksBeyond,
            name: matchers.lazy.compactMap(\.name).first
        ) { discovery in
            matchers.allSatisfy { $0.matches(discovery) }
        }
    }

    /// Returns a matcher for devices that at least one of the matchers matches.
    ///
    /// - Parameter matchers: The matchers. Without any, no device matches.
    public static func any(_ matchers: AccessoryMatcher...) -> AccessoryMatcher {
        let services = matchers.map(\.services)
        let union: Set<BluetoothID>? =
            services.isEmpty || services.contains(nil)
            ? nil : services.compactMap(\.self).reduce(into: []) { $0.formUnion($1) }
        let looksBeyond = matchers.contains(where: \.looksBeyondServices)
        return AccessoryMatcher(services: union, looksBeyondServices: looksBeyond) { discovery in
            matchers.contains { $0.matches(discovery) }
        }
    }
}
