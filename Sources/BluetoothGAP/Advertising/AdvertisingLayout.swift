// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// What is really sent of what an advertiser wanted to say, and what had to be left out.
///
/// What fits is put into the advertising data, which everybody hears; what does not, into the scan
/// response, which only those get who ask. When all that is whole has its place, what can be cut is
/// cut to the room that is left: lists of services, then the name.
public struct AdvertisingLayout: Sendable, Hashable {
    /// Something that was not sent as it was wanted.
    public enum Omission: Sendable, Hashable {
        /// Only the beginning of the name is sent: this.
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

    /// What everybody hears.
    public private(set) var advertisingData = AdvertisingData([])
    /// What those get who ask.
    public private(set) var scanResponse = AdvertisingData([])
    /// What did not find its place, most important first. Flags are not reported: an advertiser that
    /// cannot send them needs none.
    public private(set) var omissions: [Omission] = []

    /// Lays content into the room there is.
    ///
    /// - Parameter controllerPower: what stands for `TransmitPower.ofController`, in dBm; while that
    ///   is not known, zero keeps its place.
    public init(_ content: AdvertisingContent, in room: AdvertisingRoom, controllerPower: Int8 = 0)
    {
        var composer = AdvertisingComposer(room)
        composer.place(content, controllerPower: controllerPower)
        advertisingData = composer.advertising.data
        scanResponse = composer.response.data
        omissions = composer.omissions
    }

    /// Takes bytes as they are. Throws `AdvertisingError` if they do not fit, are no structures, or
    /// have flags where flags may not be.
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
            throw .dataTooLong(octets: data.bytes.count, limit: limit)
        }
        guard !data.isMalformed else { throw .malformedData }
    }
}
