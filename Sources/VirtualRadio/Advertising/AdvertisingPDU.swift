// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// A packet on an advertising physical channel, primary or secondary, with its time on the air.
///
/// It is a class, because the sender, the receivers and the event for the packet's end share it.
package final class AdvertisingPacket: Sendable {
    /// The radio that sends the packet.
    package let sender: RadioID
    /// The radio to which the packet is addressed, which always listens to it: the advertiser for a
    /// request, the requester for a response; `nil` for other packets. Other radios can receive the
    /// packet only if `isAdvertisement` is `true`.
    package let addressee: RadioID?
    /// The content of the packet.
    package let pdu: AdvertisingPDU
    /// The modulation of the packet.
    package let modulation: Modulation
    /// The channel and the time of the packet.
    package let transmission: Transmission
    /// The length of header and payload in bytes.
    package let pduLength: Int

    /// Creates a packet.
    ///
    /// - Parameters:
    ///   - start: The instant at which the packet begins.
    ///   - reduction: The reduction of the packet's power below the sender's transmit power, in
    ///     decibels.
    package init(
        _ pdu: AdvertisingPDU,
        from sender: RadioID,
        to addressee: RadioID? = nil,
        on channel: RadioChannel,
        modulation: Modulation = .le1M,
        start: Instant,
        reduction: Int16 = 0
    ) {
        self.sender = sender
        self.addressee = addressee
        self.pdu = pdu
        self.modulation = modulation
        pduLength = pdu.length
        transmission = Transmission(
            from: sender,
            on: channel,
            start: start,
            airTime: modulation.airTime(pduLength: pduLength),
            reduction: reduction
        )
    }
}

/// The content of a packet on the advertising channels (Vol 6, Part B, 2.3).
package enum AdvertisingPDU: Sendable {
    /// ADV_IND, ADV_DIRECT_IND, ADV_NONCONN_IND or ADV_SCAN_IND.
    case legacy(LegacyAdvertisement)
    /// SCAN_RSP.
    case scanResponse(LegacyAdvertisement)
    /// ADV_EXT_IND, AUX_ADV_IND, AUX_CHAIN_IND or AUX_SCAN_RSP.
    case extended(ExtendedAdvertisement)
    /// SCAN_REQ or AUX_SCAN_REQ.
    case scanRequest(ScanRequestPDU)
    /// CONNECT_IND or AUX_CONNECT_REQ.
    case connectionRequest(ConnectIndication)
    /// AUX_CONNECT_RSP.
    case connectionResponse(ConnectionResponse)

    /// The length of header and payload in bytes.
    package var length: Int {
        switch self {
        case .legacy(let pdu):
            pdu.target == nil
                ? LegacyAdvertisingPDU.advertisement(dataLength: pdu.data.count).length
                : LegacyAdvertisingPDU.directedAdvertisement.length
        case .scanResponse(let pdu):
            LegacyAdvertisingPDU.scanResponse(dataLength: pdu.data.count).length
        case .extended(let pdu): pdu.length
        case .scanRequest: LegacyAdvertisingPDU.scanRequest.length
        case .connectionRequest: LegacyAdvertisingPDU.connectionRequest.length
        case .connectionResponse: PacketLength.header + 1 + 1 + 2 * PacketLength.address
        }
    }
}

/// A legacy advertisement or scan response.
package struct LegacyAdvertisement: Sendable {
    /// The handle of the set that sends the packet. A scan request or connection request in answer
    /// has the same handle. Legacy commands use set 0.
    package var set: UInt8
    /// AdvA.
    package var advertiser: DeviceAddress
    /// TargetA; only in ADV_DIRECT_IND.
    package var target: DeviceAddress?
    /// Whether a CONNECT_IND may follow.
    package var isConnectable: Bool
    /// Whether a SCAN_REQ may follow.
    package var isScannable: Bool
    /// Whether the advertiser supports Channel Selection Algorithm #2 (the ChSel bit).
    package var supportsChannelSelection2 = true
    /// AdvData or ScanRspData, at most 31 bytes.
    package var data: [UInt8]

    /// Creates an advertisement of the set, or its scan response.
    package init(
        set: UInt8,
        advertiser: DeviceAddress,
        target: DeviceAddress? = nil,
        isConnectable: Bool,
        isScannable: Bool,
        supportsChannelSelection2: Bool = true,
        data: [UInt8]
    ) {
        self.set = set
        self.advertiser = advertiser
        self.target = target
        self.isConnectable = isConnectable
        self.isScannable = isScannable
        self.supportsChannelSelection2 = supportsChannelSelection2
        self.data = data
    }
}

/// A packet with the Common Extended Advertising Payload Format.
package struct ExtendedAdvertisement: Sendable {
    /// The PDU type.
    package enum Kind: Sendable {
        /// ADV_EXT_IND.
        case primary
        /// AUX_ADV_IND.
        case auxiliary
        /// AUX_CHAIN_IND.
        case chained
        /// AUX_SCAN_RSP.
        case scanResponse
    }

    /// AuxPtr, with an instant in place of the offset.
    package struct Pointer: Sendable {
        /// The channel of the packet.
        package var channel: RadioChannel
        /// The modulation of the packet.
        package var modulation: Modulation
        /// The instant at which the packet begins.
        package var start: Instant
    }

    /// The PDU type.
    package var kind: Kind
    /// The handle of the advertiser's set.
    package var set: UInt8
    /// AdvA; `nil` if the packet does not have it.
    package var advertiser: DeviceAddress?
    /// TargetA; `nil` if the packet does not have it.
    package var target: DeviceAddress?
    /// Whether an AUX_CONNECT_REQ may follow the AUX_ADV_IND, from the AdvMode.
    package var isConnectable: Bool
    /// Whether an AUX_SCAN_REQ may follow the AUX_ADV_IND, from the AdvMode.
    package var isScannable: Bool
    /// The Advertising SID of the ADI.
    package var sid: UInt8
    /// The DID of the ADI, which changes with the data.
    package var dataID: UInt16
    /// The pointer to the next packet; `nil` in the last one.
    package var pointer: Pointer?
    /// TxPower in dBm, if the set includes it.
    package var transmitPower: Int8?
    /// The part of the data in this packet.
    package var data: [UInt8]
    /// The length of header and payload in bytes.
    package var length: Int
}

/// SCAN_REQ or AUX_SCAN_REQ.
package struct ScanRequestPDU: Sendable {
    /// The handle of the set that the request is addressed to.
    package var set: UInt8
    /// ScanA.
    package var scanner: DeviceAddress
    /// AdvA.
    package var advertiser: DeviceAddress

    /// Creates a request to the set.
    package init(set: UInt8, scanner: DeviceAddress, advertiser: DeviceAddress) {
        self.set = set
        self.scanner = scanner
        self.advertiser = advertiser
    }
}

/// CONNECT_IND or AUX_CONNECT_REQ. The packet refers to the requested link. The ether stores the
/// parameters of the link (LLData).
package struct ConnectIndication: Sendable {
    /// The handle of the set that the request is addressed to.
    package var set: UInt8
    /// InitA.
    package var initiator: DeviceAddress
    /// AdvA.
    package var advertiser: DeviceAddress
    /// The requested link.
    package var link: LinkID
    /// Whether this is an AUX_CONNECT_REQ.
    package var isAuxiliary: Bool

    /// Creates a request to the set.
    package init(
        set: UInt8,
        initiator: DeviceAddress,
        advertiser: DeviceAddress,
        link: LinkID,
        isAuxiliary: Bool
    ) {
        self.set = set
        self.initiator = initiator
        self.advertiser = advertiser
        self.link = link
        self.isAuxiliary = isAuxiliary
    }
}

/// AUX_CONNECT_RSP.
package struct ConnectionResponse: Sendable {
    /// AdvA.
    package var advertiser: DeviceAddress
    /// TargetA.
    package var initiator: DeviceAddress
    /// The requested link.
    package var link: LinkID
}
