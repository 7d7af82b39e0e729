// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes

// The other entries as they are stored. Whatever is of a peer has its address in front, so that a
// file under another name than its own is noticed.
//
//     identity   7 our address, 16 what our private addresses are made with
//     secret     16 what identifiers of peers are made with
//     order      7 octets for each bonded peer, who was met last is last
//     counter    4 the first counter that was certainly not used
//     client     as `ClientMemory` has it
//     database   as `DatabaseRecord` has it
//     application  1+n the name, the number of its octets before them, and what the application has
//                kept
extension Pairing.LocalIdentity {
    /// The entry `identity`.
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
    /// The entry `secret`.
    static func encode(secret: HCI.Key128) -> [UInt8] {
        encode(.secret) { $0.write(contentsOf: secret.bytes) }
    }

    static func decode(secret bytes: [UInt8]) throws(RecordFault) -> HCI.Key128 {
        try decode(bytes, as: .secret) { reader throws(MalformedBytes) in
            try HCI.Key128(from: &reader)
        }
    }

    /// The entry of an application.
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

/// The peers in the order in which they were met, the latest last.
struct MeetingOrder: Equatable {
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
            return MeetingOrder(peers)
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

extension ClientMemory {
    func encode(for peer: DeviceAddress) -> [UInt8] {
        Record.encode(.client(peer)) { $0.write(contentsOf: encode()) }
    }

    init(parsing bytes: [UInt8], peer: DeviceAddress) throws(RecordFault) {
        self = try Record.decode(bytes, as: .client(peer)) { reader throws(MalformedBytes) in
            try ClientMemory(parsing: Array(reader.readRemaining()))
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
