// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Input that was typed on a terminal and not yet read.
enum TypedInput: Equatable, Sendable {
    /// The whole input.
    case all
    /// The text without an end of line, if no complete line waits before it.
    case unfinishedLine

    /// Discards this input, unless the process is a background job. In a background job, the input
    /// belongs to another job, and the system would stop this process.
    func discard(from terminal: Int32 = STDIN_FILENO) {
        guard isatty(terminal) == 1 else { return }
        // There is no foreground job if the terminal does not control this process.
        let foreground = tcgetpgrp(terminal)
        guard foreground == -1 || foreground == getpgrp() else { return }
        if self == .unfinishedLine, Self.hasLine(terminal) { return }
        tcflush(terminal, TCIFLUSH)
    }

    /// Returns whether a complete line waits. In its usual mode, a terminal has input to read only
    /// when it has a whole line.
    private static func hasLine(_ terminal: Int32) -> Bool {
        var watched = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
        return poll(&watched, 1, 0) > 0
    }
}
