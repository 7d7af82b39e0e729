// SPDX-License-Identifier: Apache-2.0

// The names are Apple's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Options with which a manager is made.

/// Whether the system may tell the user that Bluetooth is off: Bool. Linux has nobody to tell; the
/// option is accepted.
public let CBCentralManagerOptionShowPowerAlertKey: String = "kCBInitOptionShowPowerAlert"

/// Under which name the state of a central manager is kept, so that it can be restored at the next
/// launch: String, the same at every launch and different for every manager.
public let CBCentralManagerOptionRestoreIdentifierKey: String = "kCBInitOptionRestoreIdentifier"

/// Whether the manager is for media devices only: Bool. Accepted; Linux makes no such difference.
public let CBCentralManagerOptionDeviceAccessForMedia: String = "kCBInitOptionDeviceAccessForMedia"

/// Whether the system may tell the user that Bluetooth is off: Bool. Linux has nobody to tell; the
/// option is accepted.
public let CBPeripheralManagerOptionShowPowerAlertKey: String = "kCBInitOptionShowPowerAlert"

/// Under which name the state of a peripheral manager is kept, so that it can be restored at the
/// next launch: String, the same at every launch and different for every manager.
public let CBPeripheralManagerOptionRestoreIdentifierKey: String = "kCBInitOptionRestoreIdentifier"
