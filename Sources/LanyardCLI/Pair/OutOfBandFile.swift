// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import JSONText

/// Data for out-of-band pairing, as a JSON file.
///
/// The file has the members `confirmation` and `random` for LE Secure Connections, the member
/// `temporaryKey` for legacy pairing, or all three. Each value has 32 hexadecimal digits in the
/// order of transmission. Instead, the file may have `{"tag": "…"}` with the contents of an NFC
/// tag.
enum OutOfBandFile {
    private static let file = JSONFile(subject: "out-of-band file", manual: "docs/PAIRING.md")

    /// Reads the data of the peer.
    static func read(_ path: String) throws(ProgramFailure) -> Pairing.OutOfBandData {
        try file.read(path) { text throws(JSONError) in try parse(text) }
    }

    /// Parses the text of a file.
    static func parse(_ text: String) throws(JSONError) -> Pairing.OutOfBandData {
        let node = try JSONNode(parsing: text)
        let members = try node.members("confirmation", "random", "temporaryKey", "tag")
        let confirmation = try bytes(members["confirmation"])
        let random = try bytes(members["random"])
        let temporaryKey = try bytes(members["temporaryKey"])
        guard (confirmation == nil) == (random == nil) else {
            throw node.error("confirmation and random belong together")
        }
        guard confirmation != nil || temporaryKey != nil else {
            return try parse(tag: members.require("tag"))
        }
        do throws(Pairing.OutOfBandData.Flaw) {
            return try Pairing.OutOfBandData(
                confirmation: confirmation,
                random: random,
                temporaryKey: temporaryKey
            )
        } catch {
            throw node.error("this cannot be used: \(error)")
        }
    }

    /// Writes the data for the peer. The file holds secrets, so only its owner may read it.
    static func write(_ data: Pairing.OutOfBandData, to path: String) throws(ProgramFailure) {
        let pairs = [
            ("confirmation", data.confirmation), ("random", data.random),
            ("temporaryKey", data.temporaryKey),
            ("tag", Pairing.OutOfBandTag(data: data).encode()),
        ]
        let members = pairs.compactMap { name, bytes in
            bytes.map { JSON.Member(name, .bytes($0)) }
        }
        let file = try SecretFile(path, of: "the out-of-band data")
        try file.replace(with: JSON.object(members).indented + "\n")
    }

    private static func parse(tag: JSONNode) throws(JSONError) -> Pairing.OutOfBandData {
        guard let bytes = [UInt8](hexadecimal: try tag.text) else {
            throw tag.error("hexadecimal digits should be here")
        }
        do throws(MalformedBytes) {
            let data = try Pairing.OutOfBandTag(parsing: bytes[...]).data
            if data.confirmation != nil || data.temporaryKey != nil { return data }
        } catch {
            throw tag.error("this is not a tag: \(error)")
        }
        throw tag.error("the tag has no pairing data")
    }

    private static func bytes(_ node: JSONNode?) throws(JSONError) -> [UInt8]? {
        guard let node else { return nil }
        guard let bytes = [UInt8](hexadecimal: try node.text), bytes.count == 16 else {
            throw node.error("32 hexadecimal digits should be here")
        }
        return bytes
    }
}
