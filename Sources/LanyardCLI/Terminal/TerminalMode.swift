// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The mode of the terminal while the program reads single keys: no echo, and input without waiting
/// for the end of a line.
enum TerminalMode {
    /// The reader of the keys.
    enum Reader: Sendable {
        /// A full-screen display. Ctrl-C and Ctrl-Z send their signals as usual.
        case keys
        /// A line editor, for which Ctrl-C and Ctrl-Z are keys.
        case lines
    }

    /// The mode before the change; `nil` if it is not changed.
    private static let saved = Mutex<termios?>(nil)

    /// Whether the input is a terminal that this process may read.
    static var isAvailable: Bool {
        guard isatty(STDIN_FILENO) == 1 else { return false }
        let foreground = tcgetpgrp(STDIN_FILENO)
        return foreground == -1 || foreground == getpgrp()
    }

    /// Changes the mode, unless it is changed already or the terminal is not available.
    static func begin(_ reader: Reader) {
        saved.withLock { saved in
            var mode = termios()
            guard saved == nil, isAvailable, tcgetattr(STDIN_FILENO, &mode) == 0 else { return }
            saved = mode
            mode.c_lflag &= ~tcflag_t(ECHO | ICANON)
            if reader == .lines {
                mode.c_lflag &= ~tcflag_t(ISIG | IEXTEN)
                mode.c_iflag &= ~tcflag_t(IXON)
            }
            tcsetattr(STDIN_FILENO, TCSANOW, &mode)
        }
    }

    /// Restores the mode. Returns whether it was changed.
    @discardableResult
    static func end() -> Bool {
        saved.withLock { saved in
            guard var mode = saved else { return false }
            tcsetattr(STDIN_FILENO, TCSANOW, &mode)
            saved = nil
            return true
        }
    }

    /// Returns the keys that are typed. The stream ends with the input.
    static func keys(of descriptor: Int32 = STDIN_FILENO) -> AsyncStream<[UInt8]> {
        // For a background job, reading from the terminal fails instead of stopping the process.
        signal(SIGTTIN, SIG_IGN)
        let (keys, feed) = AsyncStream.makeStream(
            of: [UInt8].self,
            bufferingPolicy: .bufferingNewest(keyLimit)
        )
        // Reading blocks, so it has a thread of its own, which ends with the process.
        Thread.detachNewThread {
            var bytes = [UInt8](repeating: 0, count: 256)
            while true {
                let count = StandardStream.read(descriptor, into: &bytes)
                guard count > 0 else { break }
                feed.yield(Array(bytes[..<count]))
            }
            feed.finish()
        }
        return keys
    }

    /// The maximum number of reads of keys that wait. Older ones are dropped.
    private static let keyLimit = 64
}

/// The closures of a display for a stop of the process and for a change of the terminal's size.
struct DisplayHooks: Sendable {
    /// Restores the terminal before the process stops.
    let willStop: @Sendable () -> Void
    /// Sets the terminal up again after the process continues.
    let didContinue: @Sendable () -> Void
    /// Draws again after the terminal's size has changed.
    let didResize: @Sendable () -> Void
}

/// An observer that calls closures around a stop of the process by Ctrl-Z, and after a change of
/// the terminal's size.
final class TerminalSignals {
    private let sources: [any DispatchSourceSignal]

    /// Begins to handle the signals of the terminal.
    init(_ hooks: DisplayHooks) {
        let queue = DispatchQueue(label: "lanyard.terminal")
        signal(SIGTSTP, SIG_IGN)
        let stop = DispatchSource.makeSignalSource(signal: SIGTSTP, queue: queue)
        stop.setEventHandler {
            hooks.willStop()
            // The process ignores SIGTSTP here, so another signal must stop it.
            kill(getpid(), SIGSTOP)
            hooks.didContinue()
        }
        let resize = DispatchSource.makeSignalSource(signal: SIGWINCH, queue: queue)
        resize.setEventHandler { hooks.didResize() }
        stop.resume()
        resize.resume()
        sources = [stop, resize]
    }

    /// Ends the calls. Ctrl-Z stops the process as usual again.
    func cancel() {
        for source in sources { source.cancel() }
        signal(SIGTSTP, SIG_DFL)
    }
}
