// SPDX-License-Identifier: Apache-2.0

/// A value of a property list. Types that the checks do not need are `other`.
indirect enum PropertyListValue: Hashable, Sendable {
    case text(String)
    case flag(Bool)
    case array([PropertyListValue])
    case dictionary([String: PropertyListValue])
    /// A number, a date, or data.
    case other

    /// Returns the members of a dictionary, converted by `pick`; `nil` if the value is not a
    /// dictionary, or `pick` fails for a member.
    func members<Value>(_ pick: (PropertyListValue) -> Value?) -> [String: Value]? {
        guard case .dictionary(let members) = self else { return nil }
        let picked = members.compactMapValues(pick)
        return picked.count == members.count ? picked : nil
    }

    /// Returns the elements of an array, converted by `pick`; `nil` if the value is not an array,
    /// or `pick` fails for an element.
    func elements<Value>(_ pick: (PropertyListValue) -> Value?) -> [Value]? {
        guard case .array(let elements) = self else { return nil }
        let picked = elements.compactMap(pick)
        return picked.count == elements.count ? picked : nil
    }

    /// The text, if the value is a text.
    var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    /// The Boolean value, if the value has that type.
    var flag: Bool? {
        guard case .flag(let flag) = self else { return nil }
        return flag
    }
}

extension PropertyListValue {
    /// Converts a value of the system's XML reader.
    init(_ value: Any) {
        switch value {
        case let text as String: self = .text(text)
        case let flag as Bool: self = .flag(flag)
        case let elements as [Any]: self = .array(elements.map(Self.init))
        case let members as [String: Any]: self = .dictionary(members.mapValues(Self.init))
        default: self = .other
        }
    }
}
