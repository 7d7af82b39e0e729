// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The content of a packet of a link (Vol 6, Part B, 2.4), and its encryption.
package struct LinkPDU: Sendable {
    /// The content of a PDU.
    package enum Content: Sendable {
        /// A fragment of an L2CAP frame.
        case data(LinkFragment)
        /// A control PDU of the Link Layer.
        case control(LLControlPDU)
    }

    package let content: Content
    /// The key of the encryption session; `nil` for an unencrypted PDU.
    let key: [UInt8]?

    /// The length of the payload in bytes, without the MIC.
    var payloadLength: Int {
        switch content {
        case .data(let fragment): fragment.payload.count
        case .control(let pdu): min(max(1, pdu.length), PacketLength.dataPayloadLimit)
        }
    }

    /// The length of header, payload and MIC in bytes.
    var length: Int { DataPDU(payloadLength: payloadLength, isEncrypted: key != nil).length }
}

/// A fragment of one of the host's ACL packets that fits into a PDU.
package struct LinkFragment: Hashable, Sendable {
    /// The bytes.
    let payload: ArraySlice<UInt8>
    /// Whether the fragment begins an L2CAP frame (LLID 10). Otherwise it continues one (LLID 01).
    let isStart: Bool
    /// Whether this is the last fragment of the host's packet.
    let isLast: Bool
}

/// The sequence numbers of a link (Vol 6, Part B, 4.5.9). A packet is repeated until the peer has
/// acknowledged it, and repetitions are ignored.
struct PacketSequence: Hashable, Sendable {
    /// SN, the number of the sent packet.
    private(set) var sending = false
    /// NESN, the expected number of the peer's next packet.
    private(set) var expecting = false

    /// Processes the NESN of a packet from the peer.
    ///
    /// - Returns: Whether it acknowledges the sent packet.
    mutating func acknowledges(_ peersExpectation: Bool) -> Bool {
        guard peersExpectation != sending else { return false }
        sending.toggle()
        return true
    }

    /// Processes the SN of a packet from the peer.
    ///
    /// - Returns: Whether the packet is new.
    mutating func isNew(_ peersNumber: Bool) -> Bool {
        guard peersNumber == expecting else { return false }
        expecting.toggle()
        return true
    }
}
