// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import JSONText

/// A link key of a file that `--export-keys` has written.
struct ExportedKey: Equatable {
    /// The maximum number of keys of a file.
    static let limit = 4_096

    var central: DeviceAddress
    var peripheral: DeviceAddress
    /// The key, most significant byte first.
    var bytes: [UInt8]
    var diversifier: UInt16
    var random: UInt64

    /// Reads a whole file.
    static func read(_ path: String) throws(ProgramFailure) -> [ExportedKey] {
        let file = JSONFile(subject: "key file", manual: "docs/PAIRING.md")
        return try file.read(path) { (text) throws(JSONError) in try parse(text) }
    }

    static func parse(_ text: String) throws(JSONError) -> [ExportedKey] {
        var keys: [ExportedKey] = []
        for node in try JSONNode(parsing: text).elements(limit: limit) {
            keys.append(try ExportedKey(node))
        }
        return keys
    }

    private init(_ node: JSONNode) throws(JSONError) {
        let members = try node.members("central", "peripheral", "ltk", "ediv", "rand")
        central = try Self.address(members.require("central"))
        peripheral = try Self.address(members.require("peripheral"))
        bytes = try Self.bytes(members.require("ltk"), count: 16)
        diversifier = UInt16(try members["ediv"]?.wholeNumber(in: 0...65_535) ?? 0)
        random =
            try members["rand"].map { (node) throws(JSONError) in
                try Self.bytes(node, count: 8).reduce(0) { $0 << 8 | UInt64($1) }
            } ?? 0
    }

    private static func address(_ node: JSONNode) throws(JSONError) -> DeviceAddress {
        let text = try node.text
        let parts = text.split(separator: "/", maxSplits: 1)
        let kind: DeviceAddress.Kind? =
            switch parts.last {
            case "public": .public
            case "random": .random
            default: nil
            }
        guard parts.count == 2, let kind, let address = DeviceAddress(parts[0], kind: kind) else {
            throw node.error("an address with /public or /random should be here")
        }
        return address
    }

    private static func bytes(_ node: JSONNode, count: Int) throws(JSONError) -> [UInt8] {
        guard let bytes = [UInt8](hexadecimal: try node.text), bytes.count == count else {
            throw node.error("\(2 * count) hexadecimal digits should be here")
        }
        return bytes
    }
}
