// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct GlobalSymbols: SymbolList {
    var symbols: [Symbol] {
        [
            Symbol(67, "CBCentralManagerOptionShowPowerAlertKey") { check in
                var value = CBCentralManagerOptionShowPowerAlertKey
                exactly(&value, String.self)
                check.equal(value, "kCBInitOptionShowPowerAlert")
            },
            Symbol(68, "CBCentralManagerOptionRestoreIdentifierKey") { check in
                var value = CBCentralManagerOptionRestoreIdentifierKey
                exactly(&value, String.self)
                check.equal(value, "kCBInitOptionRestoreIdentifier")
            },
            Symbol(69, "CBCentralManagerOptionDeviceAccessForMedia") { check in
                var value = CBCentralManagerOptionDeviceAccessForMedia
                exactly(&value, String.self)
                check.equal(value, "kCBInitOptionDeviceAccessForMedia")
            },
            Symbol(70, "CBCentralManagerScanOptionAllowDuplicatesKey") { check in
                var value = CBCentralManagerScanOptionAllowDuplicatesKey
                exactly(&value, String.self)
                check.equal(value, "kCBScanOptionAllowDuplicates")
            },
            Symbol(71, "CBCentralManagerScanOptionSolicitedServiceUUIDsKey") { check in
                var value = CBCentralManagerScanOptionSolicitedServiceUUIDsKey
                exactly(&value, String.self)
                check.equal(value, "kCBScanOptionSolicitedServiceUUIDs")
            },
            Symbol(72, "CBConnectPeripheralOptionNotifyOnConnectionKey") { check in
                var value = CBConnectPeripheralOptionNotifyOnConnectionKey
                exactly(&value, String.self)
                check.equal(value, "kCBConnectOptionNotifyOnConnection")
            },
            Symbol(73, "CBConnectPeripheralOptionNotifyOnDisconnectionKey") { check in
                var value = CBConnectPeripheralOptionNotifyOnDisconnectionKey
                exactly(&value, String.self)
                check.equal(value, "kCBConnectOptionNotifyOnDisconnection")
            },
            Symbol(74, "CBConnectPeripheralOptionNotifyOnNotificationKey") { check in
                var value = CBConnectPeripheralOptionNotifyOnNotificationKey
                exactly(&value, String.self)
                check.equal(value, "kCBConnectOptionNotifyOnNotification")
            },
            Symbol(75, "CBConnectPeripheralOptionStartDelayKey") { check in
                var value = CBConnectPeripheralOptionStartDelayKey
                exactly(&value, String.self)
                check.equal(value, "kCBConnectOptionStartDelay")
            },
            Symbol(76, "CBConnectPeripheralOptionEnableTransportBridgingKey") { check in
                var value = CBConnectPeripheralOptionEnableTransportBridgingKey
                exactly(&value, String.self)
                check.equal(value, "kCBConnectOptionEnableTransportBridging")
            },
            Symbol(77, "CBConnectPeripheralOptionRequiresANCS") { check in
                var value = CBConnectPeripheralOptionRequiresANCS
                exactly(&value, String.self)
                check.equal(value, "kCBConnectOptionRequiresANCS")
            },
            Symbol(78, "CBConnectPeripheralOptionEnableAutoReconnect") { check in
                var value = CBConnectPeripheralOptionEnableAutoReconnect
                exactly(&value, String.self)
                check.equal(value, "kCBConnectOptionEnableAutoReconnect")
            },
            Symbol(79, "CBCentralManagerRestoredStatePeripheralsKey") { check in
                var value = CBCentralManagerRestoredStatePeripheralsKey
                exactly(&value, String.self)
                check.equal(value, "kCBRestoredPeripherals")
            },
            Symbol(80, "CBCentralManagerRestoredStateScanServicesKey") { check in
                var value = CBCentralManagerRestoredStateScanServicesKey
                exactly(&value, String.self)
                check.equal(value, "kCBRestoredScanServices")
            },
            Symbol(81, "CBCentralManagerRestoredStateScanOptionsKey") { check in
                var value = CBCentralManagerRestoredStateScanOptionsKey
                exactly(&value, String.self)
                check.equal(value, "kCBRestoredScanOptions")
            },
            Symbol(82, "CBAdvertisementDataLocalNameKey") { check in
                var value = CBAdvertisementDataLocalNameKey
                exactly(&value, String.self)
                check.equal(value, "kCBAdvDataLocalName")
            },
            Symbol(83, "CBAdvertisementDataTxPowerLevelKey") { check in
                var value = CBAdvertisementDataTxPowerLevelKey
                exactly(&value, String.self)
                check.equal(value, "kCBAdvDataTxPowerLevel")
            },
            Symbol(84, "CBAdvertisementDataServiceUUIDsKey") { check in
                var value = CBAdvertisementDataServiceUUIDsKey
                exactly(&value, String.self)
                check.equal(value, "kCBAdvDataServiceUUIDs")
            },
            Symbol(85, "CBAdvertisementDataServiceDataKey") { check in
                var value = CBAdvertisementDataServiceDataKey
                exactly(&value, String.self)
                check.equal(value, "kCBAdvDataServiceData")
            },
            Symbol(86, "CBAdvertisementDataManufacturerDataKey") { check in
                var value = CBAdvertisementDataManufacturerDataKey
                exactly(&value, String.self)
                check.equal(value, "kCBAdvDataManufacturerData")
            },
            Symbol(87, "CBAdvertisementDataOverflowServiceUUIDsKey") { check in
                var value = CBAdvertisementDataOverflowServiceUUIDsKey
                exactly(&value, String.self)
                check.equal(value, "kCBAdvDataHashedServiceUUIDs")
            },
            Symbol(88, "CBAdvertisementDataIsConnectable") { check in
                var value = CBAdvertisementDataIsConnectable
                exactly(&value, String.self)
                check.equal(value, "kCBAdvDataIsConnectable")
            },
            Symbol(89, "CBAdvertisementDataSolicitedServiceUUIDsKey") { check in
                var value = CBAdvertisementDataSolicitedServiceUUIDsKey
                exactly(&value, String.self)
                check.equal(value, "kCBAdvDataSolicitedServiceUUIDs")
            },
            Symbol(252, "CBPeripheralManagerOptionShowPowerAlertKey") { check in
                var value = CBPeripheralManagerOptionShowPowerAlertKey
                exactly(&value, String.self)
                check.equal(value, "kCBInitOptionShowPowerAlert")
            },
            Symbol(253, "CBPeripheralManagerOptionRestoreIdentifierKey") { check in
                var value = CBPeripheralManagerOptionRestoreIdentifierKey
                exactly(&value, String.self)
                check.equal(value, "kCBInitOptionRestoreIdentifier")
            },
            Symbol(254, "CBPeripheralManagerRestoredStateServicesKey") { check in
                var value = CBPeripheralManagerRestoredStateServicesKey
                exactly(&value, String.self)
                check.equal(value, "kCBRestoredServices")
            },
            Symbol(255, "CBPeripheralManagerRestoredStateAdvertisementDataKey") { check in
                var value = CBPeripheralManagerRestoredStateAdvertisementDataKey
                exactly(&value, String.self)
                check.equal(value, "kCBRestoredAdvertisement")
            },
            Symbol(256, "CBL2CAPPSM") { _ in
                var value = CBL2CAPPSM.init()
                exactly(&value, UInt16.self)
            },
            Symbol(275, "CBUUIDCharacteristicExtendedPropertiesString") { check in
                var value = CBUUIDCharacteristicExtendedPropertiesString
                exactly(&value, String.self)
                check.equal(value, "2900")
            },
            Symbol(276, "CBUUIDCharacteristicUserDescriptionString") { check in
                var value = CBUUIDCharacteristicUserDescriptionString
                exactly(&value, String.self)
                check.equal(value, "2901")
            },
            Symbol(277, "CBUUIDClientCharacteristicConfigurationString") { check in
                var value = CBUUIDClientCharacteristicConfigurationString
                exactly(&value, String.self)
                check.equal(value, "2902")
            },
            Symbol(278, "CBUUIDServerCharacteristicConfigurationString") { check in
                var value = CBUUIDServerCharacteristicConfigurationString
                exactly(&value, String.self)
                check.equal(value, "2903")
            },
            Symbol(279, "CBUUIDCharacteristicFormatString") { check in
                var value = CBUUIDCharacteristicFormatString
                exactly(&value, String.self)
                check.equal(value, "2904")
            },
            Symbol(280, "CBUUIDCharacteristicAggregateFormatString") { check in
                var value = CBUUIDCharacteristicAggregateFormatString
                exactly(&value, String.self)
                check.equal(value, "2905")
            },
            Symbol(281, "CBUUIDCharacteristicValidRangeString") { check in
                var value = CBUUIDCharacteristicValidRangeString
                exactly(&value, String.self)
                check.equal(value, "2906")
            },
            Symbol(282, "CBUUIDCharacteristicObservationScheduleString") { check in
                var value = CBUUIDCharacteristicObservationScheduleString
                exactly(&value, String.self)
                check.equal(value, "2910")
            },
            Symbol(283, "CBUUIDL2CAPPSMCharacteristicString") { check in
                var value = CBUUIDL2CAPPSMCharacteristicString
                exactly(&value, String.self)
                check.equal(value, "ABDD3056-28FA-441D-A470-55A75A52553A")
            },
            Symbol(294, "CBErrorDomain") { check in
                var value = CBErrorDomain
                exactly(&value, String.self)
                check.equal(value, "CBErrorDomain")
            },
            Symbol(351, "CBATTErrorDomain") { check in
                var value = CBATTErrorDomain
                exactly(&value, String.self)
                check.equal(value, "CBATTErrorDomain")
            },
        ]
    }
}
