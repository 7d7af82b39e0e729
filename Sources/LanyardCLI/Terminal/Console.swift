// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The output and input of a command: results, remarks, and typed lines.
struct Console: Sendable {
    /// The size of a terminal.
    struct Size: Equatable, Sendable {
        let columns: Int
        let rows: Int
    }

    /// Whether results go to a terminal that is not dumb.
    let isOutputTerminal: Bool
    /// Whether remarks go to a terminal.
    let isRemarkTerminal: Bool
    /// The current size of the terminal.
    let size: @Sendable () -> Size
    /// Prints to standard output. Throws `ProgramFailure.outputClosed` if its reader has closed it,
    /// and another `ProgramFailure` if the text cannot be written.
    var write: @Sendable (String) throws -> Void
    /// Prints to standard error.
    var remark: @Sendable (String) -> Void

    /// Whether the input comes from a terminal.
    var isInputTerminal = false
    /// The lines of standard input. May be called once.
    var lines: @Sendable () -> AsyncStream<InputLine> = { AsyncStream { nil } }
    /// Discards input that was typed and not yet read.
    var forgetTyped: @Sendable (TypedInput) -> Void = { _ in }

    /// Whether the terminal interprets control sequences.
    var hasControls = true
    /// The keys that are typed while the input is raw. May be called once.
    var keys: @Sendable () -> AsyncStream<[UInt8]> = { AsyncStream { nil } }
    /// Makes the terminal pass on each key at once and without an echo, or restores it.
    var setRawInput: @Sendable (Bool) -> Void = { _ in }
    /// Makes the terminal pass on each key at once, Ctrl-C and Ctrl-Z included, and without an
    /// echo, or restores it.
    var setLineInput: @Sendable (Bool) -> Void = { _ in }
    /// Stops the process as Ctrl-Z does.
    var suspend: @Sendable () -> Void = {}
    /// Begins to call the closures. Returns the object whose `cancel()` ends the calls; `nil` if
    /// there is none.
    var terminalSignals: @Sendable (DisplayHooks) -> TerminalSignals? = { _ in nil }

    /// The text that begins a line again. A dumb terminal gets a new line.
    var lineStart: String { hasControls ? LiveArea.eraseLine : "\n" }

    /// Returns the same console with its output above the question that the queue asks.
    func asking(_ questions: QuestionQueue?) -> Console {
        guard let questions else { return self }
        let (write, remark) = (write, remark)
        let writeAbove: @Sendable (String) throws -> Void = { text in
            try questions.showAboveQuestion { try write(text) }
        }
        var console = self
        if isOutputTerminal { console.write = writeAbove }
        console.remark = { text in questions.showAboveQuestion { remark(text) } }
        return console
    }

    /// Prints a line of results.
    func print(_ line: String) throws {
        try write(line + "\n")
    }
}

extension Console {
    /// The standard streams of the process.
    static let standard = Console(
        isOutputTerminal: isatty(STDOUT_FILENO) == 1 && !isDumb,
        isRemarkTerminal: isatty(STDERR_FILENO) == 1,
        size: { terminalSize() },
        write: { text in try writeAll(Array(text.utf8), to: STDOUT_FILENO) },
        remark: { text in try? writeAll(Array(text.utf8), to: STDERR_FILENO) },
        isInputTerminal: isatty(STDIN_FILENO) == 1,
        lines: { InputLines.stream() },
        forgetTyped: { $0.discard() },
        hasControls: !isDumb,
        keys: { TerminalMode.isAvailable ? TerminalMode.keys() : AsyncStream { nil } },
        setRawInput: { isRaw in
            if isRaw { TerminalMode.begin(.keys) } else { TerminalMode.end() }
        },
        setLineInput: { isRaw in
            if isRaw { TerminalMode.begin(.lines) } else { TerminalMode.end() }
        },
        // Stops all processes of the job, as the terminal does.
        suspend: { kill(0, SIGTSTP) },
        terminalSignals: { TerminalSignals($0) }
    )

    /// Whether the terminal does not interpret control sequences, as in an editor. Results are then
    /// printed as to a file.
    private static let isDumb = ["dumb", ""].contains(
        ProcessInfo.processInfo.environment["TERM"] ?? ""
    )

    /// Writes all bytes to a standard stream.
    ///
    /// - Throws: `ProgramFailure.outputClosed` if the reader has closed the stream, and another
    ///   `ProgramFailure` if the bytes cannot be written.
    static func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = StandardStream.write(rest, to: descriptor)
            guard count >= 0 else {
                throw failure(ofWriting: NSError(domain: NSPOSIXErrorDomain, code: Int(errno)))
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Returns the error for a failed write. It is normal that a reader closes the output, as in
    /// `lanyard scan | head`. A full disk is an error.
    static func failure(ofWriting error: any Error) -> ProgramFailure {
        let cause =
            (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError ?? error as NSError
        guard cause.code != Int(EPIPE) else { return .outputClosed }
        let reason =
            cause.code == Int(EBADF)
            ? "it is closed" : String(cString: strerror(Int32(cause.code)))
        return ProgramFailure(
            .inputOutput,
            "the output cannot be written: \(reason)",
            advice: cause.code == Int(ENOSPC)
                ? "free some space, or write elsewhere" : "write elsewhere"
        )
    }

    private static func terminalSize() -> Size {
        var window = winsize()
        let request = UInt(TIOCGWINSZ)
        guard ioctl(STDOUT_FILENO, request, &window) == 0, window.ws_col > 0, window.ws_row > 0
        else { return Size(columns: 80, rows: 24) }
        return Size(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }
}
