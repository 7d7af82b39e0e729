// SPDX-License-Identifier: Apache-2.0

/// A packet with the common extended advertising payload (Vol 6, Part B, 2.3.4): ADV_EXT_IND, and
/// all that follows it on the secondary channels, but for AUX_SCAN_REQ and AUX_CONNECT_REQ, which
/// have the length of their legacy twins.
package struct ExtendedAdvertisingPDU: Hashable, Sendable {
    /// The optional fields of the extended header.
    package struct Fields: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        /// The fields whose bits are set, numbered as in the header's flags.
        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// AdvA, the advertiser's address: 6 octets.
        package static let advertiserAddress = Fields(rawValue: 1 << 0)
        /// TargetA, whom it is for: 6 octets.
        package static let targetAddress = Fields(rawValue: 1 << 1)
        /// CTEInfo, that a constant tone follows: 1 octet.
        package static let constantToneInfo = Fields(rawValue: 1 << 2)
        /// ADI, which set and which data: 2 octets.
        package static let dataInfo = Fields(rawValue: 1 << 3)
        /// AuxPtr, where and when the next packet is: 3 octets.
        package static let auxiliaryPointer = Fields(rawValue: 1 << 4)
        /// SyncInfo, where the periodic train is: 18 octets.
        package static let syncInfo = Fields(rawValue: 1 << 5)
        /// TxPower: 1 octet.
        package static let transmitPower = Fields(rawValue: 1 << 6)

        private static let sizes: [(field: Fields, length: Int)] = [
            (.advertiserAddress, 6), (.targetAddress, 6), (.constantToneInfo, 1), (.dataInfo, 2),
            (.auxiliaryPointer, 3), (.syncInfo, 18), (.transmitPower, 1),
        ]

        /// How many octets the extended header has: its flags, if there is any field, and these.
        var headerLength: Int {
            Self.sizes.reduce(isEmpty ? 0 : 1) { contains($1.field) ? $0 + $1.length : $0 }
        }
    }

    /// Which fields the extended header has.
    package let fields: Fields
    /// How many octets of advertising data follow it.
    package let dataLength: Int

    /// The packet with these fields and so much data; nil if that is more than fits.
    package init?(_ fields: Fields, dataLength: Int = 0) {
        guard (0...Self.dataLimit(fields)).contains(dataLength) else { return nil }
        self.fields = fields
        self.dataLength = dataLength
    }

    /// How much data fits beside the fields. One octet has the header's length and the mode.
    package static func dataLimit(_ fields: Fields) -> Int {
        PacketLength.advertisingPayloadLimit - 1 - fields.headerLength
    }

    /// How many octets header and payload are.
    package var length: Int { PacketLength.header + 1 + fields.headerLength + dataLength }

    /// How long the packet is on the air.
    package func airTime(_ modulation: Modulation) -> Duration {
        modulation.airTime(pduLength: length)
    }

    /// AUX_ADV_IND or AUX_SCAN_RSP with the fields, and the AUX_CHAIN_INDs that carry what does
    /// not fit into it. Every packet but the last points to the next; a chained one repeats the
    /// ADI if the first has it. Each is as full as can be. Nil for more than 1,650 octets.
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
