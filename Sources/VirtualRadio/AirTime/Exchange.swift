// SPDX-License-Identifier: Apache-2.0

/// The timing of a link: the duration of packets and their answers, and the number of exchanges
/// that fit into a connection event (Vol 6, Part B, 4.5.1).
///
/// An *exchange* is a packet of the Central, the answer of the Peripheral, and the frame space
/// after each. The duration is the same whichever device sends the data.
package struct Exchange: Hashable, Sendable {
    /// The modulation of the packets, in both directions.
    package var modulation: Modulation
    /// Whether payloads have a MIC.
    package var isEncrypted: Bool
    /// The pause after each packet.
    package var frameSpace: Duration

    /// Creates the timing of a link with the modulation, encryption and frame space.
    package init(
        _ modulation: Modulation,
        isEncrypted: Bool = false,
        frameSpace: Duration = FrameSpace.betweenFrames
    ) {
        self.modulation = modulation
        self.isEncrypted = isEncrypted
        self.frameSpace = frameSpace
    }

    /// Returns the duration of an exchange.
    ///
    /// - Parameters:
    ///   - payloadLength: The payload that one device sends, in bytes; 0 for an empty PDU.
    ///   - answerLength: The payload that the other device sends, in bytes; 0 for an empty PDU.
    package func duration(payloadLength: Int, answerLength: Int = 0) -> Duration {
        airTime(payloadLength) + frameSpace + airTime(answerLength) + frameSpace
    }

    /// Returns the largest number of exchanges that fit into an interval.
    package func count(
        within interval: Duration,
        payloadLength: Int,
        answerLength: Int = 0
    ) -> Int {
        let each = duration(payloadLength: payloadLength, answerLength: answerLength)
        return Int(interval / each)
    }

    /// Returns the time to send a frame of `length` bytes that is divided into payloads of at most
    /// `payloadLimit` bytes, one for each exchange.
    package func duration(frameLength length: Int, payloadLimit: Int) -> Duration {
        let whole = duration(payloadLength: payloadLimit) * (length / payloadLimit)
        let rest = length % payloadLimit
        return rest == 0 ? whole : whole + duration(payloadLength: rest)
    }

    private func airTime(_ payloadLength: Int) -> Duration {
        DataPDU(payloadLength: payloadLength, isEncrypted: isEncrypted).airTime(modulation)
    }
}

extension Duration {
    /// Returns the bit rate, in bits per second, of `bytes` bytes in this time.
    package func bitRate(bytes: Int) -> Double {
        Double(bytes * 8) / (self / .seconds(1))
    }
}
