// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// What peers are called, from one launch to the next: a peripheral that is retrieved has its name
/// before it was heard again.
///
/// Of the peers that somebody wished to be connected to; a passer-by is not remembered.
struct PeerNames: Hashable, Sendable {
    static let recordName = "peer-names"

    /// How many names are remembered: those that were used last.
    static let limit = 256

    struct Entry: Hashable, Sendable {
        let peer: PeerIdentifier
        let name: String
    }

    /// Who was met last is last.
    private(set) var entries: [Entry] = []

    /// The peer is called that from now on, and was met last; whether either is news.
    mutating func learn(_ name: String, of peer: PeerIdentifier) -> Bool {
        let entry = Entry(peer: peer, name: name)
        guard entries.last != entry else { return false }
        entries.removeAll { $0.peer == peer }
        entries.append(entry)
        if entries.count > Self.limit { entries.removeFirst() }
        return true
    }
}

// As it is kept: a list of 16 octets of an identifier and the text of a name.
extension PeerNames: Recordable {
    func write(to writer: inout ByteWriter) {
        writer.write(list: entries) {
            $0.write(contentsOf: $1.peer.bytes)
            $0.write(text: $1.name)
        }
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        entries = try reader.readList { reader throws(MalformedBytes) in
            guard let peer = PeerIdentifier(try reader.readBytes(16)) else {
                throw .invalid(field: "peer")
            }
            return Entry(peer: peer, name: try reader.readText())
        }
        guard entries.count <= Self.limit, Set(entries.map(\.peer)).count == entries.count else {
            throw .invalid(field: "names")
        }
    }
}
