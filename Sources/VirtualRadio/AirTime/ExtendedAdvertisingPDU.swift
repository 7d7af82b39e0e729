// SPDX-License-Identifier: Apache-2.0

/// A packet with the Common Extended Advertising Payload Format (Vol 6, Part B, 2.3.4): ADV_EXT_IND
/// and the packets on the secondary channels, except AUX_SCAN_REQ and AUX_CONNECT_REQ, which have
/// the length of their legacy counterparts.
package struct ExtendedAdvertisingPDU: Hashable, Sendable {
    /// The optional fields of the extended header.
    package struct Fields: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        /// Creates the set of fields whose bits are set, numbered as in the Extended Header Flags.
        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// AdvA, the advertiser's address: 6 bytes.
        package static let advertiserAddress = Fields(rawValue: 1 << 0)
        /// TargetA, the address of the device that the packet is directed to: 6 bytes.
        package static let targetAddress = Fields(rawValue: 1 << 1)
        /// CTEInfo, which announces a Constant Tone Extension: 1 byte.
        package static let constantToneInfo = Fields(rawValue: 1 << 2)
        /// ADI, which identifies the advertising set and its data: 2 bytes.
        package static let dataInfo = Fields(rawValue: 1 << 3)
        /// AuxPtr, the channel and time of the next packet: 3 bytes.
        package static let auxiliaryPointer = Fields(rawValue: 1 << 4)
        /// SyncInfo, the timing of the periodic advertising train: 18 bytes.
        package static let syncInfo = Fields(rawValue: 1 << 5)
        /// TxPower: 1 byte.
        package static let transmitPower = Fields(rawValue: 1 << 6)

        private static let sizes: [(field: Fields, length: Int)] = [
            (.advertiserAddress, 6), (.targetAddress, 6), (.constantToneInfo, 1), (.dataInfo, 2),
            (.auxiliaryPointer, 3), (.syncInfo, 18), (.transmitPower, 1),
        ]

        /// The length of the extended header in bytes: its flags, if there is any field, and the
        /// fields.
        var headerLength: Int {
            Self.sizes.reduce(isEmpty ? 0 : 1) { contains($1.field) ? $0 + $1.length : $0 }
        }
    }

    /// The fields of the extended header.
    package let fields: Fields
    /// The length of the advertising data in bytes.
    package let dataLength: Int

    /// Creates a packet with these fields and `dataLength` bytes of data; `nil` if the data does
    /// not fit.
    package init?(_ fields: Fields, dataLength: Int = 0) {
        guard (0...Self.dataLimit(fields)).contains(dataLength) else { return nil }
        self.fields = fields
        self.dataLength = dataLength
    }

    /// Returns the number of data bytes that fit next to the fields. One byte holds the header's
    /// length and the advertising mode.
    package static func dataLimit(_ fields: Fields) -> Int {
        PacketLength.advertisingPayloadLimit - 1 - fields.headerLength
    }

    /// The length of header and payload in bytes.
    package var length: Int { PacketLength.header + 1 + fields.headerLength + dataLength }

    /// Returns the time that the packet is on the air.
    package func airTime(_ modulation: Modulation) -> Duration {
        modulation.airTime(pduLength: length)
    }

    /// Returns the packets that carry `dataLength` bytes of data: an AUX_ADV_IND or AUX_SCAN_RSP
    /// with the fields, and AUX_CHAIN_INDs for the data that does not fit into it.
    ///
    /// Every packet except the last points to the next, and is as full as possible. A chained
    /// packet repeats the ADI if the first packet has it. The result is `nil` for more than 1,650
    /// bytes.
    package static func chain(_ fields: Fields, dataLength: Int) -> [ExtendedAdvertisingPDU]? {
        guard (0...PacketLength.extendedDataLimit).contains(dataLength) else { return nil }
        var packets: [ExtendedAdvertisingPDU] = []
        var own = fields
        var rest = dataLength
        while rest > dataLimit(own) {
            let pointing = own.union(.auxiliaryPointer)
            let part = min(rest, dataLimit(pointing))
            guard let packet = Self(pointing, dataLength: part) else { return nil }
            packets.append(packet)
            rest -= part
            own = fields.intersection(.dataInfo)
        }
        return Self(own, dataLength: rest).map { packets + [$0] }
    }
}
