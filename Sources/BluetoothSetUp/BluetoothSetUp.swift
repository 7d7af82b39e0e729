// SPDX-License-Identifier: Apache-2.0

// Checks of the files that permit an app to use Bluetooth: `Info.plist` and the entitlements of
// Apple's platforms. The files are untrusted, so this module has its own reader of binary property
// lists, with limits. A check uses neither the network nor the system: the same files always have
// the same findings.

/// A finding about a configuration.
public struct SetUpFinding: Hashable, Sendable {
    /// The importance of a finding.
    public enum Severity: String, Hashable, Sendable, CaseIterable, Comparable {
        /// The configuration is correct.
        case good
        /// The information needs no action.
        case note
        /// The configuration works with restrictions, or not everywhere.
        case warning
        /// Bluetooth does not work with this configuration.
        case obstacle

        /// Returns whether a severity is less important than another.
        public static func < (one: Self, other: Self) -> Bool { one.weight < other.weight }

        private var weight: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// The importance of the finding.
    public let severity: Severity
    /// The subject: a key of a property list, or a component of the computer.
    public let subject: String
    /// The finding, in a few words.
    public let what: String
    /// The consequence; empty if it needs no explanation.
    public let why: String
    /// The remedy; empty if none is needed.
    public let remedy: String

    /// Creates a finding.
    ///
    /// - Parameters:
    ///   - severity: The importance of the finding.
    ///   - subject: The subject: a key of a property list, or a component of the computer.
    ///   - what: The finding, in a few words.
    ///   - why: The consequence; empty if it needs no explanation.
    ///   - remedy: The remedy; empty if none is needed.
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
