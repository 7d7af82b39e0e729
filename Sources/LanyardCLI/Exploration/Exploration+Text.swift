// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import JSONText

extension Exploration {
    /// The exploration as a tree for people: well-known UUIDs by name, well-known values decoded,
    /// and all text from the peer escaped.
    var tree: TextTree {
        let title = name.map { TerminalText.escape($0) + "  " } ?? ""
        return TextTree(
            "\(title)\(AddressText.describe(address))  MTU \(mtu)",
            services.map { tree(of: $0) }
        )
    }

    private func tree(of discovered: GATT.DiscoveredService) -> TextTree {
        let kind = discovered.service.isPrimary ? "" : "  secondary"
        return TextTree(
            label(of: discovered.service) + kind,
            discovered.includes.map { TextTree("includes \(label(of: $0.service))") }
                + discovered.characteristics.map { tree(of: $0) }
        )
    }

    private func label(of service: GATT.Service) -> String {
        let name = AssignedNumbers.name(ofService: service.uuid) ?? "Service"
        let (start, end) = (service.handle.rawValue, service.endHandle.rawValue)
        return "\(name)  \(service.uuid)  #\(start)–\(end)"
    }

    private func tree(of discovered: GATT.DiscoveredCharacteristic) -> TextTree {
        let uuid = discovered.characteristic.uuid
        let name = AssignedNumbers.name(ofCharacteristic: uuid) ?? "Characteristic"
        let handle = discovered.valueHandle
        let abilities = discovered.characteristic.properties.names.joined(separator: ", ")
        let value = text(of: handle) { ValueText.describe($0, ofCharacteristic: uuid) }
        return TextTree(
            "\(name)  \(uuid)  #\(handle.rawValue)  [\(abilities)]\(value)",
            discovered.descriptors.map { descriptor in
                let uuid = descriptor.uuid
                let name = AssignedNumbers.name(ofDescriptor: uuid) ?? "Descriptor"
                let handle = descriptor.handle
                let value = text(of: handle) { ValueText.describe($0, ofDescriptor: uuid) }
                return TextTree("\(name)  \(uuid)  #\(handle.rawValue)\(value)")
            }
        )
    }

    private func text(
        of handle: AttributeHandle,
        _ describe: ([UInt8]) -> String
    ) -> String {
        switch values[handle] {
        case nil: ""
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
            .init("services", .array(services.map(json))),
        ])
    }

    private func json(_ discovered: GATT.DiscoveredService) -> JSON {
        .object([
            .init("uuid", .string(discovered.service.uuid.description)),
            .init("primary", .bool(discovered.service.isPrimary)),
            .init("handle", .integer(discovered.service.handle)),
            .init("endHandle", .integer(discovered.service.endHandle)),
            .init("includes", .array(discovered.includes.map(json))),
            .init("characteristics", .array(discovered.characteristics.map(json))),
        ])
    }

    private func json(_ include: GATT.IncludedService) -> JSON {
        .object([
            .init("uuid", .string(include.service.uuid.description)),
            .init("handle", .integer(include.handle)),
            .init("serviceHandle", .integer(include.service.handle)),
            .init("serviceEndHandle", .integer(include.service.endHandle)),
        ])
    }

    private func json(_ discovered: GATT.DiscoveredCharacteristic) -> JSON {
        let characteristic = discovered.characteristic
        return .object(
            [
                .init("uuid", .string(characteristic.uuid.description)),
                .init("handle", .integer(characteristic.handle)),
                .init("valueHandle", .integer(characteristic.valueHandle)),
                .init("properties", .array(characteristic.properties.names.map { .string($0) })),
            ] + value(of: characteristic.valueHandle)
                + [.init("descriptors", .array(discovered.descriptors.map(json)))]
        )
    }

    private func json(_ descriptor: GATT.Descriptor) -> JSON {
        .object(
            [
                .init("uuid", .string(descriptor.uuid.description)),
                .init("handle", .integer(descriptor.handle)),
            ] + value(of: descriptor.handle)
        )
    }

    private func value(of handle: AttributeHandle) -> [JSON.Member] {
        switch values[handle] {
        case .bytes(let bytes): [.init("value", .bytes(bytes))]
        case nil: [.init("value", .null)]
        case .refused(let reason): [.init("value", .null), .init("error", .string(reason))]
        }
    }
}

extension JSON {
    static func integer(_ handle: AttributeHandle) -> JSON { .integer(Int(handle.rawValue)) }
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
