// SPDX-License-Identifier: Apache-2.0

import Foundation

extension MessageChannelOptions.Form {
    /// Returns the bytes that represent an envelope; `nil` for a refusal in the plain form, which
    /// cannot express one.
    func bytes(of envelope: MessageEnvelope) -> Data? {
        switch self {
        case .enveloped: envelope.json
        case .plain: envelope.body
        }
    }
}
