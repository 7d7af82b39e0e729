// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension PHY: HCIParameters {}

/// The PHY of an optional packet, encoded as 0 if there was no packet (Vol 4, Part E, 7.7.65.13).
extension Optional: HCIParameters where Wrapped == PHY {
    package init(from reader: inout ByteReader) throws(MalformedBytes) {
        let phy: PHY = try reader.decode()
        self = phy.rawValue == 0 ? nil : phy
    }

    package func encodeParameters(into writer: inout ByteWriter) {
        writer.encode(self ?? PHY(rawValue: 0))
    }
}

extension HCI {
    /// A set of PHYs (Vol 4, Part E, 7.8.48).
    package struct PHYSet: BitSet {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let le1M = PHYSet(rawValue: 1 << 0)
        package static let le2M = PHYSet(rawValue: 1 << 1)
        package static let coded = PHYSet(rawValue: 1 << 2)

        package static let bitNames: [UInt8: String] = [1: "1M", 2: "2M", 4: "Coded"]
    }

    /// The PHYs that a host prefers for each direction, or `nil` for no preference (Vol 4, Part E,
    /// 7.8.48).
    package struct PHYPreference: Hashable, HCIParameters {
        package var transmit: PHYSet?
        package var receive: PHYSet?

        private static let noTransmitPreference: UInt8 = 1 << 0
        private static let noReceivePreference: UInt8 = 1 << 1

        package init(transmit: PHYSet?, receive: PHYSet?) {
            self.transmit = transmit
            self.receive = receive
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            let indifference = try reader.readUInt8()
            let transmit: PHYSet = try reader.decode()
            let receive: PHYSet = try reader.decode()
            self.transmit = indifference & Self.noTransmitPreference == 0 ? transmit : nil
            self.receive = indifference & Self.noReceivePreference == 0 ? receive : nil
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            var indifference: UInt8 = 0
            if transmit == nil { indifference |= Self.noTransmitPreference }
            if receive == nil { indifference |= Self.noReceivePreference }
            writer.encode(indifference, transmit ?? [], receive ?? [])
        }
    }

    /// Parameters for each used PHY, encoded as a set of PHYs and one group of parameters for each
    /// member of the set (Vol 4, Part E, 7.8.64 and 7.8.66).
    package struct PerPHY<Parameters: HCIParameters>: HCIParameters {
        package var le1M: Parameters?
        package var le2M: Parameters?
        package var coded: Parameters?

        package init(le1M: Parameters? = nil, le2M: Parameters? = nil, coded: Parameters? = nil) {
            self.le1M = le1M
            self.le2M = le2M
            self.coded = coded
        }

        /// The PHYs that have parameters.
        package var phys: PHYSet {
            var phys: PHYSet = []
            if le1M != nil { phys.insert(.le1M) }
            if le2M != nil { phys.insert(.le2M) }
            if coded != nil { phys.insert(.coded) }
            return phys
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            let phys: PHYSet = try reader.decode()
            guard phys.isSubset(of: [.le1M, .le2M, .coded]) else { throw .invalid(field: "PHYs") }
            if phys.contains(.le1M) { le1M = try reader.decode() }
            if phys.contains(.le2M) { le2M = try reader.decode() }
            if phys.contains(.coded) { coded = try reader.decode() }
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(phys)
            for parameters in [le1M, le2M, coded] {
                parameters?.encodeParameters(into: &writer)
            }
        }
    }
}
