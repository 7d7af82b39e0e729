// SPDX-License-Identifier: Apache-2.0

/// One thing that a look at how something is set up brought to light.
public struct SetUpFinding: Hashable, Sendable {
    /// How much it matters.
    public enum Severity: String, Hashable, Sendable, CaseIterable, Comparable {
        /// As it should be.
        case good
        /// Worth knowing; nothing to be done.
        case note
        /// Works, but not as one would like, or not everywhere.
        case warning
        /// Does not work as long as it is so.
        case obstacle

        /// What matters more is greater.
        public static func < (one: Self, other: Self) -> Bool { one.weight < other.weight }

        private var weight: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// How much it matters.
    public let severity: Severity
    /// What it is about: a key of a property list, or a part of a computer.
    public let subject: String
    /// What is so, in a few words.
    public let what: String
    /// What that means; empty where nobody needs to be told.
    public let why: String
    /// What to do about it; empty where there is nothing to be done.
    public let remedy: String

    /// Says what was found.
    public init(
        _ severity: Severity,
        _ subject: String,
        _ what: String,
        why: String = "",
        remedy: String = ""
    ) {
        self.severity = severity
        self.subject = subject
        self.what = what
        self.why = why
        self.remedy = remedy
    }
}
