// SPDX-License-Identifier: Apache-2.0

// The codes as members of the error: `catch CBError.notConnected` is shorter than with `Code`.

extension CBError {
    /// An error without a code of its own.
    public static var unknown: CBError.Code { .unknown }
    /// An argument is not valid.
    public static var invalidParameters: CBError.Code { .invalidParameters }
    /// An attribute handle is not valid.
    public static var invalidHandle: CBError.Code { .invalidHandle }
    /// The peer is not connected.
    public static var notConnected: CBError.Code { .notConnected }
    /// There is no space left.
    public static var outOfSpace: CBError.Code { .outOfSpace }
    /// The operation was canceled.
    public static var operationCancelled: CBError.Code { .operationCancelled }
    /// The peer stopped answering, or the link's supervision timeout elapsed.
    public static var connectionTimeout: CBError.Code { .connectionTimeout }
    /// The peer ended the link or the channel.
    public static var peripheralDisconnected: CBError.Code { .peripheralDisconnected }
    /// The system reserves this UUID.
    public static var uuidNotAllowed: CBError.Code { .uuidNotAllowed }
    /// The manager is already advertising.
    public static var alreadyAdvertising: CBError.Code { .alreadyAdvertising }
    /// The link could not be established.
    public static var connectionFailed: CBError.Code { .connectionFailed }
    /// The adapter cannot have another link.
    public static var connectionLimitReached: CBError.Code { .connectionLimitReached }
    /// The peer is not known. Older, misspelled name.
    @available(*, deprecated, message: "use unknownDevice")
    public static var unkownDevice: CBError.Code { .unknownDevice }
    /// The peer is not known.
    public static var unknownDevice: CBError.Code { .unknownDevice }
    /// This host or its adapter does not support the operation.
    public static var operationNotSupported: CBError.Code { .operationNotSupported }
    /// The peer deleted its bond with this host.
    public static var peerRemovedPairingInformation: CBError.Code { .peerRemovedPairingInformation }
    /// The link could not be encrypted.
    public static var encryptionTimedOut: CBError.Code { .encryptionTimedOut }
    /// The limit of bonds is reached.
    public static var tooManyLEPairedDevices: CBError.Code { .tooManyLEPairedDevices }
    /// A watch app got too many notifications in the background.
    public static var leGattExceededBackgroundNotificationLimit: CBError.Code {
        .leGattExceededBackgroundNotificationLimit
    }
    /// A watch app got nearly too many notifications in the background.
    public static var leGattNearBackgroundNotificationLimit: CBError.Code {
        .leGattNearBackgroundNotificationLimit
    }
    /// The devices did not agree on a Channel Sounding configuration.
    public static var channelSoundingConfigurationFailed: CBError.Code {
        .channelSoundingConfigurationFailed
    }
    /// A Channel Sounding procedure failed.
    public static var channelSoundingProcedureFailed: CBError.Code {
        .channelSoundingProcedureFailed
    }
}
