// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Where a command prints, results to one place, remarks to another; and what is typed.
struct Console: Sendable {
    /// The size of a terminal.
    struct Size: Equatable, Sendable {
        let columns: Int
        let rows: Int
    }

    /// Whether results are read by a person, not by a program.
    let isOutputTerminal: Bool
    /// Whether remarks are read by a person.
    let isRemarkTerminal: Bool
    /// The size of the terminal now.
    let size: @Sendable () -> Size
    /// Prints to standard output; throws `ProgramFailure.outputClosed` when nobody reads it.
    let write: @Sendable (String) throws -> Void
    /// Prints to standard error.
    let remark: @Sendable (String) -> Void

    /// Whether a person types what is read.
    var isInputTerminal = false
    /// The lines of standard input, to be asked for once.
    var lines: @Sendable () -> AsyncStream<String> = { AsyncStream { nil } }
    /// Forgets what was typed and not yet read.
    var forgetTyped: @Sendable () -> Void = {}

    /// Prints a line of results.
    func print(_ line: String) throws {
        try write(line + "\n")
    }
}

extension Console {
    /// The process's own streams.
    static let standard = Console(
        isOutputTerminal: isatty(STDOUT_FILENO) == 1,
        isRemarkTerminal: isatty(STDERR_FILENO) == 1,
        size: { terminalSize() },
        write: { text in
            do {
                try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
            } catch {
                throw failure(ofWriting: error)
            }
        },
        remark: { text in try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) },
        isInputTerminal: isatty(STDIN_FILENO) == 1,
        lines: { InputLines.stream() },
        forgetTyped: { if isatty(STDIN_FILENO) == 1 { tcflush(STDIN_FILENO, TCIFLUSH) } }
    )

    /// A reader that has gone is no fault: `lanyard scan | head` ends that way. A full disk is one.
    static func failure(ofWriting error: any Error) -> ProgramFailure {
        let cause =
            (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError ?? error as NSError
        guard cause.code != Int(EPIPE) else { return .outputClosed }
        return ProgramFailure(
            .inputOutput,
            "the output cannot be written: \(String(cString: strerror(Int32(cause.code))))",
            advice: "make room, or send it elsewhere"
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
