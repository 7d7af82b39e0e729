// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Something that has happened or not, whoever asks.
final class Latch: Sendable {
    private let state = Mutex(false)

    var isSet: Bool { state.withLock { $0 } }

    func set() {
        state.withLock { $0 = true }
    }
}
