// SPDX-License-Identifier: Apache-2.0

import Synchronization

// The console of the commands that run on the terminal.
extension LineTerminal {
    /// The console of the shell: its output is above the line, and displays get their keys from
    /// this terminal.
    var commandConsole: Console {
        var console = console
        console.write = { [self] text in try write(text) }
        console.remark = { [self] text in try? write(text) }
        console.setRawInput = { _ in }
        console.keys = { [self] in displayKeys() }
        console.terminalSignals = { [self] hooks in
            state.withLock { $0.displayHooks = hooks }
            return nil
        }
        return console
    }

    /// Returns the keys for a display, until the stream is dropped.
    private func displayKeys() -> AsyncStream<[UInt8]> {
        let (keys, feed) = AsyncStream.makeStream(
            of: [UInt8].self,
            bufferingPolicy: .bufferingNewest(64)
        )
        feed.onTermination = { [weak self] _ in self?.endDisplay() }
        state.withLock { $0.display = feed }
        return keys
    }

    private func endDisplay() {
        state.withLock { ($0.display, $0.displayHooks) = (nil, nil) }
    }
}
