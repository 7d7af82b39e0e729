// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes

// The contents of all entries except bonds. The entry of a peer begins with the peer's address, so
// that a file under a wrong name is detected. The numbers are lengths in bytes.
//
//     identity   7 this host's address, 16 the resolving key of its private addresses
//     secret     16 the key from which the identifiers of peers are derived
//     order      7 for each bonded peer, the latest at the end
//     counter    4 the end of the reserved block: this counter and later ones were not used
//     client     as encoded by `ClientRecord`
//     database   as encoded by `DatabaseRecord`
//     application  1+n the length of the name and the name, then the application's bytes
extension Pairing.LocalIdentity {
    /// Returns the entry `identity`.
    func encode() -> [UInt8] {
        Record.encode(.identity) { writer in
            writer.write(address)
            writer.write(contentsOf: resolvingKey.bytes)
        }
    }

    init(parsing bytes: [UInt8]) throws(RecordFault) {
        self = try Record.decode(bytes, as: .identity) { reader throws(MalformedBytes) in
            .init(
                address: try reader.readDeviceAddress(),
                resolvingKey: try HCI.Key128(from: &reader)
            )
        }
    }
}

extension Record {
    /// Returns the entry `secret`.
    static func encode(secret: HCI.Key128) -> [UInt8] {
        encode(.secret) { $0.write(contentsOf: secret.bytes) }
    }

    static func decode(secret bytes: [UInt8]) throws(RecordFault) -> HCI.Key128 {
        try decode(bytes, as: .secret) { reader throws(MalformedBytes) in
            try HCI.Key128(from: &reader)
        }
    }

    /// Returns the entry of an application.
    static func encode(_ bytes: [UInt8], of name: ApplicationName) -> [UInt8] {
        encode(.application(name)) { writer in
            let text = Array(name.description.utf8)
            writer.write(UInt8(truncatingIfNeeded: text.count))
            writer.write(contentsOf: text)
            writer.write(contentsOf: bytes)
        }
    }

    static func decode(
        _ bytes: [UInt8],
        of name: ApplicationName
    ) throws(RecordFault) -> [UInt8] {
        try decode(bytes, as: .application(name)) { reader throws(MalformedBytes) in
            let text = Array(try reader.readBytes(Int(try reader.readUInt8())))
            guard text == Array(name.description.utf8) else { throw .invalid(field: "name") }
            return Array(reader.readRemaining())
        }
    }
}

/// The bonded peers in the order in which they last proved their identity, the latest last.
struct BondOrder: Equatable {
    var peers: [DeviceAddress]

    func encode() -> [UInt8] {
        Record.encode(.order) { writer in
            for peer in peers { writer.write(peer) }
        }
    }

    init(_ peers: [DeviceAddress]) {
        self.peers = peers
    }

    init(parsing bytes: [UInt8]) throws(RecordFault) {
        self = try Record.decode(bytes, as: .order) { reader throws(MalformedBytes) in
            var peers: [DeviceAddress] = []
            while !reader.isAtEnd { peers.append(try reader.readDeviceAddress()) }
            return BondOrder(peers)
        }
    }
}

extension SignCounter {
    func encode(for peer: DeviceAddress) -> [UInt8] {
        Record.encode(.counter(peer)) { $0.write(reserved) }
    }

    init(parsing bytes: [UInt8], peer: DeviceAddress) throws(RecordFault) {
        let reserved = try Record.decode(bytes, as: .counter(peer)) {
            reader throws(MalformedBytes) in try reader.readUInt32()
        }
        self.init(next: reserved, reserved: reserved)
    }
}

extension ClientRecord {
    func encode(for peer: DeviceAddress) -> [UInt8] {
        Record.encode(.client(peer)) { $0.write(contentsOf: encode()) }
    }

    init(parsing bytes: [UInt8], peer: DeviceAddress) throws(RecordFault) {
        self = try Record.decode(bytes, as: .client(peer)) { reader throws(MalformedBytes) in
            try ClientRecord(parsing: Array(reader.readRemaining()))
        }
    }
}

extension DatabaseRecord {
    func encode(for peer: DeviceAddress) -> [UInt8] {
        Record.encode(.database(peer)) { $0.write(contentsOf: encode()) }
    }

    init(parsing bytes: [UInt8], peer: DeviceAddress) throws(RecordFault) {
        self = try Record.decode(bytes, as: .database(peer)) { reader throws(MalformedBytes) in
            try DatabaseRecord(parsing: reader.readRemaining())
        }
    }
}
