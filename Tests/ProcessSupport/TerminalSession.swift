// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The `lanyard` executable at a terminal, as a user runs it, with its output and the test's input.
package final class TerminalSession: Sendable {
    fileprivate struct State {
        /// All output.
        var shown = ""
        /// The beginning of a character or of a line end whose rest has not arrived yet.
        var held: [UInt8] = []
        /// The length of the output that the test has consumed.
        var seen = 0
        var hasEnded = false
    }

    private let terminal: Int32
    private let identifier: pid_t
    private let state = Mutex(State())
    private let ending = Mutex<ChildProcess.Ending?>(nil)

    /// The time that the test waits for output on a busy machine.
    package static let limit: Duration = .seconds(90)

    /// The characters for Ctrl-C and for the end of the input.
    package static let interruption = "\u{3}"
    package static let endOfInput = "\u{4}"

    package init(_ arguments: [String], environment: [String: String]) throws {
        var (terminal, other) = (-1 as Int32, -1 as Int32)
        var name = [CChar](repeating: 0, count: 128)
        guard openpty(&terminal, &other, &name, nil, nil) == 0 else {
            throw ProcessError.refused(call: "openpty", error: errno)
        }
        defer { close(other) }
        _ = fcntl(other, F_SETFD, FD_CLOEXEC)
        let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        _ = fcntl(terminal, F_SETFD, FD_CLOEXEC)
        self.terminal = terminal
        let environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        identifier = try spawn(
            [LanyardTool.path] + arguments,
            environment: environment,
            terminal: String(decoding: bytes, as: UTF8.self)
        )
    }

    deinit {
        if ending.withLock({ $0 == nil }) {
            kill(identifier, SIGKILL)
            var status: Int32 = 0
            while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        }
        close(terminal)
    }

    /// All output so far.
    package var shown: String { state.withLock { $0.shown } }

    /// Types a text and a line end.
    package func type(line: String) { type(line + "\n") }

    /// Types a text.
    package func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { write(terminal, $0.baseAddress, $0.count) }
    }

    /// Waits for this text after the last awaited text. Returns the output after the last awaited
    /// text, up to the end of this text.
    @discardableResult
    package func wait(for text: String, within limit: Duration = limit) async throws -> String {
        let deadline = Deadline.within(limit)
        return try await onOwnThread { [self] in
            while true {
                if let passage = passage(to: text) { return passage }
                guard try readMore(before: deadline) else {
                    throw ProcessError.ended("'\(text)' was not shown", log: shown)
                }
            }
        }
    }

    /// Waits for more output.
    package func waitForMore(within limit: Duration = limit) async throws {
        let deadline = Deadline.within(limit)
        try await onOwnThread { [self] in
            guard try readMore(before: deadline) else {
                throw ProcessError.ended("the process ended", log: shown)
            }
        }
    }

    /// Waits until the process has ended.
    @discardableResult
    package func waitUntilEnd(within limit: Duration = limit) async throws -> ChildProcess.Ending {
        let deadline = Deadline.within(limit)
        return try await onOwnThread { [self] in
            while try readMore(before: deadline) {}
            var status: Int32 = 0
            while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
            let result = ChildProcess.Ending(status: status)
            ending.withLock { $0 = result }
            return result
        }
    }

    private func passage(to text: String) -> String? {
        state.withLock { state in
            let rest = state.shown.dropFirst(state.seen)
            guard let range = rest.range(of: text) else { return nil }
            state.seen += rest[..<range.upperBound].count
            return String(rest[..<range.upperBound])
        }
    }

    /// Reads output. Returns `false` if the process has closed the terminal.
    private func readMore(before deadline: Deadline) throws -> Bool {
        var watched = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
        let ready = poll(&watched, 1, deadline.milliseconds)
        if ready == 0 { throw ProcessError.tooSlow("the terminal shows '\(shown)', and no more") }
        var chunk = [UInt8](repeating: 0, count: 4_096)
        let count = read(terminal, &chunk, chunk.count)
        // EIO: no process has the other end open.
        guard count > 0 else { return count < 0 && errno == EINTR }
        state.withLock { $0.show(chunk[..<count]) }
        return true
    }
}

extension TerminalSession.State {
    /// Adds output, which the system splits anywhere, also within a character or a line end.
    mutating func show(_ chunk: ArraySlice<UInt8>) {
        let bytes = held + chunk
        let whole = bytes.prefix(Self.wholeLength(of: bytes))
        held = Array(bytes[whole.count...])
        shown += String(decoding: whole, as: UTF8.self).replacing("\r\n", with: "\n")
    }

    /// Returns the number of bytes up to the last complete character or line end.
    private static func wholeLength(of bytes: [UInt8]) -> Int {
        if bytes.last == UInt8(ascii: "\r") { return bytes.count - 1 }
        let continuing = bytes.reversed().prefix { $0 & 0xC0 == 0x80 }.count
        guard continuing < bytes.count else { return bytes.count }
        let first = bytes[bytes.count - continuing - 1]
        let length = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        return continuing + 1 < length ? bytes.count - continuing - 1 : bytes.count
    }
}
