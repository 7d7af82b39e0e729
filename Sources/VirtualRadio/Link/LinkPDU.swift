// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// What a packet of a link carries (Vol 6, Part B, 2.4), and with what it is encrypted.
struct LinkPDU: Sendable {
    /// What it is.
    enum Content: Sendable {
        /// A piece of an L2CAP frame.
        case data(LinkFragment)
        /// A word between the Link Layers.
        case control(LLControlPDU)
    }

    let content: Content
    /// The key of the session in which it was encrypted; nil for in clear.
    let key: [UInt8]?

    /// How many octets of payload it has, without the MIC.
    var payloadLength: Int {
        switch content {
        case .data(let fragment): fragment.payload.count
        case .control(let pdu): min(max(1, pdu.length), PacketLength.dataPayloadLimit)
        }
    }

    /// Its length on the air.
    var length: Int { DataPDU(payloadLength: payloadLength, isEncrypted: key != nil).length }
}

/// A piece of one of the host's ACL packets that fits into a PDU.
struct LinkFragment: Hashable, Sendable {
    /// The octets.
    let payload: ArraySlice<UInt8>
    /// Whether an L2CAP frame starts here (LLID 10), or goes on (01).
    let isStart: Bool
    /// Whether this is the last piece of the host's packet.
    let isLast: Bool
}

/// The numbers that keep packets of a link in order (Vol 6, Part B, 4.5.9): what is sent is sent
/// again until the peer has acknowledged it, and what comes again is passed over.
struct PacketSequence: Hashable, Sendable {
    /// SN: the number of the packet that is sent.
    private(set) var sending = false
    /// NESN: the number that the next packet of the peer should have.
    private(set) var expecting = false

    /// The peer's packet says which of ours it expects: whether ours has arrived.
    mutating func acknowledges(_ peersExpectation: Bool) -> Bool {
        guard peersExpectation != sending else { return false }
        sending.toggle()
        return true
    }

    /// The peer's packet has this number: whether it is a new one.
    mutating func isNew(_ peersNumber: Bool) -> Bool {
        guard peersNumber == expecting else { return false }
        expecting.toggle()
        return true
    }
}
