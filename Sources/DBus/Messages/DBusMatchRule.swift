// SPDX-License-Identifier: Apache-2.0

/// A rule for the signals that the bus sends to a connection ("Match Rules").
package struct DBusMatchRule: Hashable, Sendable, CustomStringConvertible {
    /// The name of the sender. The bus compares the owner of the name.
    package var sender: String?
    package var interface: String?
    package var member: String?
    /// The objects whose signals match: this path and all below it.
    package var pathNamespace: DBusObjectPath?
    /// The first argument, which is a string.
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

    /// Encloses a value in apostrophes. An apostrophe in the value becomes `\'` between two
    /// enclosed parts.
    private static func quoted(_ value: String) -> String {
        "'"
            + value.split(separator: "'", omittingEmptySubsequences: false).joined(
                separator: "'\\''"
            )
            + "'"
    }
}
