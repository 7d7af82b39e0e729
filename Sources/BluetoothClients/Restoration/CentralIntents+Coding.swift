// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

// The stored form of a central manager's intents. `RecordCoding.swift` describes lists, optionals,
// texts and forms.
//
//     intents    list of peers, optional scan
//     peer       16 bytes of its identifier, optional text of its name, flag: reconnects,
//                optional table
//     scan       optional list of forms, optional flag: duplicates, optional list of forms:
//                solicited
extension CentralIntents: Recordable {
    func write(to writer: inout ByteWriter) {
        writer.write(list: peers.suffix(Self.peerLimit)) { $1.write(to: &$0) }
        writer.write(optional: scan) { $1.write(to: &$0) }
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        peers = try reader.readList { reader throws(MalformedBytes) in try Peer(from: &reader) }
        guard peers.count <= Self.peerLimit, Set(peers.map(\.identifier)).count == peers.count
        else { throw .invalid(field: "peers") }
        scan = try reader.readOptional { reader throws(MalformedBytes) in try Scan(from: &reader) }
    }
}

extension CentralIntents.Peer: Recordable {
    func write(to writer: inout ByteWriter) {
        writer.write(contentsOf: identifier.bytes)
        writer.write(optional: name) { $0.write(text: $1) }
        writer.write(flag: reconnects)
        writer.write(optional: table) { $1.write(to: &$0) }
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        guard let identifier = PeerIdentifier(try reader.readBytes(16)) else {
            throw .invalid(field: "peer")
        }
        self.identifier = identifier
        name = try reader.readOptional { reader throws(MalformedBytes) in try reader.readText() }
        reconnects = try reader.readFlag()
        table = try reader.readOptional { reader throws(MalformedBytes) in
            try RemoteTable(from: &reader)
        }
    }
}

extension CentralIntents.Scan: Recordable {
    func write(to writer: inout ByteWriter) {
        writer.write(optional: services) { $0.write(list: $1) { $0.write($1) } }
        writer.write(optional: allowsDuplicates) { $0.write(flag: $1) }
        writer.write(optional: solicitedServices) { $0.write(list: $1) { $0.write($1) } }
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        services = try Self.readForms(from: &reader)
        allowsDuplicates = try reader.readOptional { reader throws(MalformedBytes) in
            try reader.readFlag()
        }
        solicitedServices = try Self.readForms(from: &reader)
    }

    private static func readForms(
        from reader: inout ByteReader
    ) throws(MalformedBytes) -> [WrittenUUID]? {
        try reader.readOptional { reader throws(MalformedBytes) in
            try reader.readList { reader throws(MalformedBytes) in try reader.readForm() }
        }
    }
}
