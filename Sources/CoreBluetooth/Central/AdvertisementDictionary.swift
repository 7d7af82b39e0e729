// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothPort
import Foundation

/// The dictionary that a delegate gets for an advertisement.
enum AdvertisementDictionary {
    /// Keys that Apple does not document. Some apps list all keys.
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
        dictionary[CBAdvertisementDataManufacturerDataKey] = match.manufacturerData.map { Data($0) }
        let serviceData = Dictionary(
            match.serviceData.map { (CBUUID($0), Data($1)) },
            uniquingKeysWith: { $1 }
        )
        if !serviceData.isEmpty { dictionary[CBAdvertisementDataServiceDataKey] = serviceData }
        dictionary[CBAdvertisementDataServiceUUIDsKey] = uuids(match.services)
        dictionary[CBAdvertisementDataSolicitedServiceUUIDsKey] = uuids(match.solicitedServices)
        if !match.overflowServices.isEmpty {
            dictionary[CBAdvertisementDataOverflowServiceUUIDsKey] =
                match.overflowServices.map { CBUUID($0) }
        }
        return dictionary
    }

    private static func uuids(_ uuids: [WrittenUUID]) -> [CBUUID]? {
        uuids.isEmpty ? nil : uuids.map { CBUUID($0) }
    }
}
