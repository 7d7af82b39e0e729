// SPDX-License-Identifier: Apache-2.0

// The names are Apple's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

// What an advertisement says. Two keys are of use in `CBPeripheralManager.startAdvertising(_:)`,
// the local name and the service UUIDs.

/// The name, whole or shortened: String.
public let CBAdvertisementDataLocalNameKey: String = "kCBAdvDataLocalName"

/// The power with which it was sent, in dBm: NSNumber.
public let CBAdvertisementDataTxPowerLevelKey: String = "kCBAdvDataTxPowerLevel"

/// The services that are advertised: [CBUUID], in the widths in which they travelled.
public let CBAdvertisementDataServiceUUIDsKey: String = "kCBAdvDataServiceUUIDs"

/// Data of services: [CBUUID: Data].
public let CBAdvertisementDataServiceDataKey: String = "kCBAdvDataServiceData"

/// Data of the manufacturer: Data, beginning with the company identifier, its lower octet first.
public let CBAdvertisementDataManufacturerDataKey: String = "kCBAdvDataManufacturerData"

/// Services for which there was no room, and which only those find who ask for them: [CBUUID].
public let CBAdvertisementDataOverflowServiceUUIDsKey: String = "kCBAdvDataHashedServiceUUIDs"

/// Whether the peripheral accepts connections: NSNumber, 0 or 1.
public let CBAdvertisementDataIsConnectable: String = "kCBAdvDataIsConnectable"

/// Services that the peripheral looks for in a central: [CBUUID].
public let CBAdvertisementDataSolicitedServiceUUIDsKey: String = "kCBAdvDataSolicitedServiceUUIDs"
