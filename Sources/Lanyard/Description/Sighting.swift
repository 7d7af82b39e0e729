// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What was heard of a device that advertises.
public struct Sighting: Hashable, Sendable {
    /// The identifier that the system gives the device. It stays the same as long as the system
    /// recognises the device: for ever if it is bonded, else for as long as its address does not change.
    public var identifier: UUID
    /// The name that it advertises, or else the one that the system remembers.
    public var name: String?
    /// The services that it says it has.
    public var services: [BluetoothID]
    /// What it says about services, by service.
    public var serviceData: [BluetoothID: Data]
    /// What its manufacturer says: the company's number, two octets with the low one first, and the rest.
    public var manufacturerData: Data?
    /// How strongly it was received, in dBm; nil if that is not known.
    public var rssi: Int?
    /// How strongly it says it sends, in dBm.
    public var transmitPower: Int?
    /// Whether it can be connected to.
    public var isConnectable: Bool

    /// What was heard, with little in it.
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
