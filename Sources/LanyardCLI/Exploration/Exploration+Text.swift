// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import JSONText

extension Exploration {
    /// The exploration as a tree for people: well-known UUIDs by name, well-known values decoded,
    /// and all text from the peer escaped.
    var tree: TextTree {
        let title = name.map { TerminalText.escape($0) + "  " } ?? ""
        return TextTree(
            "\(title)\(AddressText.describe(address))  MTU \(mtu)",
            services.map(\.tree)
        )
    }
}

extension Exploration.Service {
    fileprivate var tree: TextTree {
        let name = AssignedNumbers.name(ofService: uuid) ?? "Service"
        let kind = isPrimary ? "" : "  secondary"
        return TextTree(
            "\(name)  \(uuid)  #\(handle)–\(endHandle)\(kind)",
            includes.map(\.tree) + characteristics.map(\.tree)
        )
    }
}

extension Exploration.Include {
    fileprivate var tree: TextTree {
        let name = AssignedNumbers.name(ofService: uuid) ?? "Service"
        return TextTree("includes \(name)  \(uuid)  #\(serviceHandle)–\(serviceEndHandle)")
    }
}

extension Exploration.Characteristic {
    fileprivate var tree: TextTree {
        let name = AssignedNumbers.name(ofCharacteristic: uuid) ?? "Characteristic"
        let abilities = properties.names.joined(separator: ", ")
        let value = value.text { ValueText.describe($0, ofCharacteristic: uuid) }
        return TextTree(
            "\(name)  \(uuid)  #\(valueHandle)  [\(abilities)]\(value)",
            descriptors.map(\.tree)
        )
    }
}

extension Exploration.Descriptor {
    fileprivate var tree: TextTree {
        let name = AssignedNumbers.name(ofDescriptor: uuid) ?? "Descriptor"
        let value = value.text { ValueText.describe($0, ofDescriptor: uuid) }
        return TextTree("\(name)  \(uuid)  #\(handle)\(value)")
    }
}

extension Exploration.Value {
    fileprivate func text(_ describe: ([UInt8]) -> String) -> String {
        switch self {
        case .notReadable: ""
        case .refused(let reason): "  (\(reason))"
        case .bytes(let bytes):
            bytes.count <= Self.shownLimit
                ? " = \(describe(bytes))"
                : " = \(bytes.prefix(Self.shownLimit).hexadecimal)… (\(bytes.count) bytes)"
        }
    }

    /// The maximum number of bytes of a value that the tree shows. `--json` and `read` show all.
    private static let shownLimit = 64
}

extension Exploration {
    /// The exploration as JSON: handles as numbers, values as lowercase hexadecimal. A missing
    /// value is null, with an `error` beside it if the peer refused the read.
    var json: JSON {
        .object([
            .init("address", .string(address.description)),
            .init("addressType", .string(AddressText.name(of: address.kind))),
            .init("name", .string(orNull: name)),
            .init("mtu", .integer(mtu)),
            .init("services", .array(services.map(\.json))),
        ])
    }
}

extension Exploration.Service {
    fileprivate var json: JSON {
        .object([
            .init("uuid", .string(uuid.description)),
            .init("primary", .bool(isPrimary)),
            .init("handle", .integer(Int(handle))),
            .init("endHandle", .integer(Int(endHandle))),
            .init("includes", .array(includes.map(\.json))),
            .init("characteristics", .array(characteristics.map(\.json))),
        ])
    }
}

extension Exploration.Include {
    fileprivate var json: JSON {
        .object([
            .init("uuid", .string(uuid.description)),
            .init("handle", .integer(Int(handle))),
            .init("serviceHandle", .integer(Int(serviceHandle))),
            .init("serviceEndHandle", .integer(Int(serviceEndHandle))),
        ])
    }
}

extension Exploration.Characteristic {
    fileprivate var json: JSON {
        .object(
            [
                .init("uuid", .string(uuid.description)),
                .init("handle", .integer(Int(handle))),
                .init("valueHandle", .integer(Int(valueHandle))),
                .init("properties", .array(properties.names.map { .string($0) })),
            ] + value.members + [.init("descriptors", .array(descriptors.map(\.json)))]
        )
    }
}

extension Exploration.Descriptor {
    fileprivate var json: JSON {
        .object(
            [
                .init("uuid", .string(uuid.description)),
                .init("handle", .integer(Int(handle))),
            ] + value.members
        )
    }
}

extension Exploration.Value {
    fileprivate var members: [JSON.Member] {
        switch self {
        case .bytes(let bytes): [.init("value", .bytes(bytes))]
        case .notReadable: [.init("value", .null)]
        case .refused(let reason): [.init("value", .null), .init("error", .string(reason))]
        }
    }
}

/// A tree of lines, drawn with connecting lines.
struct TextTree: Equatable, Sendable {
    let label: String
    let children: [TextTree]

    init(_ label: String, _ children: [TextTree] = []) {
        self.label = label
        self.children = children
    }

    /// The tree, one node to a line, without a line break at the end.
    var text: String {
        var lines = [label]
        appendChildren(to: &lines, indentation: "")
        return lines.joined(separator: "\n")
    }

    private func appendChildren(to lines: inout [String], indentation: String) {
        for (index, child) in children.enumerated() {
            let isLast = index == children.count - 1
            lines.append(indentation + (isLast ? "└─ " : "├─ ") + child.label)
            child.appendChildren(to: &lines, indentation: indentation + (isLast ? "   " : "│  "))
        }
    }
}
