// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// The maximum lengths of a link's packets, at one of its ends (Vol 6, Part B, 4.5.10).
package struct LinkDataLength: Hashable, Sendable {
    /// The maximum length in bytes of a payload that the end sends, without MIC.
    package var sendBytes: Int
    /// The longest air time of a packet that the end sends.
    package var sendTime: Duration
    /// The maximum length in bytes of a payload that the end receives, without MIC.
    package var receiveBytes: Int
    /// The longest air time of a packet that the end receives.
    package var receiveTime: Duration

    /// The initial lengths, which every link supports on uncoded PHYs.
    package static let minimum = LinkDataLength(
        sendBytes: 27,
        sendTime: .microseconds(328),
        receiveBytes: 27,
        receiveTime: .microseconds(328)
    )

    /// Returns the longest payload that the end sends on the modulation, in bytes. The length
    /// leaves time for a MIC, even if the link is not encrypted.
    package func sendLimit(on modulation: Modulation) -> Int {
        var bytes = sendBytes
        while bytes > Self.minimum.sendBytes,
            DataPDU(payloadLength: bytes, isEncrypted: true).airTime(modulation) > sendTime
        { bytes -= 1 }
        return bytes
    }
}
