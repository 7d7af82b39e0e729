// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The arguments of `scan` in the shell.
struct ShellScanOptions: ParsableArguments {
    @Argument var seconds: [String] = []
    @OptionGroup var scan: ScanOptions

    /// Parses the words after `scan`.
    static func request(_ words: [String]) throws(ProgramFailure) -> ShellOperation.ScanRequest {
        do {
            let options = try parse(words)
            guard options.seconds.count <= 1 else {
                throw ProgramFailure.usage("'scan' takes one duration", advice: "use scan 5")
            }
            return ShellOperation.ScanRequest(
                filter: try options.scan.filter,
                parameters: options.scan.parameters,
                hasFilter: options.scan.hasFilter,
                limit: try options.seconds.first.map { try WaitCondition.seconds($0) }
            )
        } catch let failure as ProgramFailure {
            throw failure
        } catch {
            throw .usage(message: message(for: error), of: Self.self, advice: "see 'help scan'")
        }
    }
}
