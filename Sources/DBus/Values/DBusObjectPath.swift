// SPDX-License-Identifier: Apache-2.0

/// The path of an object, for example `/org/bluez/hci0` ("Valid Object Paths").
package struct DBusObjectPath: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The text of the path.
    package let description: String

    /// The path `/`.
    package static let root = DBusObjectPath(unchecked: "/")

    /// Creates a path, or returns `nil` if the text is not a valid one.
    package init?(_ text: String) {
        guard Self.isValid(text.utf8) else { return nil }
        description = text
    }

    private init(unchecked text: String) { description = text }

    private static func isValid(_ text: String.UTF8View) -> Bool {
        guard text.first == UInt8(ascii: "/") else { return false }
        guard text.count > 1 else { return true }
        return text.dropFirst().split(
            separator: UInt8(ascii: "/"),
            omittingEmptySubsequences: false
        )
        .allSatisfy { !$0.isEmpty && $0.allSatisfy(DBusNames.isWordCharacter) }
    }

    /// The text after the last slash.
    package var lastElement: Substring {
        description.lastIndex(of: "/").map { description[description.index(after: $0)...] } ?? ""
    }

    /// Returns whether the path is below another one.
    package func isBelow(_ other: DBusObjectPath) -> Bool {
        other == .root ? self != .root : description.hasPrefix(other.description + "/")
    }

    /// Orders paths by their bytes.
    package static func < (one: Self, other: Self) -> Bool { one.description < other.description }
}

/// The rules for names ("Valid Names").
enum DBusNames {
    static func isWordCharacter(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    static func isMember(_ name: String) -> Bool {
        let bytes = name.utf8
        return (1...DBusLimits.nameLength).contains(bytes.count)
            && bytes.allSatisfy(isWordCharacter)
            && bytes.first.map(isDigit) == false
    }

    /// Returns whether a text is the name of an interface or of an error. The same rules apply to
    /// both.
    static func isInterface(_ name: String) -> Bool {
        isDotted(name.utf8[...]) { element in
            element.allSatisfy(isWordCharacter) && element.first.map(isDigit) == false
        }
    }

    /// Returns whether a text is the name of a connection: a unique name such as `:1.7`, or a name
    /// that a connection can request, such as `org.bluez`.
    static func isBus(_ name: String) -> Bool {
        let isUnique = name.utf8.first == UInt8(ascii: ":")
        return isDotted(isUnique ? name.utf8.dropFirst() : name.utf8[...]) { element in
            element.allSatisfy { isWordCharacter($0) || $0 == UInt8(ascii: "-") }
                && (isUnique || element.first.map(isDigit) == false)
        } && name.utf8.count <= DBusLimits.nameLength
    }

    private static func isDotted(
        _ name: Substring.UTF8View,
        _ isElement: (Substring.UTF8View) -> Bool
    ) -> Bool {
        guard name.count <= DBusLimits.nameLength else { return false }
        let elements = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return elements.count >= 2 && elements.allSatisfy { !$0.isEmpty && isElement($0) }
    }

    private static func isDigit(_ character: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character)
    }
}
