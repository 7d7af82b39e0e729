// SPDX-License-Identifier: Apache-2.0

/// A data-channel PDU, described by its length only (Vol 6, Part B, 2.4).
package struct DataPDU: Hashable, Sendable {
    /// The length of the payload in bytes, without the MIC.
    package let payloadLength: Int
    /// Whether the payload has a MIC. An empty PDU never has one.
    package let isEncrypted: Bool

    /// Creates the PDU of a payload of at most 251 bytes.
    package init(payloadLength: Int, isEncrypted: Bool = false) {
        precondition(
            (0...PacketLength.dataPayloadLimit).contains(payloadLength),
            "a data PDU must have 0 to 251 bytes of payload"
        )
        self.payloadLength = payloadLength
        self.isEncrypted = isEncrypted && payloadLength > 0
    }

    /// The length of header, payload and MIC in bytes.
    package var length: Int {
        PacketLength.header + payloadLength + (isEncrypted ? PacketLength.mic : 0)
    }

    /// Returns the air time of the packet with this PDU.
    package func airTime(_ modulation: Modulation) -> Duration {
        modulation.airTime(pduLength: length)
    }
}
