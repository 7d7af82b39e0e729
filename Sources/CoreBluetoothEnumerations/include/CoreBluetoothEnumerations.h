// SPDX-License-Identifier: Apache-2.0
//
// The enumerations of CoreBluetooth. Only an enumeration that is imported from C is open in Swift:
// a `switch` over it needs `@unknown default`, and `init(rawValue:)` accepts every number, even one
// without a name. An application error of ATT, such as `CBATTError.Code(rawValue: 0x80)`, requires
// that.

#ifndef CORE_BLUETOOTH_ENUMERATIONS_H
#define CORE_BLUETOOTH_ENUMERATIONS_H

/// An open enumeration whose raw value is Swift's `Int`.
#define CB_ENUM(name) enum __attribute__((enum_extensibility(open))) name : long

/// The name of a constant in Swift.
#define CB_NAME(name) __attribute__((swift_name(#name)))

/// Marks a deprecated declaration, with its replacement.
#define CB_DEPRECATED(advice) __attribute__((deprecated(advice)))

/// The state of a manager. A state below `poweredOff` invalidates the peripherals and the published
/// services of the manager.
CB_ENUM(CBManagerState) {
    /// The state is not known yet. An update follows.
    CBManagerStateUnknown CB_NAME(unknown) = 0,
    /// The connection to the adapter was lost temporarily. An update follows.
    CBManagerStateResetting CB_NAME(resetting) = 1,
    /// There is no adapter that supports Bluetooth Low Energy.
    CBManagerStateUnsupported CB_NAME(unsupported) = 2,
    /// The app may not use Bluetooth.
    CBManagerStateUnauthorized CB_NAME(unauthorized) = 3,
    /// Bluetooth is switched off.
    CBManagerStatePoweredOff CB_NAME(poweredOff) = 4,
    /// Bluetooth is on, and the manager accepts commands.
    CBManagerStatePoweredOn CB_NAME(poweredOn) = 5,
};

/// Whether the app may use Bluetooth.
CB_ENUM(CBManagerAuthorization) {
    /// The system has not asked the user yet.
    CBManagerAuthorizationNotDetermined CB_NAME(notDetermined) = 0,
    /// The app may not use Bluetooth, and the user cannot change that.
    CBManagerAuthorizationRestricted CB_NAME(restricted) = 1,
    /// The user denied the permission.
    CBManagerAuthorizationDenied CB_NAME(denied) = 2,
    /// The app may use Bluetooth, also in the background.
    CBManagerAuthorizationAllowedAlways CB_NAME(allowedAlways) = 3,
};

/// The former name of a central manager's state.
CB_ENUM(CBCentralManagerState) {
    /// The state is not known yet. An update follows.
    CBCentralManagerStateUnknown CB_NAME(unknown) = 0,
    /// The connection to the adapter was lost temporarily. An update follows.
    CBCentralManagerStateResetting CB_NAME(resetting) = 1,
    /// There is no adapter that supports Bluetooth Low Energy.
    CBCentralManagerStateUnsupported CB_NAME(unsupported) = 2,
    /// The app may not use Bluetooth.
    CBCentralManagerStateUnauthorized CB_NAME(unauthorized) = 3,
    /// Bluetooth is switched off.
    CBCentralManagerStatePoweredOff CB_NAME(poweredOff) = 4,
    /// Bluetooth is on, and the manager accepts commands.
    CBCentralManagerStatePoweredOn CB_NAME(poweredOn) = 5,
} CB_DEPRECATED("use CBManagerState");

/// The former name of a peripheral manager's state.
CB_ENUM(CBPeripheralManagerState) {
    /// The state is not known yet. An update follows.
    CBPeripheralManagerStateUnknown CB_NAME(unknown) = 0,
    /// The connection to the adapter was lost temporarily. An update follows.
    CBPeripheralManagerStateResetting CB_NAME(resetting) = 1,
    /// There is no adapter that supports Bluetooth Low Energy.
    CBPeripheralManagerStateUnsupported CB_NAME(unsupported) = 2,
    /// The app may not use Bluetooth.
    CBPeripheralManagerStateUnauthorized CB_NAME(unauthorized) = 3,
    /// Bluetooth is switched off.
    CBPeripheralManagerStatePoweredOff CB_NAME(poweredOff) = 4,
    /// Bluetooth is on, and the manager accepts commands.
    CBPeripheralManagerStatePoweredOn CB_NAME(poweredOn) = 5,
} CB_DEPRECATED("use CBManagerState");

/// A connection event of a peer for which the app has registered.
CB_ENUM(CBConnectionEvent) {
    /// The peer is no longer connected to this host.
    CBConnectionEventPeerDisconnected CB_NAME(peerDisconnected) = 0,
    /// The peer is connected to this host, whichever side made the connection.
    CBConnectionEventPeerConnected CB_NAME(peerConnected) = 1,
};

/// The state of a peripheral's connection to the app.
CB_ENUM(CBPeripheralState) {
    /// The peripheral is not connected, and no connection request is pending.
    CBPeripheralStateDisconnected CB_NAME(disconnected) = 0,
    /// A connection request is pending. It has no timeout.
    CBPeripheralStateConnecting CB_NAME(connecting) = 1,
    /// The peripheral is connected and accepts commands.
    CBPeripheralStateConnected CB_NAME(connected) = 2,
    /// The app canceled the connection or the request, and the cancellation is not confirmed yet.
    CBPeripheralStateDisconnecting CB_NAME(disconnecting) = 3,
};

/// The kind of a write.
CB_ENUM(CBCharacteristicWriteType) {
    /// The peripheral confirms the write, and the delegate gets the result.
    CBCharacteristicWriteTypeWithResponse CB_NAME(withResponse) = 0,
    /// The peripheral does not confirm the write.
    CBCharacteristicWriteTypeWithoutResponse CB_NAME(withoutResponse) = 1,
};

/// The latency of a connection to a central. A low latency costs power.
CB_ENUM(CBPeripheralManagerConnectionLatency) {
    /// Low latency, with the highest power consumption.
    CBPeripheralManagerConnectionLatencyLow CB_NAME(low) = 0,
    /// Medium latency.
    CBPeripheralManagerConnectionLatencyMedium CB_NAME(medium) = 1,
    /// High latency, which saves power.
    CBPeripheralManagerConnectionLatencyHigh CB_NAME(high) = 2,
};

/// Whether the app may advertise in the background. `CBManagerAuthorization` replaces this
/// type.
CB_ENUM(CBPeripheralManagerAuthorizationStatus) {
    /// The system has not asked the user yet.
    CBPeripheralManagerAuthorizationStatusNotDetermined CB_NAME(notDetermined) = 0,
    /// The app may not advertise, and the user cannot change that.
    CBPeripheralManagerAuthorizationStatusRestricted CB_NAME(restricted) = 1,
    /// The user denied the permission.
    CBPeripheralManagerAuthorizationStatusDenied CB_NAME(denied) = 2,
    /// The app may advertise.
    CBPeripheralManagerAuthorizationStatusAuthorized CB_NAME(authorized) = 3,
} CB_DEPRECATED("use CBManagerAuthorization");

/// The code of an error outside the Attribute Protocol: `CBError.Code` in Swift.
CB_ENUM(CBErrorCode) {
    /// An error without a code of its own.
    CBErrorUnknown CB_NAME(unknown) = 0,
    /// An argument is not valid.
    CBErrorInvalidParameters CB_NAME(invalidParameters) = 1,
    /// An attribute handle is not valid.
    CBErrorInvalidHandle CB_NAME(invalidHandle) = 2,
    /// The peer is not connected.
    CBErrorNotConnected CB_NAME(notConnected) = 3,
    /// There is no space left.
    CBErrorOutOfSpace CB_NAME(outOfSpace) = 4,
    /// The operation was canceled.
    CBErrorOperationCancelled CB_NAME(operationCancelled) = 5,
    /// The peer stopped answering, or the link's supervision timeout elapsed.
    CBErrorConnectionTimeout CB_NAME(connectionTimeout) = 6,
    /// The peer ended the link or the channel.
    CBErrorPeripheralDisconnected CB_NAME(peripheralDisconnected) = 7,
    /// The system reserves this UUID.
    CBErrorUuidNotAllowed CB_NAME(uuidNotAllowed) = 8,
    /// The manager is already advertising.
    CBErrorAlreadyAdvertising CB_NAME(alreadyAdvertising) = 9,
    /// The link could not be established.
    CBErrorConnectionFailed CB_NAME(connectionFailed) = 10,
    /// The adapter cannot have another link.
    CBErrorConnectionLimitReached CB_NAME(connectionLimitReached) = 11,
    /// The peer is not known. Older, misspelled name.
    CBErrorUnkownDevice CB_NAME(unkownDevice) CB_DEPRECATED("use unknownDevice") = 12,
    /// The peer is not known.
    CBErrorUnknownDevice CB_NAME(unknownDevice) = 12,
    /// This host or its adapter does not support the operation.
    CBErrorOperationNotSupported CB_NAME(operationNotSupported) = 13,
    /// The peer deleted its bond with this host.
    CBErrorPeerRemovedPairingInformation CB_NAME(peerRemovedPairingInformation) = 14,
    /// The link could not be encrypted.
    CBErrorEncryptionTimedOut CB_NAME(encryptionTimedOut) = 15,
    /// The limit of bonds is reached.
    CBErrorTooManyLEPairedDevices CB_NAME(tooManyLEPairedDevices) = 16,
    /// A watch app got too many notifications in the background.
    CBErrorLeGattExceededBackgroundNotificationLimit
        CB_NAME(leGattExceededBackgroundNotificationLimit) = 17,
    /// A watch app got nearly too many notifications in the background.
    CBErrorLeGattNearBackgroundNotificationLimit
        CB_NAME(leGattNearBackgroundNotificationLimit) = 18,
    /// The devices did not agree on a Channel Sounding configuration.
    CBErrorChannelSoundingConfigurationFailed CB_NAME(channelSoundingConfigurationFailed) = 19,
    /// A Channel Sounding procedure failed.
    CBErrorChannelSoundingProcedureFailed CB_NAME(channelSoundingProcedureFailed) = 20,
};

/// The error code of an attribute server (Vol 3, Part F, 3.4.1.1): `CBATTError.Code` in Swift.
/// Numbers without a name are valid too: those of apps (0x80 to 0x9F) and of common
/// profiles (0xE0 to 0xFF).
CB_ENUM(CBATTErrorCode) {
    /// The request succeeded.
    CBATTErrorSuccess CB_NAME(success) = 0,
    /// The peer has no attribute with this handle.
    CBATTErrorInvalidHandle CB_NAME(invalidHandle) = 1,
    /// The attribute cannot be read.
    CBATTErrorReadNotPermitted CB_NAME(readNotPermitted) = 2,
    /// The attribute cannot be written.
    CBATTErrorWriteNotPermitted CB_NAME(writeNotPermitted) = 3,
    /// The request is malformed.
    CBATTErrorInvalidPdu CB_NAME(invalidPdu) = 4,
    /// The link is not encrypted with authenticated keys.
    CBATTErrorInsufficientAuthentication CB_NAME(insufficientAuthentication) = 5,
    /// The server does not support the request.
    CBATTErrorRequestNotSupported CB_NAME(requestNotSupported) = 6,
    /// The offset is beyond the end of the value.
    CBATTErrorInvalidOffset CB_NAME(invalidOffset) = 7,
    /// The server's app does not authorize the request.
    CBATTErrorInsufficientAuthorization CB_NAME(insufficientAuthorization) = 8,
    /// The queue of prepared writes is full.
    CBATTErrorPrepareQueueFull CB_NAME(prepareQueueFull) = 9,
    /// The range of handles has no such attribute.
    CBATTErrorAttributeNotFound CB_NAME(attributeNotFound) = 10,
    /// The attribute cannot be read in parts.
    CBATTErrorAttributeNotLong CB_NAME(attributeNotLong) = 11,
    /// The encryption key of the link is too short.
    CBATTErrorInsufficientEncryptionKeySize CB_NAME(insufficientEncryptionKeySize) = 12,
    /// The length of the value is wrong for the attribute.
    CBATTErrorInvalidAttributeValueLength CB_NAME(invalidAttributeValueLength) = 13,
    /// The server had an unexpected error.
    CBATTErrorUnlikelyError CB_NAME(unlikelyError) = 14,
    /// The link is not encrypted.
    CBATTErrorInsufficientEncryption CB_NAME(insufficientEncryption) = 15,
    /// The attribute type is not a grouping attribute.
    CBATTErrorUnsupportedGroupType CB_NAME(unsupportedGroupType) = 16,
    /// The server lacks the resources for the request.
    CBATTErrorInsufficientResources CB_NAME(insufficientResources) = 17,
};

/// The role of a device in Channel Sounding: `CBChannelSoundingSessionConfiguration.Role` in Swift.
CB_ENUM(CBChannelSoundingSessionConfigurationRole) {
    /// The device that sends first and measures the distance.
    CBChannelSoundingSessionConfigurationRoleInitiator CB_NAME(initiator) = 0,
};

#endif
