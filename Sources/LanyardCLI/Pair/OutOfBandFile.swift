// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import JSONReading

/// What two sides tell each other in another way than the air, as a JSON file:
/// `{"confirmation": "…", "random": "…"}` for LE Secure Connections, `{"temporaryKey": "…"}` for
/// legacy pairing, each 32 hexadecimal digits, in the order in which the octets travel; or
/// `{"tag": "…"}`, all that a tag holds.
enum OutOfBandFile {
    private static let file = WrittenFile(subject: "out of band file", manual: "docs/PAIRING.md")

    /// Reads what the other side handed over.
    static func read(_ path: String) throws(ProgramFailure) -> Pairing.OutOfBandData {
        try file.read(path) { text throws(JSONError) in try parse(text) }
    }

    /// Reads the text of such a file.
    static func parse(_ text: String) throws(JSONError) -> Pairing.OutOfBandData {
        let node = try JSONNode(parsing: text)
        let members = try node.members("confirmation", "random", "temporaryKey", "tag")
        let confirmation = try octets(members["confirmation"])
        let random = try octets(members["random"])
        let temporaryKey = try octets(members["temporaryKey"])
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

    /// Writes what is handed to the other side: secrets, which only their owner may read.
    static func write(_ data: Pairing.OutOfBandData, to path: String) throws(ProgramFailure) {
        let pairs = [
            ("confirmation", data.confirmation), ("random", data.random),
            ("temporaryKey", data.temporaryKey),
            ("tag", Pairing.OutOfBandTag(data: data).encode()),
        ]
        let members = pairs.compactMap { name, octets in
            octets.map { JSON.Member(name, .bytes($0)) }
        }
        let file = try SecretFile(path, of: "what is handed over")
        try file.replace(with: JSON.object(members).indented + "\n")
    }

    private static func parse(tag: JSONNode) throws(JSONError) -> Pairing.OutOfBandData {
        guard let octets = [UInt8](hexadecimal: try tag.text) else {
            throw tag.error("hexadecimal digits should be here")
        }
        do throws(MalformedBytes) {
            let data = try Pairing.OutOfBandTag(parsing: octets[...]).data
            if data.confirmation != nil || data.temporaryKey != nil { return data }
        } catch {
            throw tag.error("this is no tag: \(error)")
        }
        throw tag.error("the tag holds nothing to pair with")
    }

    private static func octets(_ node: JSONNode?) throws(JSONError) -> [UInt8]? {
        guard let node else { return nil }
        guard let octets = [UInt8](hexadecimal: try node.text), octets.count == 16 else {
            throw node.error("32 hexadecimal digits should be here")
        }
        return octets
    }
}
