// SPDX-License-Identifier: Apache-2.0

/// The length of a data-channel PDU (Vol 6, Part B, 2.4).
package struct DataPDU: Hashable, Sendable {
    /// How many octets of payload, without the MIC.
    package let payloadLength: Int
    /// Whether the payload has a MIC. An empty PDU never has.
    package let isEncrypted: Bool

    /// The PDU of a payload, of 251 octets at most.
    package init(payloadLength: Int, isEncrypted: Bool = false) {
        precondition(
            (0...PacketLength.dataPayloadLimit).contains(payloadLength),
            "a data PDU has 0 to 251 octets of payload"
        )
        self.payloadLength = payloadLength
        self.isEncrypted = isEncrypted && payloadLength > 0
    }

    /// The PDU that says nothing but that one is there.
    package static let empty = DataPDU(payloadLength: 0)

    /// How many octets header, payload and MIC are.
    package var length: Int {
        PacketLength.header + payloadLength + (isEncrypted ? PacketLength.mic : 0)
    }

    /// How long the PDU is on the air.
    package func airTime(_ modulation: Modulation) -> Duration {
        modulation.airTime(pduLength: length)
    }
}
