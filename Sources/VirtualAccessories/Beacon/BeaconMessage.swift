// SPDX-License-Identifier: Apache-2.0
import BluetoothGAP
import BluetoothTypes

/// The content of a beacon's advertisement.
public enum BeaconMessage: Hashable, Sendable {
    /// An identity in Apple's format: a UUID for the owner, two numbers for the place, and the
    /// received power at one meter, in dBm.
    case iBeacon(uuid: BluetoothUUID, major: UInt16, minor: UInt16, power: Int8)
    /// A URL in Google's format, and the received power directly at the beacon, in dBm. The URL is
    /// cut off after 17 bytes in that format's abbreviated form.
    case eddystoneURL(String, power: Int8)
    /// Only a name.
    case name(String)
    /// Any advertising data.
    case data(AdvertisingData)

    /// Apple's company identifier (Assigned Numbers, 7.1).
    private static let apple: UInt16 = 0x004C
    /// The service UUID that Google uses for Eddystone (Assigned Numbers, 3.10).
    private static let eddystone = BluetoothUUID(0xFEAA)

    /// The advertising data of the message.
    public var advertisingData: AdvertisingData {
        if case .data(let data) = self { return data }
        var builder = AdvertisingData.Builder()
        try? builder.append(flags: [.generalDiscoverable, .brEdrNotSupported])
        // The flags leave 28 of the 31 bytes. The fields of an iBeacon have 27 bytes, and those of
        // an Eddystone URL at most 4 + 24. A name is shortened if necessary.
        switch self {
        case .iBeacon(let uuid, let major, let minor, let power):
            let bytes = Self.iBeacon(uuid, major, minor, power)
            try? builder.append(manufacturerData: .init(company: Self.apple, bytes: bytes))
        case .eddystoneURL(let url, let power):
            let frame = [0x10, UInt8(bitPattern: power)] + EddystoneURL.encode(url)
            try? builder.append(serviceUUIDs: [Self.eddystone])
            try? builder.append(serviceData: frame, of: Self.eddystone)
        case .name(let name): builder.appendLocalName(name)
        case .data: break
        }
        return builder.data
    }

    /// Returns type and length, followed by all numbers with the most significant byte first.
    private static func iBeacon(
        _ uuid: BluetoothUUID,
        _ major: UInt16,
        _ minor: UInt16,
        _ power: Int8
    ) -> [UInt8] {
        let numbers = [major, minor].flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        return [0x02, 0x15] + uuid.bytes128.reversed() + numbers + [UInt8(bitPattern: power)]
    }
}

/// The abbreviated form of URLs in Eddystone-URL frames.
package enum EddystoneURL {
    /// The maximum number of bytes after the scheme.
    static let lengthLimit = 17

    /// The abbreviations. The byte of each is its index in the list.
    private static let schemes = ["http://www.", "https://www.", "http://", "https://"]
    private static let endings = [
        ".com/", ".org/", ".edu/", ".net/", ".info/", ".biz/", ".gov/",
        ".com", ".org", ".edu", ".net", ".info", ".biz", ".gov",
    ]

    /// Returns the scheme's byte, and the rest of the URL with its common endings abbreviated, up
    /// to `lengthLimit` bytes. A URL without a scheme gets https.
    static func encode(_ url: String) -> [UInt8] {
        let scheme = schemes.indices.first { url.hasPrefix(schemes[$0]) }
        var rest = scheme.map { url.dropFirst(schemes[$0].count) } ?? url[...]
        var bytes: [UInt8] = []
        while !rest.isEmpty, bytes.count < lengthLimit {
            if let ending = endings.indices.first(where: { rest.hasPrefix(endings[$0]) }) {
                bytes.append(UInt8(ending))
                rest = rest.dropFirst(endings[ending].count)
            } else {
                bytes += rest.removeFirst().utf8
            }
        }
        return [UInt8(scheme ?? 3)] + bytes.prefix(lengthLimit)
    }

    /// Returns the URL; `nil` if there is no byte, or if one of the bytes is reserved.
    package static func decode(_ bytes: ArraySlice<UInt8>) -> String? {
        guard let first = bytes.first, Int(first) < schemes.count else { return nil }
        var url = schemes[Int(first)]
        for byte in bytes.dropFirst() {
            switch Int(byte) {
            case endings.indices: url += endings[Int(byte)]
            case 0x21...0x7E: url.unicodeScalars.append(Unicode.Scalar(byte))
            default: return nil
            }
        }
        return url
    }
}
