// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The Data Length Update procedure, for the longest packets that both ends support (Vol 6, Part B,
/// 4.5.10 and 5.1.9).
extension LinkProcedures {
    mutating func setDataLength(_ bytes: Int, _ time: Duration) throws(HCI.ErrorCode) {
        guard local.features.contains(.dataPacketLengthExtension) else {
            throw .unsupportedFeatureOrParameterValue
        }
        guard (27...PacketLength.dataPayloadLimit).contains(bytes),
            time >= LinkDataLength.minimum.sendTime, time <= LinkDataLength.longestTime
        else { throw .invalidCommandParameters }
        preferredLength = (bytes, time)
        enqueue(.dataLength)
    }

    /// Starts the procedure, unless one of the ends is known not to support it. The host then gets
    /// no event, because nothing changes.
    mutating func startDataLength() {
        let feature = HCI.LEFeatures.dataPacketLengthExtension
        guard local.features.contains(feature), peerMayHave(feature) else { return }
        begin(.dataLength, .lengthRequest(lengthOffer))
    }

    mutating func takeLength(_ pdu: LLControlPDU, _ offer: LengthOffer) {
        guard local.features.contains(.dataPacketLengthExtension) else {
            return refuseAsUnknown(pdu)
        }
        if case .lengthRequest = pdu {
            send(.lengthResponse(lengthOffer))
        } else if own?.kind == .dataLength {
            finish(.dataLength)
        } else {
            return
        }
        peerLength = offer
        updateDataLength()
    }

    private var lengthOffer: LengthOffer {
        LengthOffer(
            receiveBytes: local.dataLengthLimit,
            receiveTime: receiveTimeLimit,
            sendBytes: min(preferredLength.bytes, local.dataLengthLimit),
            sendTime: min(preferredLength.time, receiveTimeLimit)
        )
    }

    /// The longest air time that the end receives. Only packets on LE Coded take longer than the
    /// longest packet of LE 1M.
    private var receiveTimeLimit: Duration {
        local.features.contains(.coded)
            ? LinkDataLength.longestTime
            : DataPDU(payloadLength: local.dataLengthLimit, isEncrypted: true).airTime(.le1M)
    }

    /// The lengths that both ends support on their current PHYs.
    var effectiveDataLength: LinkDataLength {
        let peer = peerLength
        let own = lengthOffer
        let minimum = LinkDataLength.minimum
        return LinkDataLength(
            sendBytes: max(27, min(own.sendBytes, peer?.receiveBytes ?? 27)),
            sendTime: max(
                LinkDataLength.leastTime(on: sending.phy),
                min(own.sendTime, peer?.receiveTime ?? minimum.sendTime)
            ),
            receiveBytes: max(27, min(own.receiveBytes, peer?.sendBytes ?? 27)),
            receiveTime: max(
                LinkDataLength.leastTime(on: receiving),
                min(own.receiveTime, peer?.sendTime ?? minimum.receiveTime)
            )
        )
    }

    /// Applies the lengths. The host gets an event only if they change (Vol 4, Part E, 7.7.65.7).
    mutating func updateDataLength() {
        let length = effectiveDataLength
        guard length != dataLength else { return }
        dataLength = length
        actions.append(.setDataLength(length))
        emit(
            .dataLengthChange(
                HCI.LEDataLengthChange(
                    connectionHandle: handle,
                    transmitBytes: UInt16(clamping: length.sendBytes),
                    transmitTime: HCI.AirTime(length.sendTime),
                    receiveBytes: UInt16(clamping: length.receiveBytes),
                    receiveTime: HCI.AirTime(length.receiveTime)
                )
            )
        )
    }
}

extension LinkDataLength {
    /// The air time of the longest packet of LE Coded, S = 8 (Vol 6, Part B, 4.5.10).
    package static let longestTime = Duration.microseconds(17_040)

    /// Returns the minimum air time that both ends allow, for a packet of 27 bytes. It is longer on
    /// LE Coded.
    static func leastTime(on phy: PHY) -> Duration {
        phy == .leCoded ? .microseconds(2_704) : minimum.sendTime
    }
}
