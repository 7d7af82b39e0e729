// SPDX-License-Identifier: Apache-2.0

/// A rule for the signals that the bus sends to a connection ("Match Rules"). A property that is
/// `nil` matches any signal.
package struct DBusMatchRule: Hashable, Sendable, CustomStringConvertible {
    /// The name of the sender. A signal matches if the owner of this name has sent it.
    package var sender: String?
    package var interface: String?
    package var member: String?
    /// The objects whose signals match: this path and all below it.
    package var pathNamespace: DBusObjectPath?
    /// The string that the first argument of the signal must be.
    package var firstArgument: String?

    package init(
        sender: String? = nil,
        interface: String? = nil,
        member: String? = nil,
        pathNamespace: DBusObjectPath? = nil,
        firstArgument: String? = nil
    ) {
        self.sender = sender
        self.interface = interface
        self.member = member
        self.pathNamespace = pathNamespace
        self.firstArgument = firstArgument
    }

    /// The text of the rule for the bus.
    package var description: String {
        let parts: [(String, String?)] = [
            ("type", "signal"), ("sender", sender), ("interface", interface), ("member", member),
            ("path_namespace", pathNamespace?.description), ("arg0", firstArgument),
        ]
        return parts.compactMap { key, value in value.map { "\(key)=\(Self.quoted($0))" } }
            .joined(separator: ",")
    }

    /// Encloses a value in apostrophes. An apostrophe in the value ends the enclosed text, is
    /// written as `\'`, and is followed by another enclosed text.
    private static func quoted(_ value: String) -> String {
        "'"
            + value.split(separator: "'", omittingEmptySubsequences: false).joined(
                separator: "'\\''"
            )
            + "'"
    }
}
