// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// A packet on an advertising physical channel, primary or secondary, and when it is on the air.
package struct AdvertisingPacket: Sendable {
    /// Who sends it.
    package let sender: RadioID
    /// Who listens for it beside those that scan or initiate: the advertiser for a request, who
    /// asked for a response.
    package let addressee: RadioID?
    /// What it says.
    package let pdu: AdvertisingPDU
    /// How it is sent.
    package let modulation: Modulation
    /// Where and when.
    package let transmission: Transmission
    /// How many octets header and payload are.
    package let pduLength: Int

    /// The packet that begins at the instant, weaker by the reduction in decibels than its sender
    /// otherwise sends.
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

/// What packets on the advertising channels say (Vol 6, Part B, 2.3).
package enum AdvertisingPDU: Sendable {
    /// ADV_IND, ADV_DIRECT_IND, ADV_NONCONN_IND or ADV_SCAN_IND.
    case legacy(LegacyAdvertisement)
    /// SCAN_RSP.
    case scanResponse(LegacyAdvertisement)
    /// ADV_EXT_IND, AUX_ADV_IND, AUX_CHAIN_IND or AUX_SCAN_RSP.
    case extended(ExtendedAdvertisement)
    /// SCAN_REQ or AUX_SCAN_REQ.
    case scanRequest(ScanRequest)
    /// CONNECT_IND or AUX_CONNECT_REQ.
    case connectionRequest(ConnectionRequest)
    /// AUX_CONNECT_RSP.
    case connectionResponse(ConnectionResponse)

    /// How many octets header and payload are.
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

/// A legacy advertisement or the response to a scan request.
package struct LegacyAdvertisement: Sendable {
    /// Which of the advertiser's sets it is of: what a request is for. Legacy commands use set 0.
    package var set: UInt8
    /// AdvA.
    package var advertiser: DeviceAddress
    /// TargetA, of ADV_DIRECT_IND only.
    package var target: DeviceAddress?
    /// Whether a CONNECT_IND may follow.
    package var isConnectable: Bool
    /// Whether a SCAN_REQ may follow.
    package var isScannable: Bool
    /// Whether the advertiser knows Channel Selection Algorithm #2 (the ChSel bit).
    package var supportsChannelSelection2 = true
    /// AdvData or ScanRspData, 31 octets at most.
    package var data: [UInt8]
}

/// A packet with the common extended advertising payload.
package struct ExtendedAdvertisement: Sendable {
    /// Which of the four it is.
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

    /// AuxPtr, with the instant in place of an offset.
    package struct Pointer: Sendable {
        /// On which channel the packet comes.
        package var channel: RadioChannel
        /// How it is modulated.
        package var modulation: Modulation
        /// When it begins.
        package var start: Instant
    }

    /// Which of the four it is.
    package var kind: Kind
    /// Which of the advertiser's sets it is of.
    package var set: UInt8
    /// AdvA, where the packet has it.
    package var advertiser: DeviceAddress?
    /// TargetA, where the packet has it.
    package var target: DeviceAddress?
    /// The AdvMode: whether an AUX_CONNECT_REQ may follow the AUX_ADV_IND.
    package var isConnectable: Bool
    /// The AdvMode: whether an AUX_SCAN_REQ may follow the AUX_ADV_IND.
    package var isScannable: Bool
    /// The Advertising SID of the ADI.
    package var sid: UInt8
    /// The DID of the ADI: changes when the data does.
    package var dataID: UInt16
    /// Where and when the next packet is; nil in the last.
    package var pointer: Pointer?
    /// TxPower in dBm, if the set was asked to tell it.
    package var transmitPower: Int8?
    /// This packet's part of the data.
    package var data: [UInt8]
    /// How many octets header and payload are.
    package var length: Int
}

/// SCAN_REQ or AUX_SCAN_REQ.
package struct ScanRequest: Sendable {
    /// Which set is asked.
    package var set: UInt8
    /// ScanA.
    package var scanner: DeviceAddress
    /// AdvA.
    package var advertiser: DeviceAddress

    /// The question to the set.
    package init(set: UInt8, scanner: DeviceAddress, advertiser: DeviceAddress) {
        self.set = set
        self.scanner = scanner
        self.advertiser = advertiser
    }
}

/// CONNECT_IND or AUX_CONNECT_REQ. The parameters that it carries are those of the link.
package struct ConnectionRequest: Sendable {
    /// Which set is asked.
    package var set: UInt8
    /// InitA.
    package var initiator: DeviceAddress
    /// AdvA.
    package var advertiser: DeviceAddress
    /// The link that is asked for.
    package var link: LinkID
    /// Whether this is AUX_CONNECT_REQ, which is answered.
    package var isAuxiliary: Bool

    /// The request to the set.
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
    /// The link that was asked for.
    package var link: LinkID
}
