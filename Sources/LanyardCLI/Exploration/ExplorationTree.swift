// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension Exploration {
    /// The exploration as a tree for a person to read: well-known UUIDs by name, well-known values
    /// decoded, everything from the air escaped.
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

    /// A tree shows no more bytes of a value than this; `--json` and `read` show all.
    private static let shownLimit = 64
}
