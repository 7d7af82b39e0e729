// SPDX-License-Identifier: Apache-2.0

import Synchronization
import VirtualAdapters

/// Looks after the packet logs of an air: the first failure is told, and no other.
final class AirTraces: Sendable {
    private let console: Console
    private let isTold = Mutex(false)

    init(console: Console) {
        self.console = console
    }

    /// Tells of a failure, if there is one that was not told.
    func check(_ air: LiveAir) async {
        guard let failure = await air.traceFailure else { return }
        let isFirst = isTold.withLock { isTold in
            defer { isTold = true }
            return !isTold
        }
        guard isFirst else { return }
        console.remark("lanyard: the traces are not whole: \(TerminalText.escape("\(failure)"))\n")
    }
}
