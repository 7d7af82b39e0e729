// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The data of an advertisement, and of its scan response, from one device.
public struct Discovery: Hashable, Sendable {
    /// The identifier that the system assigns to the device. It is permanent if the device is
    /// bonded. Otherwise it lasts as long as the device's address.
    public var identifier: UUID
    /// The advertised name, otherwise the name that the system remembers; `nil` if it is unknown.
    public var name: String?
    /// The advertised services.
    public var services: [BluetoothID]
    /// The data about services, by service.
    public var serviceData: [BluetoothID: Data]
    /// The manufacturer data: the company identifier in two bytes, low byte first, and the data
    /// that follows; `nil` if there is none.
    public var manufacturerData: Data?
    /// The signal strength (RSSI) in dBm; `nil` if it is unknown.
    public var rssi: Int?
    /// The advertised transmit power in dBm; `nil` if there is none.
    public var transmitPower: Int?
    /// Whether the device accepts connections.
    public var isConnectable: Bool

    /// Creates a discovery; every property except the identifier has a default.
    ///
    /// - Parameters:
    ///   - identifier: The identifier that the system assigns to the device.
    ///   - name: The name; `nil` if it is unknown.
    ///   - services: The advertised services.
    ///   - serviceData: The data about services, by service.
    ///   - manufacturerData: The company identifier in two bytes, low byte first, and the data that
    ///     follows; `nil` if there is none.
    ///   - rssi: The signal strength (RSSI) in dBm; `nil` if it is unknown.
    ///   - transmitPower: The advertised transmit power in dBm; `nil` if there is none.
    ///   - isConnectable: Whether the device accepts connections.
    public init(
        identifier: UUID,
        name: String? = nil,
        services: [BluetoothID] = [],
        serviceData: [BluetoothID: Data] = [:],
        manufacturerData: Data? = nil,
        rssi: Int? = nil,
        transmitPower: Int? = nil,
        isConnectable: Bool = true
    ) {
        self.identifier = identifier
        self.name = name
        self.services = services
        self.serviceData = serviceData
        self.manufacturerData = manufacturerData
        self.rssi = rssi
        self.transmitPower = transmitPower
        self.isConnectable = isConnectable
    }
}
