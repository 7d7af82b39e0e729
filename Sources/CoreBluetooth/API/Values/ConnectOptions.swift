// SPDX-License-Identifier: Apache-2.0

// The names are Apple's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Options of `CBCentralManager.connect(_:options:)`.

/// Whether the system alerts the user to a connection while the application is suspended: `Bool`.
/// Accepted without an effect, because Linux does not suspend applications.
public let CBConnectPeripheralOptionNotifyOnConnectionKey: String =
    "kCBConnectOptionNotifyOnConnection"

/// Whether the system alerts the user to a disconnection while the application is suspended:
/// `Bool`. Accepted without an effect, because Linux does not suspend applications.
public let CBConnectPeripheralOptionNotifyOnDisconnectionKey: String =
    "kCBConnectOptionNotifyOnDisconnection"

/// Whether the system alerts the user to notifications while the application is suspended: `Bool`.
/// Accepted without an effect, because Linux does not suspend applications.
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

/// Whether the system reconnects after a disconnection that the application did not request:
/// `Bool`. The attempt has no timeout.
public let CBConnectPeripheralOptionEnableAutoReconnect: String =
    "kCBConnectOptionEnableAutoReconnect"
