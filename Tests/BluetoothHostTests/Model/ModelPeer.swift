// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

/// A device in range of a `ModelController`: a peripheral with a small GATT database.
struct ModelPeer: Sendable {
    /// The behavior of the peer when the host connects to it.
    enum Presence: Sendable, Equatable {
        case connectable
        /// The peer is out of range.
        case absent
        /// The peer advertises, but the connection fails to be established (0x3E).
        case neverEstablished
    }

    let address: DeviceAddress
    var presence = Presence.connectable
    /// Whether the peer ignores the ATT PDUs of the host.
    var isSilent = false
    var advertisingData: [UInt8]
    var server = ModelServer()

    /// The credit-based channels of the peer, or `nil` if it does not support them.
    var channels: ModelChannels?

    /// The key that the peer shares with the host, if it is bonded.
    var key: HCI.Key128?

    /// The PDUs that were received on the channel of the Security Manager.
    private(set) var securityPDUs: [[UInt8]] = []
    /// The signaling packets that were received from the host.
    private(set) var signaling: [Signaling.Packet] = []
    /// The received frames on channels that this peer does not have.
    private(set) var strayFrames: [L2CAPFrame] = []

    init(_ number: Int, name: String = "Peer", address: DeviceAddress? = nil) {
        let usual = DeviceAddress(value: 0xC000_0000_0000 + UInt64(number), kind: .random)
        self.address = address ?? usual
        advertisingData = [0x02, 0x01, 0x06, UInt8(name.utf8.count + 1), 0x09] + name.utf8
    }

    /// Receives a frame from the host, and returns the frames of the response.
    mutating func receive(_ frame: L2CAPFrame) -> [[UInt8]] {
        switch frame.channel {
        case .att:
            guard !isSilent, let answer = server.receive(frame.payload) else { return [] }
            return [L2CAPFrame.encode(answer, on: .att)]
        case let channel where channels != nil && (channel == .signaling || channel.isDynamic):
            return channels?.receive(frame) ?? []
        case .signaling:
            if let packet = try? Signaling.Packet(parsing: frame.payload) {
                signaling.append(packet)
            }
        case .securityManager: securityPDUs.append(Array(frame.payload))
        default: strayFrames.append(frame)
        }
        return []
    }

    /// Clears the state of a link that has ended.
    mutating func linkEnded() {
        server.linkEnded()
    }
}
