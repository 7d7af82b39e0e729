// SPDX-License-Identifier: Apache-2.0

/// The pace of a link: how long packets and their answers take, and how many fit into a connection
/// event (Vol 6, Part B, 4.5.1).
///
/// An *exchange* is a packet of the Central, the answer of the Peripheral, and the frame space
/// after each. Which of the two carries the data makes no difference.
package struct Exchange: Hashable, Sendable {
    /// How the packets are sent, in both directions.
    package var modulation: Modulation
    /// Whether payloads have a MIC.
    package var isEncrypted: Bool
    /// The pause after each packet.
    package var frameSpace: Duration

    /// The pace of a link that sends like this.
    package init(
        _ modulation: Modulation,
        isEncrypted: Bool = false,
        frameSpace: Duration = FrameSpace.betweenFrames
    ) {
        self.modulation = modulation
        self.isEncrypted = isEncrypted
        self.frameSpace = frameSpace
    }

    /// How long an exchange takes in which one side sends `payloadLength` octets, and the other
    /// `answerLength`; 0 octets are an empty PDU.
    package func duration(payloadLength: Int, answerLength: Int = 0) -> Duration {
        airTime(payloadLength) + frameSpace + airTime(answerLength) + frameSpace
    }

    /// How many exchanges fit into an interval, at best.
    package func count(
        within interval: Duration,
        payloadLength: Int,
        answerLength: Int = 0
    ) -> Int {
        let each = duration(payloadLength: payloadLength, answerLength: answerLength)
        return Int(interval / each)
    }

    /// How long a frame of `length` octets takes to send that is cut into payloads of at most
    /// `payloadLimit`, each in an exchange of its own.
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
    /// How many bits per second it is to move `octets` in this time.
    package func bitRate(octets: Int) -> Double {
        Double(octets * 8) / (self / .seconds(1))
    }
}
