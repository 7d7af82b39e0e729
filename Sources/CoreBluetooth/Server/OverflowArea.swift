// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes

/// The area for services that find no room in an advertisement: one bit for each, so that any number of
/// them fits, and nobody can read out of it which they are. Only who looks for a service learns that it
/// is (probably) there.
///
/// Apple's own layout is not published; this one is ours, and only managers of this package find each
/// other by it. It is manufacturer specific data of the company 0xFFFF, which belongs to nobody
/// (Assigned Numbers, 7.1), with a type octet and 112 bits. With its headers that makes 19 octets: what
/// is left of a scan response beside ten octets of name.
enum OverflowArea {
    /// The company of tests and of those who have no number.
    static let company: UInt16 = 0xFFFF
    /// Says that what follows is this area.
    static let type: UInt8 = 0x4C
    /// How many octets of bits there are.
    static let octetCount = 14
    /// What it takes in a scan response.
    static let encodedLength = 2 + 2 + 1 + octetCount

    /// The area with these services in it; nil if there are none.
    static func data(
        of services: some Collection<BluetoothUUID>
    ) -> AdvertisingData.ManufacturerData? {
        guard !services.isEmpty else { return nil }
        var bits = [UInt8](repeating: 0, count: octetCount)
        for service in services { bits[bit(of: service) / 8] |= 1 << UInt8(bit(of: service) % 8) }
        return .init(company: company, bytes: [type] + bits)
    }

    /// Which of the services an advertiser has in its area, in their order. A service that it does not
    /// have may be among them: others share its bit.
    static func matches(
        _ services: some Sequence<BluetoothUUID>,
        in data: AdvertisingData
    ) -> [BluetoothUUID] {
        guard let bits = bits(in: data) else { return [] }
        return services.filter { bits[bit(of: $0) / 8] & 1 << UInt8(bit(of: $0) % 8) != 0 }
    }

    /// Whether an advertiser has such an area: then services may be asked for that it does not list.
    static func isPresent(in data: AdvertisingData) -> Bool { bits(in: data) != nil }

    private static func bits(in data: AdvertisingData) -> [UInt8]? {
        data.allManufacturerData.first(where: isOne).map { Array($0.bytes.dropFirst()) }
    }

    /// Whether manufacturer data is such an area.
    static func isOne(_ data: AdvertisingData.ManufacturerData) -> Bool {
        data.company == company && data.bytes.count == 1 + octetCount && data.bytes.first == type
    }

    /// Which bit stands for a service: FNV-1a over its 128 bits, so that both ends find the same
    /// without having agreed on a table. (A number spread over 32 bits, taken modulo 112.)
    static func bit(of service: BluetoothUUID) -> Int {
        let hash = service.bytes128.reduce(UInt32(0x811C_9DC5)) { hash, octet in
            (hash ^ UInt32(octet)) &* 0x0100_0193
        }
        return Int(hash % UInt32(octetCount * 8))
    }
}
