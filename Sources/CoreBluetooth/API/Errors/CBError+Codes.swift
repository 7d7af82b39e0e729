// SPDX-License-Identifier: Apache-2.0

// The codes under the error's own name: `catch CBError.notConnected` reads better than with the code's.

extension CBError {
    /// Something that has no code of its own.
    public static var unknown: CBError.Code { .unknown }
    /// An argument makes no sense.
    public static var invalidParameters: CBError.Code { .invalidParameters }
    /// An attribute handle is not valid.
    public static var invalidHandle: CBError.Code { .invalidHandle }
    /// The peer is not connected.
    public static var notConnected: CBError.Code { .notConnected }
    /// There is no room for what was to be kept.
    public static var outOfSpace: CBError.Code { .outOfSpace }
    /// The operation was called off.
    public static var operationCancelled: CBError.Code { .operationCancelled }
    /// The peer was not heard for too long: the link's supervision timeout.
    public static var connectionTimeout: CBError.Code { .connectionTimeout }
    /// The peer ended the link.
    public static var peripheralDisconnected: CBError.Code { .peripheralDisconnected }
    /// The system keeps this UUID for itself.
    public static var uuidNotAllowed: CBError.Code { .uuidNotAllowed }
    /// The manager advertises already.
    public static var alreadyAdvertising: CBError.Code { .alreadyAdvertising }
    /// The link could not be established.
    public static var connectionFailed: CBError.Code { .connectionFailed }
    /// The adapter has no room for another link.
    public static var connectionLimitReached: CBError.Code { .connectionLimitReached }
    /// The peer is not known. The misspelt name is the older one.
    @available(*, deprecated, message: "use unknownDevice")
    public static var unkownDevice: CBError.Code { .unknownDevice }
    /// The peer is not known.
    public static var unknownDevice: CBError.Code { .unknownDevice }
    /// This host, or its adapter, cannot do it.
    public static var operationNotSupported: CBError.Code { .operationNotSupported }
    /// The peer has forgotten its bond with this host.
    public static var peerRemovedPairingInformation: CBError.Code { .peerRemovedPairingInformation }
    /// The link could not be encrypted in time.
    public static var encryptionTimedOut: CBError.Code { .encryptionTimedOut }
    /// There is no room for another bond.
    public static var tooManyLEPairedDevices: CBError.Code { .tooManyLEPairedDevices }
    /// Too many notifications came while a watch application was in the background.
    public static var leGattExceededBackgroundNotificationLimit: CBError.Code {
        .leGattExceededBackgroundNotificationLimit
    }
    /// Nearly too many notifications came while a watch application was in the background.
    public static var leGattNearBackgroundNotificationLimit: CBError.Code {
        .leGattNearBackgroundNotificationLimit
    }
    /// The two devices did not agree on a configuration of channel sounding.
    public static var channelSoundingConfigurationFailed: CBError.Code {
        .channelSoundingConfigurationFailed
    }
    /// A procedure of channel sounding did not succeed.
    public static var channelSoundingProcedureFailed: CBError.Code {
        .channelSoundingProcedureFailed
    }
}
