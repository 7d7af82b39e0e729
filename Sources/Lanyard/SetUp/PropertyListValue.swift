// SPDX-License-Identifier: Apache-2.0

/// What a property list can hold, as far as anybody here asks.
indirect enum PropertyListValue: Hashable, Sendable {
    case text(String)
    case flag(Bool)
    case array([PropertyListValue])
    case dictionary([String: PropertyListValue])
    /// A number, a date, or octets.
    case other

    /// The values of a dictionary, each as `pick` has it; nil if this is none, or one of them is not
    /// as wanted.
    func members<Value>(_ pick: (PropertyListValue) -> Value?) -> [String: Value]? {
        guard case .dictionary(let members) = self else { return nil }
        let picked = members.compactMapValues(pick)
        return picked.count == members.count ? picked : nil
    }

    /// The elements of an array, each as `pick` has it; nil if this is none, or one of them is not as
    /// wanted.
    func elements<Value>(_ pick: (PropertyListValue) -> Value?) -> [Value]? {
        guard case .array(let elements) = self else { return nil }
        let picked = elements.compactMap(pick)
        return picked.count == elements.count ? picked : nil
    }

    /// The text, if it is one.
    var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    /// The truth value, if it is one.
    var flag: Bool? {
        guard case .flag(let flag) = self else { return nil }
        return flag
    }
}

extension PropertyListValue {
    /// What the system's reader made of XML.
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
