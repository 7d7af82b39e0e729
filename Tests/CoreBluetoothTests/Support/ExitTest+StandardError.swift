// SPDX-License-Identifier: Apache-2.0

import Testing

extension ExitTest.Result? {
    /// Returns whether the process wrote `message` to its standard error.
    func wrote(_ message: String) -> Bool {
        String(decoding: self?.standardErrorContent ?? [], as: UTF8.self).contains(message)
    }
}
