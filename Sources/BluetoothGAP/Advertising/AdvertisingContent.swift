// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The content of advertising, independent of the available room. Data that is `nil` is not sent.
///
/// `AdvertisingLayout` puts it into advertising data and scan response in the order of the
/// properties below. Parts that have to be shortened come last.
///
/// ```swift
/// var content = AdvertisingContent(localName: "Thermometer in the attic")
/// content.serviceUUIDs = [BluetoothUUID(0x1809)]
/// ```
public struct AdvertisingContent: Sendable, Hashable {
    /// The transmit power in an advertisement (Supplement, Part A, 1.5).
    public enum TransmitPower: Sendable, Hashable {
        /// The power that the controller reports.
        case ofController
        /// A level in dBm that the caller has measured.
        case level(Int8)
    }

    /// The data of a service (Supplement, Part A, 1.11).
    public struct ServiceData: Sendable, Hashable {
        /// The service.
        public var uuid: BluetoothUUID
        /// The data, in the service's own format.
        public var bytes: [UInt8]

        /// Creates the data of a service.
        public init(uuid: BluetoothUUID, bytes: [UInt8]) {
            self.uuid = uuid
            self.bytes = bytes
        }
    }

    /// The flags, or `nil` for none. They are never part of a scan response (Supplement, Part A,
    /// 1.3.2).
    public var flags: AdvertisingData.Flags?

    /// The services of the device. If there is no room for all, the first ones are sent in a list
    /// that is marked as incomplete.
    public var serviceUUIDs: [BluetoothUUID] = []

    /// The manufacturer data, each entry with its company.
    public var manufacturerData: [AdvertisingData.ManufacturerData] = []

    /// The data of services.
    public var serviceData: [ServiceData] = []

    /// The device's name. If there is no room for all of it, its beginning is sent and marked as
    /// shortened.
    public var localName: String?

    /// The appearance of the device (Assigned Numbers, 2.6).
    public var appearance: UInt16?

    /// The transmit power, from which a scanner estimates the distance.
    public var transmitPower: TransmitPower?

    /// The connection intervals that the device prefers (Supplement, Part A, 1.9), limited to 7.5
    /// ms to 4 s.
    public var connectionIntervals: ClosedRange<Duration>?

    /// The services that the device looks for on a central (Supplement, Part A, 1.10).
    public var solicitedServiceUUIDs: [BluetoothUUID] = []

    /// Creates content. By default, the flags are those of a device that is discoverable and LE
    /// only.
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
