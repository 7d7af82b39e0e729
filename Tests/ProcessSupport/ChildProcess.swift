// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A process that a test has started and that ends with the object.
///
/// Its standard input stays open until `closeInput()` or the end of the object. Peers exit when
/// their input ends, so no peer survives a test that crashes. Its standard error goes to a file,
/// which `log` reads.
package final class ChildProcess: Sendable {
    /// The end of a process.
    package enum Ending: Equatable, Sendable {
        case exited(Int32)
        case killed(signal: Int32)

        /// Reads the status that `waitpid` returned for an ended process.
        package init(status: Int32) {
            let signal = status & 0x7F
            self = signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: signal)
        }
    }

    private enum RunState {
        case running
        case over(Ending)
    }

    private let identifier: pid_t
    private let errors: NamelessFile
    private let runState = Mutex(RunState.running)
    private let input: Mutex<Int32?>
    private let output: Mutex<PipeReader>

    /// Starts `executable` (a path) with `arguments` and the test's own environment, changed by
    /// `environment`.
    package convenience init(
        _ executable: String,
        _ arguments: [String],
        environment: [String: String] = [:]
    ) throws {
        let environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        try self.init { input, output, errors in
            try spawn(
                [executable] + arguments,
                environment: environment,
                input: input,
                output: output,
                errors: errors
            )
        }
    }

    #if os(Linux)
        /// Starts a copy of a server with `arguments` and the test's own environment. Blocks until
        /// the server answers; call it on a thread of its own.
        package convenience init(copying server: ForkServer, _ arguments: [String]) throws {
            try self.init { input, output, errors in
                try server.start(arguments, input: input, output: output, errors: errors)
            }
        }
    #endif

    /// Starts a process with `start`, which takes its standard input, output and error.
    private init(_ start: (Int32, Int32, Int32) throws -> pid_t) throws {
        errors = try NamelessFile()
        let (input, output) = (try PipeEnds(), try PipeEnds())
        defer {
            close(input.reading)
            close(output.writing)
        }
        do {
            identifier = try start(input.reading, output.writing, errors.descriptor)
        } catch {
            close(input.writing)
            close(output.reading)
            throw error
        }
        self.input = Mutex(input.writing)
        self.output = Mutex(PipeReader(descriptor: output.reading))
    }

    deinit {
        kill()
        closeInput()
    }

    /// The process's standard error so far.
    package var log: String { errors.text }

    /// Sends a signal, unless the process has ended: another process may have its number then.
    package func send(signal: Int32) {
        runState.withLock { runState in
            if case .running = runState { _ = Foundation.kill(identifier, signal) }
        }
    }

    /// Stops the process until `resume()`. All of its threads are stopped when this returns: the
    /// signal reaches one thread, which stops the others only when it is scheduled.
    package func suspend() {
        runState.withLock { runState in
            guard case .running = runState else { return }
            _ = Foundation.kill(identifier, SIGSTOP)
            let status = wait(WUNTRACED)
            let isStopped = status & 0xFF == 0x7F
            if !isStopped { runState = .over(Ending(status: status)) }
        }
    }

    /// Continues a suspended process.
    package func resume() { send(signal: SIGCONT) }

    /// Kills the process with SIGKILL, and waits for its end.
    package func kill() {
        send(signal: SIGKILL)
        _ = reap()
    }

    /// Closes the standard input of the process.
    package func closeInput() {
        input.withLock { descriptor in
            if let open = descriptor { close(open) }
            descriptor = nil
        }
    }

    /// Without SIGPIPE, a write to an ended process fails with an error and does not end the test
    /// runner.
    private static let survivesBrokenPipes: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

    /// Writes a line to the standard input of the process, unless it is closed.
    package func write(line: String) {
        Self.survivesBrokenPipes
        let bytes = Array("\(line)\n".utf8)
        input.withLock { descriptor in
            guard let open = descriptor else { return }
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    Foundation.write(open, $0.baseAddress, $0.count)
                }
                if count < 0, errno == EINTR { continue }
                if count <= 0 { return }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Returns the next line on standard output, or `nil` if the process closed it.
    package func nextLine(within limit: Duration) async throws -> String? {
        let deadline = Deadline.within(limit)
        return try await onOwnThread { [self] in
            try output.withLock { output in try output.line(before: deadline) }
        }
    }

    /// Passes each line on standard output to `body`, as it arrives, on a thread of its own, and
    /// then `nil` when the process has closed it. Do not combine it with `nextLine(within:)`.
    package func followLines(_ body: @escaping @Sendable (String?) -> Void) {
        Thread.detachNewThread { [self] in
            output.withLock { output in
                while let line = try? output.line(before: .never) { body(line) }
            }
            body(nil)
        }
    }

    /// Waits for the end of the process. Returns its standard output and its ending.
    ///
    /// Kills a process that does not close its standard output and end within `limit`, and throws an
    /// error.
    package func waitUntilEnd(within limit: Duration) async throws -> (
        output: String, ending: Ending
    ) {
        let deadline = Deadline.within(limit)
        return try await onOwnThread { [self] in
            do {
                let text = try output.withLock { output in
                    try output.everything(before: deadline)
                }
                return (text, try end(before: deadline))
            } catch {
                kill()
                throw ProcessError.ended("the process did not end in \(limit)", log: log)
            }
        }
    }

    /// Waits for the end of the process.
    private func end(before deadline: Deadline) throws -> Ending {
        if case .over(let ending) = runState.withLock({ $0 }) { return ending }
        let killer = DispatchWorkItem { [self] in send(signal: SIGKILL) }
        let queue = DispatchQueue.global()
        queue.asyncAfter(
            deadline: .now() + .milliseconds(Int(deadline.milliseconds)),
            execute: killer
        )
        defer { killer.cancel() }
        // The process stays a zombie until `reap`, so that its number remains its own. The lock is
        // not held, because `send` needs it.
        var info = siginfo_t()
        while waitid(P_PID, id_t(identifier), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        let ending = reap()
        guard ending != .killed(signal: SIGKILL) || deadline.milliseconds > 0 else {
            throw ProcessError.tooSlow("the end of the process")
        }
        return ending
    }

    private func reap() -> Ending {
        runState.withLock { runState in
            if case .over(let ending) = runState { return ending }
            let ending = Ending(status: wait(0))
            runState = .over(ending)
            return ending
        }
    }

    /// Waits for the process. Returns the status that the system reports.
    private func wait(_ options: Int32) -> Int32 {
        var status: Int32 = 0
        while waitpid(identifier, &status, options) < 0, errno == EINTR {}
        return status
    }
}
