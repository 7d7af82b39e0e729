// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// The area for services that do not fit into an advertisement. Each service sets one bit, so that
/// the area holds any number of services, and their UUIDs cannot be read from it. A scan for a
/// service finds that the service is probably there.
///
/// Apple does not publish the layout of its area. This layout is specific to this package, and only
/// managers of this package find each other by it. The area is manufacturer specific data with the
/// company identifier 0xFFFF, which is not assigned (Assigned Numbers, 7.1), a type byte and 112
/// bits. With its headers it has 19 bytes: the space that is left in a scan response with a name of
/// ten bytes.
package enum OverflowArea {
    /// The company identifier for tests and for vendors without one.
    static let company: UInt16 = 0xFFFF
    /// The type byte that identifies the area.
    static let type: UInt8 = 0x4C
    /// The length of the bits, in bytes.
    static let byteCount = 14
    /// The length of the area in a scan response, in bytes.
    static let encodedLength = 2 + 2 + 1 + byteCount

    /// Returns the area for these services; `nil` if there are none.
    static func data(
        of services: some Collection<BluetoothUUID>
    ) -> AdvertisingData.ManufacturerData? {
        guard !services.isEmpty else { return nil }
        var bits = [UInt8](repeating: 0, count: byteCount)
        for service in services { bits[bit(of: service) / 8] |= 1 << UInt8(bit(of: service) % 8) }
        return .init(company: company, bytes: [type] + bits)
    }

    /// Returns the services whose bits are set in an advertiser's area, in the given order. The
    /// result may contain services that the advertiser does not have, because services share bits.
    static func matches(
        _ services: some Sequence<BluetoothUUID>,
        in data: AdvertisingData
    ) -> [BluetoothUUID] {
        guard let bits = bits(in: data) else { return [] }
        return services.filter { bits[bit(of: $0) / 8] & 1 << UInt8(bit(of: $0) % 8) != 0 }
    }

    /// Returns whether an advertiser has an area, and thus may have services that it does not list.
    static func isPresent(in data: AdvertisingData) -> Bool { bits(in: data) != nil }

    private static func bits(in data: AdvertisingData) -> [UInt8]? {
        data.allManufacturerData.first(where: isOverflowArea).map { Array($0.bytes.dropFirst()) }
    }

    /// Returns whether manufacturer data is an overflow area.
    package static func isOverflowArea(_ data: AdvertisingData.ManufacturerData) -> Bool {
        data.company == company && data.bytes.count == 1 + byteCount && data.bytes.first == type
    }

    /// Returns the bit of a service: the 32-bit FNV-1a hash of its 128 bits, modulo 112.
    static func bit(of service: BluetoothUUID) -> Int {
        let hash = service.bytes128.reduce(UInt32(0x811C_9DC5)) { hash, byte in
            (hash ^ UInt32(byte)) &* 0x0100_0193
        }
        return Int(hash % UInt32(byteCount * 8))
    }
}
