// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import Foundation

// Like Apple's, an error from the framework carries its text. An error that the application makes
// carries only the `userInfo` that the application passes.

extension CBError {
    /// Creates the error that a delegate gets, with its text in `userInfo`.
    init(delivering code: Code) {
        self.init(code, userInfo: [NSLocalizedDescriptionKey: Self.text(of: code)])
    }

    private static func text(of code: Code) -> String {
        ClientError.Code(rawValue: code.rawValue)?.text ?? texts[code]
            ?? ClientError.Code.unknown.text
    }

    /// The texts of errors that a client never gets.
    private static let texts: [Code: String] = [
        .unknownDevice: "The specified device is unknown.",
        .leGattExceededBackgroundNotificationLimit:
            "There were too many notifications in the background.",
        .leGattNearBackgroundNotificationLimit:
            "There were nearly too many notifications in the background.",
        .channelSoundingConfigurationFailed: "The configuration of channel sounding has failed.",
        .channelSoundingProcedureFailed: "The channel sounding procedure has failed.",
    ]
}
