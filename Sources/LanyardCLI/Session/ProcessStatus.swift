// SPDX-License-Identifier: Apache-2.0

/// What the process says when it ends, in the numbers of `sysexits.h`, so that a script can tell
/// what to do next: try again, move closer, or correct itself.
enum ProcessStatus: Int32, CaseIterable, Sendable {
    case success = 0
    /// The command line makes no sense.
    case usage = 64
    /// A file or an answer is not what it must be.
    case badData = 65
    /// The target, or a characteristic of it, was not found.
    case notFound = 66
    /// The adapter cannot be used.
    case adapterUnavailable = 69
    /// The program itself went wrong.
    case internalError = 70
    /// The link ended, or reading or writing failed.
    case inputOutput = 74
    /// No answer in the time allowed.
    case timedOut = 75
    /// The accessory refused.
    case refused = 77
    /// Something has to be set up first.
    case incomplete = 78
    /// Ctrl-C.
    case interrupted = 130
    /// Nobody reads the output any more.
    case outputClosed = 141

    /// What the number means, for the help.
    var meaning: String {
        switch self {
        case .success: "done"
        case .usage: "the command line makes no sense"
        case .badData: "a file or an answer is malformed"
        case .notFound: "the target or the characteristic was not found"
        case .adapterUnavailable: "the adapter cannot be used"
        case .internalError: "a fault of lanyard itself"
        case .inputOutput: "the link was lost, or a file could not be read or written"
        case .timedOut: "no answer in the time allowed"
        case .refused: "the accessory refused"
        case .incomplete: "something has to be set up first: see 'lanyard doctor'"
        case .interrupted: "interrupted by Ctrl-C"
        case .outputClosed: "nobody reads the output any more"
        }
    }

    /// All of them, one a line, for the help.
    static var table: String {
        allCases.map { status in
            let number = String(status.rawValue)
            let padding = String(repeating: " ", count: 5 - number.count)
            return "  " + number + padding + status.meaning
        }.joined(separator: "\n")
    }
}
