// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import Foundation

/// Makes the dictionary of an advertisement that delegates get. It has the keys of the data that
/// the advertisement contains.
enum AdvertisementDictionary {
    /// Keys that Apple does not document, which applications that list all keys display.
    static let timestampKey = "kCBAdvDataTimestamp"
    static let primaryPHYKey = "kCBAdvDataRxPrimaryPHY"
    static let secondaryPHYKey = "kCBAdvDataRxSecondaryPHY"

    static func make(_ match: ScanMatch) -> [String: Any] {
        let advertisement = match.advertisement
        let data = advertisement.data
        var dictionary: [String: Any] = [
            CBAdvertisementDataIsConnectable: NSNumber(value: advertisement.isConnectable ? 1 : 0),
            timestampKey: NSNumber(value: match.timestamp),
            primaryPHYKey: NSNumber(value: advertisement.primaryPHY.rawValue),
            secondaryPHYKey: NSNumber(value: advertisement.secondaryPHY?.rawValue ?? 0),
        ]
        dictionary[CBAdvertisementDataLocalNameKey] = data.localName
        dictionary[CBAdvertisementDataTxPowerLevelKey] =
            advertisement.txPower.map { NSNumber(value: $0) }
        dictionary[CBAdvertisementDataManufacturerDataKey] = manufacturerData(in: data)
        dictionary[CBAdvertisementDataServiceDataKey] = serviceData(in: data)
        dictionary[CBAdvertisementDataServiceUUIDsKey] = uuids(in: data, .services)
        dictionary[CBAdvertisementDataSolicitedServiceUUIDsKey] = uuids(in: data, .solicited)
        if !match.overflowServices.isEmpty {
            dictionary[CBAdvertisementDataOverflowServiceUUIDsKey] =
                match.overflowServices.map { CBUUID($0) }
        }
        return dictionary
    }

    /// Returns the first manufacturer data, beginning with the company identifier as on the air.
    /// Skips data that only the framework uses.
    private static func manufacturerData(in data: AdvertisingData) -> Data? {
        let first = data.allManufacturerData.first {
            !BeaconFrame.isFrame($0) && !OverflowArea.isOverflowArea($0)
        }
        return first.map { entry in
            Data([UInt8(truncatingIfNeeded: entry.company), UInt8(entry.company >> 8)])
                + entry.bytes
        }
    }

    private static func serviceData(in data: AdvertisingData) -> [CBUUID: Data]? {
        var result: [CBUUID: Data] = [:]
        for structure in data.structures {
            guard let width = UUIDWidth.ofServiceData[structure.type],
                let form = form(structure.value.prefix(width)), structure.value.count >= width
            else { continue }
            result[CBUUID(form)] = Data(structure.value.dropFirst(width))
        }
        return result.isEmpty ? nil : result
    }

    /// Returns the UUIDs without duplicates, each with the width that was advertised.
    private static func uuids(
        in data: AdvertisingData,
        _ widths: [AdvertisingData.DataType: Int]
    ) -> [CBUUID]? {
        var found: [CBUUID] = []
        for structure in data.structures {
            guard let width = widths[structure.type] else { continue }
            for form in forms(structure.value, width) where !found.contains(CBUUID(form)) {
                found.append(CBUUID(form))
            }
        }
        return found.isEmpty ? nil : found
    }

    private static func forms(_ bytes: ArraySlice<UInt8>, _ width: Int) -> [CBUUID.Form] {
        // A list whose length is not a multiple of the width is malformed, and is ignored.
        guard bytes.count.isMultiple(of: width) else { return [] }
        return stride(from: bytes.startIndex, to: bytes.endIndex, by: width)
            .compactMap { form(bytes[$0..<($0 + width)]) }
    }

    private static func form(_ littleEndian: ArraySlice<UInt8>) -> CBUUID.Form? {
        CBUUID.Form(bytes: littleEndian.reversed())
    }
}

/// The widths of the UUIDs in service data, in bytes.
private enum UUIDWidth {
    static let ofServiceData: [AdvertisingData.DataType: Int] = [
        .serviceData16: 2, .serviceData32: 4, .serviceData128: 16,
    ]
}

extension [AdvertisingData.DataType: Int] {
    fileprivate static let services: Self = [
        .incompleteServiceUUIDs16: 2, .completeServiceUUIDs16: 2,
        .incompleteServiceUUIDs32: 4, .completeServiceUUIDs32: 4,
        .incompleteServiceUUIDs128: 16, .completeServiceUUIDs128: 16,
    ]
    fileprivate static let solicited: Self = [
        .solicitedServiceUUIDs16: 2, .solicitedServiceUUIDs32: 4, .solicitedServiceUUIDs128: 16,
    ]
}
