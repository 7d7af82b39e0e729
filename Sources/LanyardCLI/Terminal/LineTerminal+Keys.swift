// SPDX-License-Identifier: Apache-2.0

import Synchronization

// The keys, and their effects.
extension LineTerminal {
    /// Passes keys other than Ctrl-C and Ctrl-Z on to a display. Returns whether a display reads
    /// them.
    func pass(_ bytes: [UInt8]) -> Bool {
        state.withLock { state in
            guard let display = state.display, !bytes.contains(Self.interruption),
                !bytes.contains(Self.suspension)
            else { return false }
            display.yield(bytes)
            return true
        }
    }

    /// The bytes of Ctrl-C and Ctrl-Z.
    private static let interruption: UInt8 = 0x03
    private static let suspension: UInt8 = 0x1A

    func receive(_ key: TerminalKey) async {
        let (isEditing, isReplaying) = state.withLock { ($0.isEditing, $0.isReplaying) }
        if isEditing, !isReplaying {
            if key == .tab { return await completeLine() }
            return edit(key)
        }
        switch key {
        case .interrupt where !isReplaying:
            let interrupt = state.withLock { state in
                state.isInterrupted = state.interrupt == nil
                return state.interrupt
            }
            interrupt?()
        case .suspend: console.suspend()
        default:
            state.withLock { state in
                if state.typedAhead.count < Self.typedAheadLimit { state.typedAhead.append(key) }
            }
        }
    }

    /// Gives the key to the editor.
    func edit(_ key: TerminalKey) {
        let (effect, prompt) = state.withLock { state in
            let effect = state.editor.receive(key)
            if effect == .redraw { redraw(state) }
            return (effect, state.shownPrompt)
        }
        switch effect {
        case .none, .redraw, .complete: break
        case .submit(let line): submit(line, prompt)
        case .interrupt: interruptLine()
        case .endOfInput: endLine()
        case .suspend: console.suspend()
        case .clearScreen:
            state.withLock { state in
                try? console.write(Self.clearScreen)
                redraw(state)
            }
        }
    }

    private static let clearScreen = "\u{1B}[2J\u{1B}[H"

    /// Leaves the complete line on the terminal and delivers it.
    private func submit(_ line: String, _ prompt: LinePrompt) {
        let (isAnswer, waiting) = state.withLock { state in
            let display = LineDisplay(columns: console.size().columns)
            try? console.write(display.draw(prompt: prompt, before: line, after: "") + "\n")
            state.isEditing = false
            let isAnswer = state.question != nil
            state.question = nil
            defer { if !isAnswer { state.waiting = nil } }
            return (isAnswer, isAnswer ? nil : state.waiting)
        }
        if isAnswer { return state.withLock { $0.answered }(line) }
        waiting?.resume(returning: line)
    }

    /// Handles Ctrl-C: discards the line or, during a question, cancels the command that asks.
    private func interruptLine() {
        let interrupt = state.withLock { state -> (@Sendable () -> Void)? in
            state.editor.clear()
            try? console.write("^C\n")
            guard state.question != nil else {
                redraw(state)
                return nil
            }
            (state.question, state.isEditing) = (nil, false)
            return state.interrupt
        }
        interrupt?()
    }

    /// Handles Ctrl-D on an empty line: ends the input or, during a question, gives an empty
    /// answer, which declines.
    private func endLine() {
        let question = state.withLock { $0.question }
        if let question { return submit("", question) }
        let waiting = state.withLock { state in
            try? console.write("\n")
            state.isEditing = false
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: nil)
    }

    private func completeLine() async {
        let before = state.withLock { $0.question == nil ? $0.editor.before : nil }
        guard let before else { return }
        let completion = await state.withLock { $0.complete }(before)
        state.withLock { state in
            guard state.isEditing, state.editor.before == before else { return }
            state.editor.replaceBefore(with: completion.before)
            let isLonger = completion.before != before
            if completion.candidates.count > 1, !isLonger {
                let list = Self.list(completion.candidates, columns: console.size().columns)
                try? console.write(LiveArea.eraseLine + list)
            }
            redraw(state)
        }
    }

    /// Returns the candidates in columns.
    private static func list(_ candidates: [String], columns: Int) -> String {
        let shown = candidates.prefix(candidateLimit)
        let width = (shown.map(TerminalColumns.count).max() ?? 0) + 2
        let perRow = max(1, columns / max(1, width))
        var text = ""
        for start in stride(from: 0, to: shown.count, by: perRow) {
            let row = shown[start..<min(start + perRow, shown.count)]
            let cells = row.dropLast().map { TerminalColumns.fit($0, to: width) } + row.suffix(1)
            text += TerminalColumns.truncate(cells.joined(), to: columns) + "\n"
        }
        let rest = candidates.count - shown.count
        return rest > 0 ? text + "… \(rest) more\n" : text
    }
}
