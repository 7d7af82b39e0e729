// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes

// The other entries as they are stored. Whatever is of a peer has its address in front, so that a
// file under another name than its own is noticed.
//
//     identity   7 our address, 16 what our private addresses are made with
//     order      7 octets for each bonded peer, who was met last is last
//     counter    4 the first counter that was certainly not used
//     client     as `ClientMemory` has it
//     database   as `DatabaseRecord` has it
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
