// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

/// A device in the range of a `ModelController`: a peripheral with a small GATT database.
struct ModelPeer: Sendable {
    /// What the peer does when it is dialled.
    enum Presence: Sendable, Equatable {
        case connectable
        /// Out of range: nothing happens.
        case absent
        /// It advertises, but does not take part in the link: the link falls, with 0x3E.
        case neverJoins
    }

    let address: DeviceAddress
    var presence = Presence.connectable
    /// Whether the link stands, and everything sent on it is ignored.
    var isSilent = false
    var advertisingData: [UInt8]
    var server = ModelServer()

    /// Its channels with credits; nil for a peer that knows of none.
    var channels: ModelChannels?

    /// The key that it shares with the host, if it remembers it.
    var key: HCI.Key128?

    /// What came on the Security Manager's channel.
    private(set) var securityPDUs: [[UInt8]] = []
    /// The signalling packets that came from the host.
    private(set) var signalling: [Signalling.Packet] = []
    /// Frames on channels that this peer does not have.
    private(set) var strayFrames: [L2CAPFrame] = []

    init(_ number: Int, name: String = "Peer", address: DeviceAddress? = nil) {
        let usual = DeviceAddress(value: 0xC000_0000_0000 + UInt64(number), kind: .random)
        self.address = address ?? usual
        advertisingData = [0x02, 0x01, 0x06, UInt8(name.utf8.count + 1), 0x09] + name.utf8
    }

    /// Takes a frame from the host; what it answers are whole frames.
    mutating func receive(_ frame: L2CAPFrame) -> [[UInt8]] {
        switch frame.channel {
        case .att:
            guard !isSilent, let answer = server.receive(frame.payload) else { return [] }
            return [L2CAPFrame.encode(answer, on: .att)]
        case let channel where channels != nil && (channel == .signalling || channel.isDynamic):
            return channels?.receive(frame) ?? []
        case .signalling:
            if let packet = try? Signalling.Packet(parsing: frame.payload) {
                signalling.append(packet)
            }
        case .securityManager: securityPDUs.append(Array(frame.payload))
        default: strayFrames.append(frame)
        }
        return []
    }

    /// The link is gone: what belonged to it is forgotten.
    mutating func linkEnded() {
        server.linkEnded()
    }
}
