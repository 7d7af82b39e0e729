// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothPort
import Foundation

extension CBATTError {
    /// Creates the error that a delegate gets, with its text in `userInfo`.
    init(delivering code: Code) {
        self.init(code, userInfo: [NSLocalizedDescriptionKey: Self.text(of: code)])
    }

    private static func text(of code: Code) -> String {
        ATT.ErrorCode(rawValue: UInt8(exactly: code.rawValue) ?? .max).text
    }
}
