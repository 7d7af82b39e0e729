// SPDX-License-Identifier: Apache-2.0

// The names are Apple's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Options of `CBCentralManager.connect(_:options:)`.

/// Whether the user is told of a connection while the application is suspended: Bool. Linux
/// suspends nobody; the option is accepted.
public let CBConnectPeripheralOptionNotifyOnConnectionKey: String =
    "kCBConnectOptionNotifyOnConnection"

/// Whether the user is told of a disconnection while the application is suspended: Bool. Linux
/// suspends nobody; the option is accepted.
public let CBConnectPeripheralOptionNotifyOnDisconnectionKey: String =
    "kCBConnectOptionNotifyOnDisconnection"

/// Whether the user is told of notifications while the application is suspended: Bool. Linux
/// suspends nobody; the option is accepted.
public let CBConnectPeripheralOptionNotifyOnNotificationKey: String =
    "kCBConnectOptionNotifyOnNotification"

/// How many seconds to wait before the attempt begins: NSNumber; a day at most. A link that is there
/// meanwhile, because the peripheral or another manager has made it, is had at once.
public let CBConnectPeripheralOptionStartDelayKey: String = "kCBConnectOptionStartDelay"

/// Whether the classic profiles of a device come up with its low-energy link: Bool. This host has
/// no classic Bluetooth; the option is accepted.
public let CBConnectPeripheralOptionEnableTransportBridgingKey: String =
    "kCBConnectOptionEnableTransportBridging"

/// Whether the peripheral needs the notification centre of a phone: Bool. Linux has none; the
/// option is accepted, and `CBPeripheral.ancsAuthorized` stays false.
public let CBConnectPeripheralOptionRequiresANCS: String = "kCBConnectOptionRequiresANCS"

/// Whether the system connects again, for as long as it takes, after a disconnection that the
/// application did not ask for: Bool.
public let CBConnectPeripheralOptionEnableAutoReconnect: String =
    "kCBConnectOptionEnableAutoReconnect"
