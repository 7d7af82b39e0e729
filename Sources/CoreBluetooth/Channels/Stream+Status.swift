// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import Foundation

extension Stream.Status {
    init(_ status: ChannelBuffers.Status) {
        self =
            switch status {
            case .notOpen: .notOpen
            case .open: .open
            case .atEnd: .atEnd
            case .failed: .error
            case .closed: .closed
            }
    }
}

extension ChannelBuffers.Status {
    /// The `streamError` for the status.
    var error: CBError? {
        guard case .failed(let code) = self else { return nil }
        return CBError(code.cbCode)
    }
}
