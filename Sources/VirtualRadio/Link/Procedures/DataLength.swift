// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// How long the packets of a link may be, as one of its ends sees it (Vol 6, Part B, 4.5.10).
package struct DataLength: Hashable, Sendable {
    /// The longest payload that it sends, in octets, without MIC.
    package var sendOctets: Int
    /// How long a packet that it sends may be on the air.
    package var sendTime: Duration
    /// The longest payload that it receives.
    package var receiveOctets: Int
    /// How long a packet that it receives may be on the air.
    package var receiveTime: Duration

    /// What every link can, uncoded: it begins so.
    package static let minimum = DataLength(
        sendOctets: 27,
        sendTime: .microseconds(328),
        receiveOctets: 27,
        receiveTime: .microseconds(328)
    )

    /// The longest payload that it sends, in octets, on that modulation. Packets always leave room
    /// for a MIC, encrypted or not.
    package func sendLimit(on modulation: Modulation) -> Int {
        var octets = sendOctets
        while octets > Self.minimum.sendOctets,
            DataPDU(payloadLength: octets, isEncrypted: true).airTime(modulation) > sendTime
        { octets -= 1 }
        return octets
    }
}
