// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The stored names of peers. With them, a peripheral that the application retrieves after a launch
/// has its name before it advertises again.
///
/// Contains peers that managers connected to, and not those that only advertised.
struct PeerNames: Hashable, Sendable {
    static let recordName = "peer-names"

    /// The maximum number of names. Those used last are stored.
    static let limit = 256

    struct Entry: Hashable, Sendable {
        package let peer: PeerIdentifier
        package let name: String
    }

    /// The names, with the one used last at the end.
    private(set) var entries: [Entry] = []

    /// Stores a peer's name as the one used last. Returns whether this changes the stored names.
    mutating func learn(_ name: String, of peer: PeerIdentifier) -> Bool {
        let entry = Entry(peer: peer, name: name)
        guard entries.last != entry else { return false }
        entries.removeAll { $0.peer == peer }
        entries.append(entry)
        if entries.count > Self.limit { entries.removeFirst() }
        return true
    }
}

// The stored form: a list of entries, each with the 16 bytes of an identifier and the text of a
// name.
extension PeerNames: Recordable {
    func write(to writer: inout ByteWriter) {
        entries.write(to: &writer)
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        entries = try reader.read()
        guard entries.count <= Self.limit, Set(entries.map(\.peer)).count == entries.count else {
            throw .invalid(field: "names")
        }
    }
}

extension PeerNames.Entry: RecordField {
    func write(to writer: inout ByteWriter) {
        peer.write(to: &writer)
        name.write(to: &writer)
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        peer = try reader.read()
        name = try reader.read()
    }
}
