// SPDX-License-Identifier: Apache-2.0

// The names are Apple's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

// The contents of an advertisement. `CBPeripheralManager.startAdvertising(_:)` uses two keys: the
// local name and the service UUIDs.

/// The local name, complete or shortened: `String`.
public let CBAdvertisementDataLocalNameKey: String = "kCBAdvDataLocalName"

/// The transmit power in dBm: `NSNumber`.
public let CBAdvertisementDataTxPowerLevelKey: String = "kCBAdvDataTxPowerLevel"

/// The advertised services: `[CBUUID]`, each with the width that was advertised.
public let CBAdvertisementDataServiceUUIDsKey: String = "kCBAdvDataServiceUUIDs"

/// The service data: `[CBUUID: Data]`.
public let CBAdvertisementDataServiceDataKey: String = "kCBAdvDataServiceData"

/// The manufacturer data: `Data`, beginning with the company identifier, least significant byte
/// first.
public let CBAdvertisementDataManufacturerDataKey: String = "kCBAdvDataManufacturerData"

/// The services in the overflow area, which only scans for these services find: `[CBUUID]`.
public let CBAdvertisementDataOverflowServiceUUIDsKey: String = "kCBAdvDataHashedServiceUUIDs"

/// Whether the peripheral accepts connections: `NSNumber`, 0 or 1.
public let CBAdvertisementDataIsConnectable: String = "kCBAdvDataIsConnectable"

/// The services that the peripheral solicits: `[CBUUID]`.
public let CBAdvertisementDataSolicitedServiceUUIDsKey: String = "kCBAdvDataSolicitedServiceUUIDs"
