// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import Foundation
    import Synchronization

    /// A process that starts others as copies of itself, which is faster than loading the same
    /// libraries again.
    ///
    /// Each line of its standard input is a request. The answer is the identifier of the new
    /// process, which becomes a child of the test runner. The program is
    /// Tests/Interoperability/Peers/forks.py.
    package final class ForkServer: Sendable {
        /// The time limit for a start, on a busy machine.
        private static let limit: Duration = .seconds(180)

        private let command: [String]
        private let server = Mutex<Pipes?>(nil)

        private struct Pipes: ~Copyable {
            let requests: Int32
            var answers: PipeReader
        }

        /// Creates a server with the given command. The server starts when the first process is
        /// requested.
        package init(_ command: [String]) {
            self.command = command
        }

        /// Starts a process with the given standard input, output and error.
        func start(
            _ arguments: [String],
            input: Int32,
            output: Int32,
            errors: Int32
        ) throws -> pid_t {
            let request = Request(
                arguments: arguments,
                files: [input, output, errors].map { "/proc/\(getpid())/fd/\($0)" }
            )
            let line = try JSONEncoder().encode(request) + Data("\n".utf8)
            return try server.withLock { server in
                var pipes = if let running = server.take() { running } else { try launch() }
                let written = line.withUnsafeBytes {
                    write(pipes.requests, $0.baseAddress, $0.count)
                }
                guard written == line.count else {
                    throw ProcessError.refused(call: "write to \(command)", error: errno)
                }
                let answer = try pipes.answers.line(before: .within(Self.limit))
                server = consume pipes
                guard let answer, let identifier = pid_t(answer) else {
                    throw ProcessError.ended("\(arguments): \(answer ?? "no answer")", log: "")
                }
                return identifier
            }
        }

        private struct Request: Encodable {
            let arguments: [String]
            let files: [String]
        }

        /// Starts the server, which ends with the test runner, because the server's input closes.
        private func launch() throws -> Pipes {
            try adoptOrphans()
            let (input, output) = (try PipeEnds(), try PipeEnds())
            defer {
                close(input.reading)
                close(output.writing)
            }
            _ = try spawn(
                command,
                environment: ProcessInfo.processInfo.environment,
                input: input.reading,
                output: output.writing,
                errors: 2
            )
            return Pipes(
                requests: input.writing,
                answers: PipeReader(descriptor: output.reading)
            )
        }
    }

    /// Makes this process the parent of its orphaned descendants.
    ///
    /// Swift does not import functions with a variable number of arguments, such as prctl.
    private func adoptOrphans() throws {
        typealias Prctl = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
        let setChildSubreaper: Int32 = 36
        guard let symbol = dlsym(nil, "prctl") else {
            throw ProcessError.refused(call: "dlsym", error: ENOENT)
        }
        guard unsafeBitCast(symbol, to: Prctl.self)(setChildSubreaper, 1, 0, 0, 0) == 0 else {
            throw ProcessError.refused(call: "prctl", error: errno)
        }
    }
#endif
