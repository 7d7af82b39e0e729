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
