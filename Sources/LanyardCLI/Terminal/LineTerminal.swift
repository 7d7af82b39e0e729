// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A terminal on which a person edits lines, with other output above the line.
///
/// Keys that are typed while neither a line nor a display is shown wait for the next line, except
/// Ctrl-C and Ctrl-Z.
final class LineTerminal: Sendable {
    /// A function that completes the text before the cursor.
    typealias Completer = @Sendable (_ before: String) async -> LineCompletion

    struct State {
        var editor: LineEditor
        var prompt: LinePrompt = ""
        /// The new prompt, if it changed after the next line was requested; otherwise `nil`.
        var changedPrompt: LinePrompt?
        /// Whether the prompt is shown and keys edit the line.
        var isEditing = false
        var waiting: CheckedContinuation<String?, Never>?
        /// The question that is asked while a command runs.
        var question: LinePrompt?
        /// The keys that wait for the next line.
        var typedAhead: [TerminalKey] = []
        /// Whether the editor receives the keys of `typedAhead`. Keys that arrive now wait.
        var isReplaying = false
        /// Receives the keys while a display reads them.
        var display: AsyncStream<[UInt8]>.Continuation?
        var interrupt: (@Sendable () -> Void)?
        /// Whether Ctrl-C was typed after a line, before its command could be canceled.
        var isInterrupted = false
        /// The closures of the display for a stop of the process and for a change of the size.
        var displayHooks: DisplayHooks?
        var complete: Completer = { LineCompletion(before: $0) }
        /// Receives the answer to a question.
        var answered: @Sendable (String) -> Void = { _ in }
        var hasEnded = false

        /// The question, or else the prompt.
        var shownPrompt: LinePrompt { question ?? prompt }
    }

    /// The maximum number of keys that wait for the next line. Further keys are dropped.
    static let typedAheadLimit = 4_096
    /// The maximum number of candidates of a completion that are listed.
    static let candidateLimit = 60

    let console: Console
    let state: Mutex<State>

    init(console: Console, history: LineHistory = LineHistory()) {
        self.console = console
        state = Mutex(State(editor: LineEditor(history: history)))
    }

    /// Sets the closure that completes the text before the cursor.
    func onComplete(_ complete: @escaping Completer) {
        state.withLock { $0.complete = complete }
    }

    /// Sets the closure that receives the answer to a question.
    func onAnswer(_ answered: @escaping @Sendable (String) -> Void) {
        state.withLock { $0.answered = answered }
    }

    /// The lines that were typed.
    var history: LineHistory { state.withLock { $0.editor.history } }

    // MARK: Reading

    /// Makes the terminal pass on each key. Call `close` in every case.
    func open() {
        console.setLineInput(true)
    }

    /// Restores the terminal.
    func close() {
        end()
        console.setLineInput(false)
    }

    /// Reads keys until the input ends. Call it once, concurrently with `readLine`.
    func run() async {
        let signals = console.terminalSignals(
            DisplayHooks(
                willStop: { [self] in stop() },
                didContinue: { [self] in resume() },
                didResize: { [self] in resize() }
            )
        )
        defer { signals?.cancel() }
        var decoder = KeyDecoder()
        for await bytes in console.keys() {
            if pass(bytes) { continue }
            for key in decoder.receive(bytes) { await receive(key) }
        }
        end()
    }

    /// Shows the prompt and reads a line. Returns `nil` at the end of the input, or if the task is
    /// canceled.
    ///
    /// - Parameter prompt: Returns the prompt. If `change(prompt:)` is called meanwhile, its prompt
    ///   applies instead.
    func readLine(prompt: @autoclosure () async -> LinePrompt) async -> String? {
        state.withLock { $0.changedPrompt = nil }
        let prompt = await prompt()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                begin(prompt, continuation)
            }
        } onCancel: {
            end()
        }
    }

    private func begin(_ prompt: LinePrompt, _ continuation: CheckedContinuation<String?, Never>) {
        let isOpen = state.withLock { state in
            guard !state.hasEnded else { return false }
            state.prompt = state.changedPrompt ?? prompt
            state.editor.isCommandLine = true
            state.isEditing = true
            state.isReplaying = true
            state.isInterrupted = false
            state.waiting = continuation
            redraw(state)
            return true
        }
        guard isOpen else { return continuation.resume(returning: nil) }
        // A Tab that was typed ahead has no candidates to show.
        while let key = nextTypedAhead() { if key != .tab { edit(key) } }
    }

    /// Takes the next key that was typed ahead; `nil` if there is none, or the line is no longer
    /// edited.
    private func nextTypedAhead() -> TerminalKey? {
        state.withLock { state in
            guard state.isEditing, !state.typedAhead.isEmpty else {
                state.isReplaying = false
                return nil
            }
            return state.typedAhead.removeFirst()
        }
    }

    private func end() {
        let waiting = state.withLock { state in
            state.hasEnded = true
            defer { state.waiting = nil }
            if state.isEditing { try? console.write("\n") }
            state.isEditing = false
            return state.waiting
        }
        waiting?.resume(returning: nil)
    }

    /// Sets the closure that Ctrl-C calls while a command runs.
    func onInterrupt(_ interrupt: (@Sendable () -> Void)?) {
        let isDue = state.withLock { state in
            state.interrupt = interrupt
            guard interrupt != nil else { return false }
            defer { state.isInterrupted = false }
            return state.isInterrupted
        }
        if isDue { interrupt?() }
    }

    // MARK: Output

    /// Prints a text above the line that is edited.
    func write(_ text: String) throws {
        try state.withLock { state in
            guard state.isEditing else { return try console.write(text) }
            let lines = text.hasSuffix("\n") ? text : text + "\n"
            try console.write(LiveArea.eraseLine + lines)
            redraw(state)
        }
    }

    /// Changes the prompt of the line that is edited, or of the next line.
    func change(prompt: LinePrompt) {
        state.withLock { state in
            state.prompt = prompt
            state.changedPrompt = prompt
            redraw(state)
        }
    }

    /// Prints a text of a question. The part after its last line end is the prompt of the answer.
    /// If the text ends with a line end, the question ends.
    func say(_ text: String) {
        let parts = text.split(separator: "\n", omittingEmptySubsequences: false)
        let prompt = parts.last.map(String.init) ?? ""
        let above = parts.dropLast().filter { !$0.isEmpty }.map { $0 + "\n" }.joined()
        state.withLock { state in
            if !above.isEmpty { try? console.write(LiveArea.eraseLine + above) }
            guard !prompt.isEmpty else {
                guard state.question != nil else { return }
                (state.question, state.isEditing) = (nil, false)
                return
            }
            state.question = LinePrompt(question: prompt)
            state.editor.isCommandLine = false
            state.editor.clear()
            state.isEditing = true
            redraw(state)
        }
    }

    /// Discards the keys that wait and, during a question, the text of its answer.
    func forgetTyped() {
        state.withLock { state in
            state.typedAhead = []
            if state.question != nil { state.editor.clear() }
        }
    }

    func redraw(_ state: State) {
        guard state.isEditing else { return }
        let display = LineDisplay(columns: console.size().columns)
        try? console.write(
            display.draw(
                prompt: state.shownPrompt,
                before: state.editor.before,
                after: state.editor.after
            )
        )
    }

    private func stop() {
        state.withLock { $0.displayHooks }?.willStop()
        state.withLock { state in
            if state.isEditing { try? console.write(LiveArea.eraseLine) }
            console.setLineInput(false)
        }
    }

    private func resume() {
        state.withLock { state in
            console.setLineInput(true)
            redraw(state)
        }
        state.withLock { $0.displayHooks }?.didContinue()
    }

    private func resize() {
        state.withLock { redraw($0) }
        state.withLock { $0.displayHooks }?.didResize()
    }
}

/// The result of a completion.
struct LineCompletion: Equatable, Sendable {
    /// The new text before the cursor.
    var before: String
    /// The possible words, if there are several.
    var candidates: [String] = []
}
