// SPDX-License-Identifier: Apache-2.0

// The names are Apple's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Options of the managers' initializers.

/// Whether the system may alert the user that Bluetooth is off: `Bool`. Accepted without an effect,
/// because Linux shows no alert.
public let CBCentralManagerOptionShowPowerAlertKey: String = "kCBInitOptionShowPowerAlert"

/// The name under which the state of a central manager is stored for restoration at the next
/// launch: `String`, the same at every launch and different for every manager.
public let CBCentralManagerOptionRestoreIdentifierKey: String = "kCBInitOptionRestoreIdentifier"

/// Whether the manager is for media devices only: `Bool`. Accepted without an effect, because Linux
/// makes no such distinction.
public let CBCentralManagerOptionDeviceAccessForMedia: String = "kCBInitOptionDeviceAccessForMedia"

/// Whether the system may alert the user that Bluetooth is off: `Bool`. Accepted without an effect,
/// because Linux shows no alert.
public let CBPeripheralManagerOptionShowPowerAlertKey: String = "kCBInitOptionShowPowerAlert"

/// The name under which the state of a peripheral manager is stored for restoration at the next
/// launch: `String`, the same at every launch and different for every manager.
public let CBPeripheralManagerOptionRestoreIdentifierKey: String = "kCBInitOptionRestoreIdentifier"

// Options of `CBCentralManager.scanForPeripherals(withServices:options:)`.

/// Whether every packet of a peripheral is reported: `Bool`, `false` if missing.
public let CBCentralManagerScanOptionAllowDuplicatesKey: String = "kCBScanOptionAllowDuplicates"

/// The services whose solicitation also makes a peripheral match the scan: `[CBUUID]`. If the scan
/// has no `serviceUUIDs`, only peripherals that solicit one of these services match.
public let CBCentralManagerScanOptionSolicitedServiceUUIDsKey: String =
    "kCBScanOptionSolicitedServiceUUIDs"

// Options of `CBCentralManager.connect(_:options:)`.

/// Whether the system alerts the user to a connection while the app is suspended: `Bool`.
/// Accepted without an effect, because Linux does not suspend apps.
public let CBConnectPeripheralOptionNotifyOnConnectionKey: String =
    "kCBConnectOptionNotifyOnConnection"

/// Whether the system alerts the user to a disconnection while the app is suspended:
/// `Bool`. Accepted without an effect, because Linux does not suspend apps.
public let CBConnectPeripheralOptionNotifyOnDisconnectionKey: String =
    "kCBConnectOptionNotifyOnDisconnection"

/// Whether the system alerts the user to notifications while the app is suspended: `Bool`.
/// Accepted without an effect, because Linux does not suspend apps.
public let CBConnectPeripheralOptionNotifyOnNotificationKey: String =
    "kCBConnectOptionNotifyOnNotification"

/// The delay before the connection attempt in seconds, at most one day: `NSNumber`. If the
/// peripheral or another manager makes a link meanwhile, the manager is connected at once.
public let CBConnectPeripheralOptionStartDelayKey: String = "kCBConnectOptionStartDelay"

/// Whether the classic profiles of the device connect with its LE link: `Bool`. Accepted without an
/// effect, because this host has no classic transport.
public let CBConnectPeripheralOptionEnableTransportBridgingKey: String =
    "kCBConnectOptionEnableTransportBridging"

/// Whether the peripheral requires the Apple Notification Center Service: `Bool`. Accepted without
/// an effect, because Linux does not have this service. `CBPeripheral.ancsAuthorized` stays
/// `false`.
public let CBConnectPeripheralOptionRequiresANCS: String = "kCBConnectOptionRequiresANCS"

/// Whether the system reconnects after a disconnection that the app did not request: `Bool`. The
/// attempt has no timeout. The system does not reconnect if the manager's delegate implements the
/// older method `centralManager(_:didDisconnectPeripheral:error:)`.
public let CBConnectPeripheralOptionEnableAutoReconnect: String =
    "kCBConnectOptionEnableAutoReconnect"

// The keys of the dictionary of `willRestoreState`.

/// The peripherals that were connected or connecting: `[CBPeripheral]`.
public let CBCentralManagerRestoredStatePeripheralsKey: String = "kCBRestoredPeripherals"

/// The services of the scan: `[CBUUID]`.
public let CBCentralManagerRestoredStateScanServicesKey: String = "kCBRestoredScanServices"

/// The options of the scan: `[String: Any]`.
public let CBCentralManagerRestoredStateScanOptionsKey: String = "kCBRestoredScanOptions"

/// The published services: `[CBMutableService]`.
public let CBPeripheralManagerRestoredStateServicesKey: String = "kCBRestoredServices"

/// The advertised data: `[String: Any]`.
public let CBPeripheralManagerRestoredStateAdvertisementDataKey: String = "kCBRestoredAdvertisement"
