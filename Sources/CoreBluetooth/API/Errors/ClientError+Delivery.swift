// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import CoreBluetoothEnumerations

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

    /// The error that a delegate gets for an error that is no answer of a server.
    var cbError: CBError {
        guard case .failed(let code) = self else { return CBError(delivering: .unknown) }
        return CBError(delivering: code.cbCode)
    }
}

extension ClientError.Code {
    /// The code in Core Bluetooth, which has the same number.
    var cbCode: CBError.Code { CBError.Code(rawValue: rawValue) ?? .unknown }
}
