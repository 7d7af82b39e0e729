// SPDX-License-Identifier: Apache-2.0

/// Something that was expected of a world did not happen, or something happened that was not to.
///
/// It says what, where in the test it was expected, and all that has happened instead.
public struct ExpectationFailure: Error, Sendable, CustomStringConvertible {
    /// What is wrong, in a sentence.
    public let problem: String
    /// Where it was expected.
    public let location: String
    /// The seed of the world: with it, the same happens again.
    public let seed: UInt64
    /// What has happened so far.
    public let story: [Story.Line]
    /// Where the packet logs are; nil if none are written.
    public let traceDirectory: String?

    init(_ problem: String, _ story: Story, file: StaticString, line: UInt) {
        self.problem = problem
        self.story = story.lines
        location = "\(file):\(line)"
        seed = story.seed
        traceDirectory = story.directory
    }

    /// All of it.
    public var description: String {
        let trace =
            traceDirectory.map { "packet logs in \($0)" }
            ?? "set LANYARD_TRACE to a directory for packet logs"
        let story = story.map { "  \($0)" }.joined(separator: "\n")
        return "\(problem) (\(location); seed \(seed); \(trace))\nthe story so far:\n\(story)"
    }
}
