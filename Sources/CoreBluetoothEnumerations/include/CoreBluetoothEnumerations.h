// SPDX-License-Identifier: Apache-2.0
//
// The enumerations of CoreBluetooth. They are written in C because only an enumeration that comes
// from C is open in Swift: a `switch` over it needs `@unknown default`, and `init(rawValue:)` makes a
// value of every number, also of one that has no name yet. An application error of ATT
// (`CBATTError.Code(rawValue: 0x80)`) has to exist in this way.

#ifndef CORE_BLUETOOTH_ENUMERATIONS_H
#define CORE_BLUETOOTH_ENUMERATIONS_H

/// An open enumeration whose raw value is Swift's `Int`.
#define CB_ENUM(name) enum __attribute__((enum_extensibility(open))) name : long

/// What a constant is called in Swift.
#define CB_NAME(name) __attribute__((swift_name(#name)))

/// Marks what code should no longer use, and says what takes its place.
#define CB_DEPRECATED(advice) __attribute__((deprecated(advice)))

/// What a manager can do at the moment. All below `poweredOff` mean that what the manager has
/// handed out is no longer valid.
CB_ENUM(CBManagerState) {
    /// Not known yet: the first update is still to come.
    CBManagerStateUnknown CB_NAME(unknown) = 0,
    /// The connection to the adapter was lost for a moment; another update follows.
    CBManagerStateResetting CB_NAME(resetting) = 1,
    /// There is no adapter that can do Bluetooth Low Energy.
    CBManagerStateUnsupported CB_NAME(unsupported) = 2,
    /// The application may not use Bluetooth.
    CBManagerStateUnauthorized CB_NAME(unauthorized) = 3,
    /// Bluetooth is switched off.
    CBManagerStatePoweredOff CB_NAME(poweredOff) = 4,
    /// Bluetooth is on, and the manager takes commands.
    CBManagerStatePoweredOn CB_NAME(poweredOn) = 5,
};

/// Whether the application may use Bluetooth.
CB_ENUM(CBManagerAuthorization) {
    /// Nobody has been asked yet.
    CBManagerAuthorizationNotDetermined CB_NAME(notDetermined) = 0,
    /// It may not, and nobody who uses the application can change that.
    CBManagerAuthorizationRestricted CB_NAME(restricted) = 1,
    /// It was refused.
    CBManagerAuthorizationDenied CB_NAME(denied) = 2,
    /// It may, also in the background.
    CBManagerAuthorizationAllowedAlways CB_NAME(allowedAlways) = 3,
};

/// The state of a central manager, as it was called before both managers had one.
CB_ENUM(CBCentralManagerState) {
    /// Not known yet: the first update is still to come.
    CBCentralManagerStateUnknown CB_NAME(unknown) = 0,
    /// The connection to the adapter was lost for a moment; another update follows.
    CBCentralManagerStateResetting CB_NAME(resetting) = 1,
    /// There is no adapter that can do Bluetooth Low Energy.
    CBCentralManagerStateUnsupported CB_NAME(unsupported) = 2,
    /// The application may not use Bluetooth.
    CBCentralManagerStateUnauthorized CB_NAME(unauthorized) = 3,
    /// Bluetooth is switched off.
    CBCentralManagerStatePoweredOff CB_NAME(poweredOff) = 4,
    /// Bluetooth is on, and the manager takes commands.
    CBCentralManagerStatePoweredOn CB_NAME(poweredOn) = 5,
} CB_DEPRECATED("use CBManagerState");

/// The state of a peripheral manager, as it was called before both managers had one.
CB_ENUM(CBPeripheralManagerState) {
    /// Not known yet: the first update is still to come.
    CBPeripheralManagerStateUnknown CB_NAME(unknown) = 0,
    /// The connection to the adapter was lost for a moment; another update follows.
    CBPeripheralManagerStateResetting CB_NAME(resetting) = 1,
    /// There is no adapter that can do Bluetooth Low Energy.
    CBPeripheralManagerStateUnsupported CB_NAME(unsupported) = 2,
    /// The application may not use Bluetooth.
    CBPeripheralManagerStateUnauthorized CB_NAME(unauthorized) = 3,
    /// Bluetooth is switched off.
    CBPeripheralManagerStatePoweredOff CB_NAME(poweredOff) = 4,
    /// Bluetooth is on, and the manager takes commands.
    CBPeripheralManagerStatePoweredOn CB_NAME(poweredOn) = 5,
} CB_DEPRECATED("use CBManagerState");

/// What happened to a peer that was registered for.
CB_ENUM(CBConnectionEvent) {
    /// The peer is no longer connected to this host.
    CBConnectionEventPeerDisconnected CB_NAME(peerDisconnected) = 0,
    /// The peer is connected to this host, whoever asked for it.
    CBConnectionEventPeerConnected CB_NAME(peerConnected) = 1,
};

/// How a peripheral stands to the application that holds it.
CB_ENUM(CBPeripheralState) {
    /// Not connected, and no attempt is under way.
    CBPeripheralStateDisconnected CB_NAME(disconnected) = 0,
    /// An attempt is under way, for as long as it takes.
    CBPeripheralStateConnecting CB_NAME(connecting) = 1,
    /// Connected: it takes commands.
    CBPeripheralStateConnected CB_NAME(connected) = 2,
    /// The application has asked for the end, which has not been confirmed yet.
    CBPeripheralStateDisconnecting CB_NAME(disconnecting) = 3,
};

/// Whether a write asks for an answer.
CB_ENUM(CBCharacteristicWriteType) {
    /// The peripheral answers, and the delegate hears of it.
    CBCharacteristicWriteTypeWithResponse CB_NAME(withResponse) = 0,
    /// Sent and forgotten: nothing is said of what becomes of it.
    CBCharacteristicWriteTypeWithoutResponse CB_NAME(withoutResponse) = 1,
};

/// How soon data should reach a central, weighed against the power that it costs.
CB_ENUM(CBPeripheralManagerConnectionLatency) {
    /// Soon, at the cost of power.
    CBPeripheralManagerConnectionLatencyLow CB_NAME(low) = 0,
    /// Between the two.
    CBPeripheralManagerConnectionLatencyMedium CB_NAME(medium) = 1,
    /// Late, to save power.
    CBPeripheralManagerConnectionLatencyHigh CB_NAME(high) = 2,
};

/// Whether the application may advertise in the background, as it was asked before managers had an
/// authorization.
CB_ENUM(CBPeripheralManagerAuthorizationStatus) {
    /// Nobody has been asked yet.
    CBPeripheralManagerAuthorizationStatusNotDetermined CB_NAME(notDetermined) = 0,
    /// It may not, and nobody who uses the application can change that.
    CBPeripheralManagerAuthorizationStatusRestricted CB_NAME(restricted) = 1,
    /// It was refused.
    CBPeripheralManagerAuthorizationStatusDenied CB_NAME(denied) = 2,
    /// It may.
    CBPeripheralManagerAuthorizationStatusAuthorized CB_NAME(authorized) = 3,
} CB_DEPRECATED("use CBManagerAuthorization");

/// What went wrong, where the Attribute Protocol is not to blame: `CBError.Code` in Swift.
CB_ENUM(CBErrorCode) {
    /// Something that has no code of its own.
    CBErrorUnknown CB_NAME(unknown) = 0,
    /// An argument makes no sense.
    CBErrorInvalidParameters CB_NAME(invalidParameters) = 1,
    /// An attribute handle is not valid.
    CBErrorInvalidHandle CB_NAME(invalidHandle) = 2,
    /// The peer is not connected.
    CBErrorNotConnected CB_NAME(notConnected) = 3,
    /// There is no room for what was to be kept.
    CBErrorOutOfSpace CB_NAME(outOfSpace) = 4,
    /// The operation was called off.
    CBErrorOperationCancelled CB_NAME(operationCancelled) = 5,
    /// The peer was not heard for too long: the link's supervision timeout.
    CBErrorConnectionTimeout CB_NAME(connectionTimeout) = 6,
    /// The peer ended the link.
    CBErrorPeripheralDisconnected CB_NAME(peripheralDisconnected) = 7,
    /// The system keeps this UUID for itself.
    CBErrorUuidNotAllowed CB_NAME(uuidNotAllowed) = 8,
    /// The manager advertises already.
    CBErrorAlreadyAdvertising CB_NAME(alreadyAdvertising) = 9,
    /// The link could not be established.
    CBErrorConnectionFailed CB_NAME(connectionFailed) = 10,
    /// The adapter has no room for another link.
    CBErrorConnectionLimitReached CB_NAME(connectionLimitReached) = 11,
    /// The peer is not known. The misspelt name is the older one.
    CBErrorUnkownDevice CB_NAME(unkownDevice) CB_DEPRECATED("use unknownDevice") = 12,
    /// The peer is not known.
    CBErrorUnknownDevice CB_NAME(unknownDevice) = 12,
    /// This host, or its adapter, cannot do it.
    CBErrorOperationNotSupported CB_NAME(operationNotSupported) = 13,
    /// The peer has forgotten its bond with this host.
    CBErrorPeerRemovedPairingInformation CB_NAME(peerRemovedPairingInformation) = 14,
    /// The link could not be encrypted in time.
    CBErrorEncryptionTimedOut CB_NAME(encryptionTimedOut) = 15,
    /// There is no room for another bond.
    CBErrorTooManyLEPairedDevices CB_NAME(tooManyLEPairedDevices) = 16,
    /// Too many notifications came while a watch application was in the background.
    CBErrorLeGattExceededBackgroundNotificationLimit
        CB_NAME(leGattExceededBackgroundNotificationLimit) = 17,
    /// Nearly too many notifications came while a watch application was in the background.
    CBErrorLeGattNearBackgroundNotificationLimit
        CB_NAME(leGattNearBackgroundNotificationLimit) = 18,
    /// The two devices did not agree on a configuration of channel sounding.
    CBErrorChannelSoundingConfigurationFailed CB_NAME(channelSoundingConfigurationFailed) = 19,
    /// A procedure of channel sounding did not succeed.
    CBErrorChannelSoundingProcedureFailed CB_NAME(channelSoundingProcedureFailed) = 20,
};

/// What a server answered in place of success: `CBATTError.Code` in Swift (Vol 3, Part F, 3.4.1.1).
/// Numbers without a name travel too: those of applications (0x80 to 0x9F) and of common profiles
/// (0xE0 to 0xFF).
CB_ENUM(CBATTErrorCode) {
    /// No error; what a peripheral answers when all is well.
    CBATTErrorSuccess CB_NAME(success) = 0,
    /// There is no attribute with this handle.
    CBATTErrorInvalidHandle CB_NAME(invalidHandle) = 1,
    /// The attribute cannot be read.
    CBATTErrorReadNotPermitted CB_NAME(readNotPermitted) = 2,
    /// The attribute cannot be written.
    CBATTErrorWriteNotPermitted CB_NAME(writeNotPermitted) = 3,
    /// The request is malformed.
    CBATTErrorInvalidPdu CB_NAME(invalidPdu) = 4,
    /// The link's keys were made with too little proof of who the peer is.
    CBATTErrorInsufficientAuthentication CB_NAME(insufficientAuthentication) = 5,
    /// The server does not know the request.
    CBATTErrorRequestNotSupported CB_NAME(requestNotSupported) = 6,
    /// The offset lies past the end of the value.
    CBATTErrorInvalidOffset CB_NAME(invalidOffset) = 7,
    /// The server's application does not allow it.
    CBATTErrorInsufficientAuthorization CB_NAME(insufficientAuthorization) = 8,
    /// Too many prepared writes are waiting.
    CBATTErrorPrepareQueueFull CB_NAME(prepareQueueFull) = 9,
    /// There is no such attribute in the range.
    CBATTErrorAttributeNotFound CB_NAME(attributeNotFound) = 10,
    /// The attribute cannot be read in pieces.
    CBATTErrorAttributeNotLong CB_NAME(attributeNotLong) = 11,
    /// The link's key is too short.
    CBATTErrorInsufficientEncryptionKeySize CB_NAME(insufficientEncryptionKeySize) = 12,
    /// The value has the wrong length for the attribute.
    CBATTErrorInvalidAttributeValueLength CB_NAME(invalidAttributeValueLength) = 13,
    /// Something that should not happen has happened.
    CBATTErrorUnlikelyError CB_NAME(unlikelyError) = 14,
    /// The link is not encrypted.
    CBATTErrorInsufficientEncryption CB_NAME(insufficientEncryption) = 15,
    /// The type is no group of attributes.
    CBATTErrorUnsupportedGroupType CB_NAME(unsupportedGroupType) = 16,
    /// The server has no room left for the request.
    CBATTErrorInsufficientResources CB_NAME(insufficientResources) = 17,
};

/// Which part a device takes in channel sounding: `CBChannelSoundingSessionConfiguration.Role` in
/// Swift.
CB_ENUM(CBChannelSoundingSessionConfigurationRole) {
    /// Sends first, and learns the distance.
    CBChannelSoundingSessionConfigurationRoleInitiator CB_NAME(initiator) = 0,
};

#endif
