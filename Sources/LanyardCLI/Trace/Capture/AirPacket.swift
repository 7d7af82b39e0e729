// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A Link Layer packet as it was on the air (Vol 6, Part B, 2.1).
struct AirPacket {
    /// The access address of advertising (Vol 6, Part B, 2.1.2).
    static let advertisingAddress: UInt32 = 0x8E89_BED6

    let microseconds: Int64
    let accessAddress: UInt32
    /// The first byte of the header.
    let header: UInt8
    let payload: ArraySlice<UInt8>
    /// Whether the central sent the packet; `nil` if the sniffer does not report that.
    let isFromCentral: Bool?

    /// Decodes the packet of a record; `nil` if it is truncated or damaged.
    init?(_ record: Pcap.Record, _ linkType: Pcap.LinkType) {
        var reader = ByteReader(record.bytes)
        var flags: UInt16 = 0
        if linkType == .linkLayerWithHeader {
            guard (try? reader.readBytes(8)) != nil, let word = try? reader.readUInt16() else {
                return nil
            }
            flags = word
        }
        // The CRC was checked and is wrong.
        guard flags & 0x0C00 != 0x0400, let accessAddress = try? reader.readUInt32(),
            let header = try? reader.readUInt8(), let length = try? reader.readUInt8()
        else { return nil }
        // A third header byte describes a Constant Tone Extension (Vol 6, Part B, 2.4).
        let isData = accessAddress != Self.advertisingAddress
        if isData, header & 0x20 != 0, (try? reader.readUInt8()) == nil { return nil }
        guard let payload = try? reader.readBytes(Int(length)) else { return nil }
        microseconds = record.microseconds
        self.accessAddress = accessAddress
        self.header = header
        self.payload = payload
        switch flags >> 7 & 0x07 {
        case 2: isFromCentral = true
        case 3: isFromCentral = false
        default: isFromCentral = nil
        }
    }

    /// The LLID: 1 or 2 for data, 3 for control (Vol 6, Part B, 2.4).
    var logicalLinkIdentifier: UInt8 { header & 0x03 }

    /// Whether the SN bit is set. It changes with each packet that is not a retransmission.
    var sequenceNumber: Bool { header & 0x08 != 0 }

    /// The authenticated data of an encrypted payload: the first byte of the header, with NESN, SN
    /// and MD set to 0 (Vol 6, Part E, 2.2).
    var authenticatedHeader: UInt8 { header & 0xE3 }
}

/// The packet that begins a link: CONNECT_IND or AUX_CONNECT_REQ (Vol 6, Part B, 2.3.3.1).
struct LinkBeginning {
    let central: DeviceAddress
    let peripheral: DeviceAddress
    let accessAddress: UInt32

    init?(_ packet: AirPacket) {
        guard packet.accessAddress == AirPacket.advertisingAddress, packet.header & 0x0F == 0x05
        else { return nil }
        var reader = ByteReader(packet.payload)
        guard let initiator = try? reader.readBytes(6), let advertiser = try? reader.readBytes(6),
            let accessAddress = try? reader.readUInt32(),
            let central = DeviceAddress(
                littleEndian: initiator,
                kind: packet.header & 0x40 == 0 ? .public : .random
            ),
            let peripheral = DeviceAddress(
                littleEndian: advertiser,
                kind: packet.header & 0x80 == 0 ? .public : .random
            )
        else { return nil }
        self.central = central
        self.peripheral = peripheral
        self.accessAddress = accessAddress
    }
}
