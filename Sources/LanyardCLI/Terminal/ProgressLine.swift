// SPDX-License-Identifier: Apache-2.0

/// One line on standard error that says what a long command is doing; only on a terminal, and gone
/// when the command prints something or ends.
struct ProgressLine: Sendable {
    let console: Console

    /// Says what is being done.
    func show(_ text: String) {
        guard console.isRemarkTerminal else { return }
        let columns = max(1, console.size().columns - 1)
        console.remark(LiveArea.eraseLine + TerminalColumns.truncate(text, to: columns))
    }

    /// Takes the line away.
    func clear() {
        guard console.isRemarkTerminal else { return }
        console.remark(LiveArea.eraseLine)
    }
}
