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
        peers.suffix(Self.peerLimit).write(to: &writer)
        scan.write(to: &writer)
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        peers = try reader.read()
        guard peers.count <= Self.peerLimit, Set(peers.map(\.identifier)).count == peers.count
        else { throw .invalid(field: "peers") }
        scan = try reader.read()
    }
}

extension CentralIntents.Peer: RecordField {
    func write(to writer: inout ByteWriter) {
        identifier.write(to: &writer)
        name.write(to: &writer)
        reconnects.write(to: &writer)
        table.write(to: &writer)
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        identifier = try reader.read()
        name = try reader.read()
        reconnects = try reader.read()
        table = try reader.read()
    }
}

extension RequestedScan: RecordField {
    func write(to writer: inout ByteWriter) {
        services.write(to: &writer)
        allowsDuplicates.write(to: &writer)
        solicited.write(to: &writer)
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        let services: [WrittenUUID]? = try reader.read()
        let allowsDuplicates: Bool? = try reader.read()
        self.init(
            services: services,
            allowsDuplicates: allowsDuplicates,
            solicited: try reader.read()
        )
    }
}
