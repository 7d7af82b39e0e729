// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The packets of the sets.
extension VirtualController {
    /// Returns the packet of the current event on a primary channel.
    mutating func primaryPacket(
        _ index: Int,
        on channel: RadioChannel,
        at start: Instant
    ) -> AdvertisingPacket {
        let parameters = advertiser.sets[index].addressing(nil).configuration
        let pdu: AdvertisingPDU
        if parameters.isLegacy {
            pdu = .legacy(advertiser.sets[index].legacyPDU(publicAddress, configuration))
        } else {
            pdu = .extended(extendedPDU(advertiser.sets[index]))
        }
        return AdvertisingPacket(
            pdu,
            from: radio,
            on: channel,
            modulation: parameters.primary,
            start: start,
            reduction: parameters.reduction
        )
    }

    /// Returns a SCAN_RSP (Vol 6, Part B, 2.3.2.2).
    func scanResponsePDU(_ set: borrowing VirtualAdvertisingSet) -> LegacyAdvertisement {
        LegacyAdvertisement(
            set: set.handle,
            advertiser: set.run?.addresses.own ?? publicAddress,
            isConnectable: false,
            isScannable: false,
            supportsChannelSelection2: !configuration.isOld,
            data: set.response.bytes
        )
    }

    /// Returns an ADV_EXT_IND (Vol 6, Part B, 2.3.1.5). If there is an auxiliary packet, the
    /// ADV_EXT_IND only points to it, and the addresses are in the auxiliary packet.
    private func extendedPDU(_ set: borrowing VirtualAdvertisingSet) -> ExtendedAdvertisement {
        let pointer = set.run?.pointer
        return extendedPDU(
            .primary,
            set,
            fields: pointer == nil ? set.configuration.soleFields : [.dataInfo, .auxiliaryPointer],
            pointer: pointer,
            data: []
        )
    }

    /// Returns a packet with the Common Extended Advertising Payload Format.
    func extendedPDU(
        _ kind: ExtendedAdvertisement.Kind,
        _ set: borrowing VirtualAdvertisingSet,
        fields: ExtendedAdvertisingPDU.Fields,
        pointer: ExtendedAdvertisement.Pointer?,
        data: [UInt8]
    ) -> ExtendedAdvertisement {
        let addresses = set.run?.addresses
        return ExtendedAdvertisement(
            kind: kind,
            set: set.handle,
            advertiser: fields.contains(.advertiserAddress) ? addresses?.own : nil,
            target: fields.contains(.targetAddress) ? addresses?.target : nil,
            isConnectable: kind != .scanResponse && set.configuration.isConnectable,
            isScannable: kind != .scanResponse && set.configuration.isScannable,
            sid: set.configuration.sid,
            dataID: set.dataID,
            pointer: pointer,
            transmitPower: fields.contains(.transmitPower) ? set.configuration.transmitPower : nil,
            data: data,
            length: ExtendedAdvertisingPDU(fields, dataLength: data.count)?.length ?? 0
        )
    }
}

extension VirtualAdvertisingSet {
    /// Returns an ADV_IND, ADV_DIRECT_IND, ADV_SCAN_IND or ADV_NONCONN_IND (Vol 6, Part B, 2.3.1).
    /// The method is mutating, so that the controller does not copy the set for every packet.
    fileprivate mutating func legacyPDU(
        _ publicAddress: DeviceAddress,
        _ controller: ControllerConfiguration
    ) -> LegacyAdvertisement {
        LegacyAdvertisement(
            set: handle,
            advertiser: run?.addresses.own ?? publicAddress,
            target: run?.addresses.target,
            isConnectable: configuration.isConnectable,
            isScannable: configuration.isScannable,
            supportsChannelSelection2: !controller.isOld,
            data: configuration.carriesData ? data.bytes : []
        )
    }
}

extension AdvertisingSetConfiguration {
    /// The fields of an ADV_EXT_IND without an auxiliary packet: no ADI, because there is no data
    /// to identify, and no TxPower on LE Coded (Vol 6, Part B, 2.3.1.5).
    var soleFields: ExtendedAdvertisingPDU.Fields {
        let fields = auxiliaryFields.subtracting(.dataInfo)
        return primary == .le1M ? fields : fields.subtracting(.transmitPower)
    }

    /// The fields of the AUX_ADV_IND (Vol 6, Part B, 2.3.1.6).
    var auxiliaryFields: ExtendedAdvertisingPDU.Fields {
        var fields: ExtendedAdvertisingPDU.Fields = [.dataInfo]
        if !isAnonymous { fields.insert(.advertiserAddress) }
        if isDirected { fields.insert(.targetAddress) }
        if properties.contains(.includesTransmitPower) { fields.insert(.transmitPower) }
        return fields
    }

    /// The fields of the AUX_SCAN_RSP (Vol 6, Part B, 2.3.2.3).
    var responseFields: ExtendedAdvertisingPDU.Fields {
        properties.contains(.includesTransmitPower)
            ? [.advertiserAddress, .dataInfo, .transmitPower] : [.advertiserAddress, .dataInfo]
    }
}
