// SPDX-License-Identifier: Apache-2.0

/// An expectation of a test that was not met.
///
/// It has the problem, the place of the expectation in the test, and the story so far.
public struct ExpectationFailure: Error, Sendable, CustomStringConvertible {
    /// The problem in a sentence.
    public let problem: String
    /// The place of the expectation.
    public let location: String
    /// The seed of the world, with which the failure can be repeated.
    public let seed: UInt64
    /// The lines of the story so far.
    public let story: [Story.Line]
    /// The directory of the packet logs; `nil` if there are none.
    public let traceDirectory: String?

    init(_ problem: String, _ story: Story, file: StaticString, line: UInt) {
        self.problem = problem
        self.story = story.lines
        location = "\(file):\(line)"
        seed = story.seed
        traceDirectory = story.directory
    }

    /// All properties as text.
    public var description: String {
        let trace =
            traceDirectory.map { "packet logs in \($0)" }
            ?? "set LANYARD_TRACE to a directory for packet logs"
        let story = story.map { "  \($0)" }.joined(separator: "\n")
        return "\(problem) (\(location); seed \(seed); \(trace))\nthe story so far:\n\(story)"
    }
}
