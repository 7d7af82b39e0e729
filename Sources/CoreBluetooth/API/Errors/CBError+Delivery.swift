// SPDX-License-Identifier: Apache-2.0

import Foundation

// Like Apple's, an error from the framework carries its text. An error that the application makes
// carries only the `userInfo` that the application passes.

extension CBError {
    /// Makes the error that a delegate gets, with its text in `userInfo`.
    init(delivering code: Code) {
        self.init(code, userInfo: [NSLocalizedDescriptionKey: Self.text(of: code)])
    }

    private static func text(of code: Code) -> String {
        texts[code] ?? "Unknown error."
    }

    private static let texts: [Code: String] = [
        .unknown: "Unknown error.",
        .invalidParameters: "One or more parameters were invalid.",
        .invalidHandle: "The handle is invalid.",
        .notConnected: "The device is not connected.",
        .outOfSpace: "There is no space left.",
        .operationCancelled: "The operation was cancelled.",
        .connectionTimeout: "The connection has timed out unexpectedly.",
        .peripheralDisconnected: "The specified device has disconnected from us.",
        .uuidNotAllowed: "The specified UUID is not allowed for this operation.",
        .alreadyAdvertising: "Advertising has already started.",
        .connectionFailed: "The connection has failed unexpectedly.",
        .connectionLimitReached: "The system has reached the limit of connections.",
        .unknownDevice: "The specified device is unknown.",
        .operationNotSupported: "The operation is not supported.",
        .peerRemovedPairingInformation: "Peer removed pairing information",
        .encryptionTimedOut:
            "Failed to encrypt the connection, the connection has timed out unexpectedly.",
        .tooManyLEPairedDevices: "There are too many paired devices.",
        .leGattExceededBackgroundNotificationLimit:
            "There were too many notifications in the background.",
        .leGattNearBackgroundNotificationLimit:
            "There were nearly too many notifications in the background.",
        .channelSoundingConfigurationFailed: "The configuration of channel sounding has failed.",
        .channelSoundingProcedureFailed: "The channel sounding procedure has failed.",
    ]
}
