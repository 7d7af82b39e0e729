// SPDX-License-Identifier: Apache-2.0

import Foundation

extension MessageChannelOptions.Form {
    /// What is sent of an envelope; nil for nothing: without envelopes there is no way to refuse.
    func octets(of envelope: MessageEnvelope) -> Data? {
        switch self {
        case .enveloped: envelope.json
        case .plain: envelope.body
        }
    }
}
