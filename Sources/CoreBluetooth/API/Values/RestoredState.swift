// SPDX-License-Identifier: Apache-2.0

// The names are Apple's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

// What the dictionary of `willRestoreState` holds.

/// The peripherals that were connected, or were being connected to: [CBPeripheral].
public let CBCentralManagerRestoredStatePeripheralsKey: String = "kCBRestoredPeripherals"

/// The services that were scanned for: [CBUUID].
public let CBCentralManagerRestoredStateScanServicesKey: String = "kCBRestoredScanServices"

/// The options with which the scan was running: [String: Any].
public let CBCentralManagerRestoredStateScanOptionsKey: String = "kCBRestoredScanOptions"

/// The services that were published: [CBMutableService].
public let CBPeripheralManagerRestoredStateServicesKey: String = "kCBRestoredServices"

/// What was being advertised: [String: Any].
public let CBPeripheralManagerRestoredStateAdvertisementDataKey: String = "kCBRestoredAdvertisement"
