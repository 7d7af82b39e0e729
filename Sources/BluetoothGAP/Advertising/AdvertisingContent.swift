// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// What a device wants to say about itself, before it is known how much of it there is room for.
///
/// `AdvertisingLayout` puts it into advertising data and scan response, most important first: the
/// order of the properties below is the order in which they get their place.
///
/// ```swift
/// var content = AdvertisingContent(localName: "Thermometer in the attic")
/// content.serviceUUIDs = [BluetoothUUID(0x1809)]
/// ```
public struct AdvertisingContent: Sendable, Hashable {
    /// The power that an advertisement states (Supplement, Part A, 1.5).
    public enum TransmitPower: Sendable, Hashable {
        /// What the controller says it sends with.
        case ofController
        /// A level in dBm that the caller has measured.
        case level(Int8)
    }

    /// A service with some data of its own (Supplement, Part A, 1.11).
    public struct ServiceData: Sendable, Hashable {
        /// Whose data it is.
        public var uuid: BluetoothUUID
        /// The data, in the service's own format.
        public var bytes: [UInt8]

        /// Makes the data of a service.
        public init(uuid: BluetoothUUID, bytes: [UInt8]) {
            self.uuid = uuid
            self.bytes = bytes
        }
    }

    /// Discoverability; nil: not stated. Never part of a scan response (Supplement, Part A, 1.3.2).
    public var flags: AdvertisingData.Flags?

    /// The services that the device offers. Where there is no room for all, the first ones are sent,
    /// in a list that is marked as incomplete.
    public var serviceUUIDs: [BluetoothUUID] = []

    /// Data of companies.
    public var manufacturerData: [AdvertisingData.ManufacturerData] = []

    /// Data of services.
    public var serviceData: [ServiceData] = []

    /// The device's name; where there is no room for all of it, its beginning, marked as shortened.
    public var localName: String?

    /// What the device looks like (Assigned Numbers, 2.6).
    public var appearance: UInt16?

    /// The power with which it sends, from which others estimate how far away it is.
    public var transmitPower: TransmitPower?

    /// The connection intervals that the device would like (Supplement, Part A, 1.9): 7.5 ms to 4 s,
    /// held within that.
    public var connectionIntervals: ClosedRange<Duration>?

    /// The services that the device looks for on a Central (Supplement, Part A, 1.10).
    public var solicitedServiceUUIDs: [BluetoothUUID] = []

    /// Makes what a device says that can be found by everybody and is LE only.
    public init(
        localName: String? = nil,
        serviceUUIDs: [BluetoothUUID] = [],
        flags: AdvertisingData.Flags? = [.generalDiscoverable, .brEdrNotSupported]
    ) {
        self.localName = localName
        self.serviceUUIDs = serviceUUIDs
        self.flags = flags
    }
}
