// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// Content that is laid out in advertising data and scan response, and the parts that were omitted.
///
/// A part goes into the advertising data, which every scanner receives, or, if it does not fit
/// there, into the scan response, which a scanner has to request. If a list of services or the name
/// fits into neither, the layout shortens it to the room that all other parts leave.
public struct AdvertisingLayout: Sendable, Hashable {
    /// A part of the content that is not sent as requested.
    public enum Omission: Sendable, Hashable {
        /// Only this beginning of the name is sent.
        case nameShortened(String)
        /// The name is not sent.
        case name
        /// These services are not listed.
        case serviceUUIDs([BluetoothUUID])
        /// These solicited services are not listed.
        case solicitedServiceUUIDs([BluetoothUUID])
        /// The data of this company is not sent.
        case manufacturerData(company: UInt16)
        /// The data of this service is not sent.
        case serviceData(BluetoothUUID)
        /// The appearance is not sent.
        case appearance
        /// The power is not sent.
        case transmitPower
        /// The connection intervals are not sent.
        case connectionIntervals
    }

    /// The advertising data.
    public private(set) var advertisingData = AdvertisingData([])
    /// The scan response.
    public private(set) var scanResponse = AdvertisingData([])
    /// The omitted parts: first those that cannot be shortened, then lists of services, then the
    /// name. Omitted flags are not listed.
    public private(set) var omissions: [Omission] = []

    /// Lays content out in the available room.
    ///
    /// - Parameter controllerPower: The value of `TransmitPower.ofController`, in dBm. While the
    ///   value is unknown, zero is its placeholder.
    public init(_ content: AdvertisingContent, in room: AdvertisingRoom, controllerPower: Int8 = 0)
    {
        var composer = AdvertisingComposer(room)
        composer.place(content, controllerPower: controllerPower)
        advertisingData = composer.advertising.data
        scanResponse = composer.response.data
        omissions = composer.omissions
    }

    /// Creates a layout of raw bytes.
    ///
    /// - Throws: `AdvertisingError` if the bytes do not fit, are not structures, or have flags in
    ///   the scan response.
    public init(
        rawAdvertisingData: [UInt8],
        scanResponse rawResponse: [UInt8],
        in room: AdvertisingRoom
    ) throws(AdvertisingError) {
        advertisingData = AdvertisingData(rawAdvertisingData)
        scanResponse = AdvertisingData(rawResponse)
        try Self.check(advertisingData, limit: room.advertisingData)
        try Self.check(scanResponse, limit: room.scanResponse)
        guard scanResponse.flags == nil else { throw .flagsInScanResponse }
    }

    private static func check(_ data: AdvertisingData, limit: Int) throws(AdvertisingError) {
        guard data.bytes.count <= limit else {
            throw .dataTooLong(bytes: data.bytes.count, limit: limit)
        }
        guard !data.isMalformed else { throw .malformedData }
    }
}
