// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Lanyard {
    /// Runs a command-line program, and ends it with one line instead of a backtrace if it throws.
    ///
    /// ```swift
    /// await Lanyard.run {
    ///     let accessory = try await central.accessory(lamp)
    ///     …
    /// }
    /// ```
    ///
    /// The line goes to standard error: what happened, why, and what to do, as far as the error has
    /// these texts (`LocalizedError`). Swift itself prints a backtrace for an error that the top
    /// level of a program throws.
    ///
    /// - Parameters:
    ///   - isolation: The actor on which the program runs; by default that of the caller.
    ///   - body: The program. If it throws, the process exits: with code 69 if there is no
    ///     Bluetooth, 77 if the app is not allowed to use it, and 1 for another error. If it
    ///     returns, the process continues.
    public static func run(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Void
    ) async {
        do {
            try await body()
        } catch {
            try? FileHandle.standardError.write(contentsOf: Data((line(for: error) + "\n").utf8))
            exit(exitCode(for: error))
        }
    }

    /// Returns the texts of an error in one line: what happened, why, and what to do.
    static func line(for error: any Error) -> String {
        guard let error = error as? any LocalizedError, let text = error.errorDescription else {
            return "\(error)"
        }
        return sentences(text, error.failureReason, error.recoverySuggestion)
    }

    /// Returns the exit code for an error: a code of `sysexits.h`, or 1.
    static func exitCode(for error: any Error) -> Int32 {
        switch error as? AccessoryError {
        case .unsupported: 69
        case .unauthorized: 77
        default: 1
        }
    }
}
