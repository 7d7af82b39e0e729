// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes
import Testing

/// A case of the official test suite in which the server refuses a request with an error code.
struct Refusal: CustomTestStringConvertible {
    let name: String
    let code: ATT.ErrorCode

    init(_ name: String, _ code: ATT.ErrorCode) {
        self.name = name
        self.code = code
    }

    /// The encoded error code.
    var byte: String { [code.rawValue].hexadecimal }

    var testDescription: String { "\(name): \(code)" }
}
