// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothPort
import CoreBluetoothEnumerations
import Foundation

extension ClientError {
    /// The error that a delegate gets.
    var delivered: any Error {
        switch self {
        case .failed: cbError
        case .attribute(let code):
            CBATTError(
                delivering: CBATTError.Code(rawValue: Int(code.rawValue)) ?? .unlikelyError
            )
        }
    }

    /// The error as a `CBError`. It is `unknown` for a server's refusal.
    var cbError: CBError {
        guard case .failed(let code) = self else { return CBError(delivering: .unknown) }
        return CBError(delivering: code.cbCode)
    }
}

extension ClientError.Code {
    /// The code in Core Bluetooth, which has the same number.
    var cbCode: CBError.Code { CBError.Code(rawValue: rawValue) ?? .unknown }
}

// As in Apple's framework, an error that a delegate gets contains its text. An error that the app
// makes contains only the `userInfo` that the app passes.

extension CBError {
    /// Creates the error that a delegate gets, with its text in `userInfo`.
    init(delivering code: Code) {
        self.init(code, userInfo: [NSLocalizedDescriptionKey: Self.text(of: code)])
    }

    private static func text(of code: Code) -> String {
        ClientError.Code(rawValue: code.rawValue)?.text ?? texts[code]
            ?? ClientError.Code.unknown.text
    }

    /// The texts of the codes that `ClientError.Code` does not have.
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

extension CBATTError {
    /// Creates the error that a delegate gets, with its text in `userInfo`.
    init(delivering code: Code) {
        self.init(code, userInfo: [NSLocalizedDescriptionKey: Self.text(of: code)])
    }

    private static func text(of code: Code) -> String {
        ATT.ErrorCode(rawValue: UInt8(exactly: code.rawValue) ?? .max).text
    }
}
