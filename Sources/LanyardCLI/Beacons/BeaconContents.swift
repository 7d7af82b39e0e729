// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes
import JSONText
import Lanyard
import VirtualAccessories

/// The identity or the measurements that a beacon advertises.
enum BeaconContents: Equatable, Sendable {
    /// Apple's format: the UUID of the owner, two numbers for the place, and the power that is
    /// received at one meter, in dBm.
    case iBeacon(uuid: BluetoothUUID, major: UInt16, minor: UInt16, power: Int8)
    /// Google's Eddystone-UID: 10 bytes for the owner and 6 for the beacon. The power is received
    /// at zero meters, in dBm, as in Eddystone-URL and Eddystone-EID.
    case eddystoneUID(namespace: [UInt8], instance: [UInt8], power: Int8)
    /// Google's Eddystone-URL.
    case eddystoneURL(String, power: Int8)
    /// Google's Eddystone-EID: an identifier that changes.
    case eddystoneEID([UInt8], power: Int8)
    /// Google's Eddystone-TLM: the voltage in mV, the temperature in 1/256 °C (`nil` if not
    /// measured), and the number of advertisements and the tenths of seconds since the start.
    case eddystoneTLM(millivolts: UInt16, temperature: Int16?, count: UInt32, tenths: UInt32)
    /// The format AltBeacon: the company that made the beacon, 16 bytes for the owner and 4 for the
    /// beacon, and the power that is received at one meter, in dBm. The company defines the last
    /// byte.
    case altBeacon(company: UInt16, identifier: [UInt8], power: Int8, byte: UInt8)
    /// The measurements of a sensor in the format BTHome or Ruuvi.
    case sensor(SensorBeacon)

    /// Reads the first known format in the data; `nil` if there is none. Data of manufacturers
    /// comes before data of services.
    init?(_ data: AdvertisingData) {
        let manufacturers = data.allManufacturerData.lazy.compactMap { data in
            Self(company: data.company, data.bytes)
        }
        if let beacon = manufacturers.first {
            self = beacon
        } else if let frame = data.serviceData[Self.eddystone], let beacon = Self(frame: frame) {
            self = beacon
        } else if let bytes = data.serviceData[SensorBeacon.bthome],
            let sensor = SensorBeacon(bthome: bytes)
        {
            self = .sensor(sensor)
        } else {
            return nil
        }
    }

    /// Reads the data of a manufacturer.
    private init?(company: UInt16, _ bytes: [UInt8]) {
        if company == Self.apple, let beacon = Self(iBeacon: bytes) {
            self = beacon
        } else if company == SensorBeacon.ruuvi, let sensor = SensorBeacon(ruuvi: bytes) {
            self = .sensor(sensor)
        } else if let beacon = Self(altBeacon: bytes, company: company) {
            self = beacon
        } else {
            return nil
        }
    }

    /// Reads AltBeacon 1.0: the code BE AC, 20 bytes of identifier, the power, and a byte of the
    /// company.
    private init?(altBeacon bytes: [UInt8], company: UInt16) {
        guard bytes.count == 24, bytes[0] == 0xBE, bytes[1] == 0xAC else { return nil }
        self = .altBeacon(
            company: company,
            identifier: Array(bytes[2..<22]),
            power: Int8(bitPattern: bytes[22]),
            byte: bytes[23]
        )
    }

    /// Apple's company identifier (Assigned Numbers, 7.1).
    private static let apple: UInt16 = 0x004C
    /// The service UUID of Eddystone (Assigned Numbers, 3.10).
    private static let eddystone = BluetoothUUID(0xFEAA)

    /// Reads an iBeacon, whose numbers have their most significant byte first.
    private init?(iBeacon bytes: [UInt8]) {
        guard bytes.count == 23, bytes[0] == 0x02, bytes[1] == 0x15,
            let uuid = BluetoothUUID(littleEndian: bytes[2..<18].reversed())
        else { return nil }
        self = .iBeacon(
            uuid: uuid,
            major: UInt16(Self.number(bytes[18..<20])),
            minor: UInt16(Self.number(bytes[20..<22])),
            power: Int8(bitPattern: bytes[22])
        )
    }

    private init?(frame: [UInt8]) {
        guard frame.count >= 2 else { return nil }
        let power = Int8(bitPattern: frame[1])
        switch frame[0] {
        case 0x00 where frame.count >= 18:
            self = .eddystoneUID(
                namespace: Array(frame[2..<12]),
                instance: Array(frame[12..<18]),
                power: power
            )
        case 0x10:
            guard let url = EddystoneURL.decode(frame[2...]) else { return nil }
            self = .eddystoneURL(url, power: power)
        case 0x20 where frame.count >= 14 && frame[1] == 0:
            let temperature = UInt16(Self.number(frame[4..<6]))
            self = .eddystoneTLM(
                millivolts: UInt16(Self.number(frame[2..<4])),
                temperature: temperature == 0x8000 ? nil : Int16(bitPattern: temperature),
                count: Self.number(frame[6..<10]),
                tenths: Self.number(frame[10..<14])
            )
        case 0x30 where frame.count >= 10: self = .eddystoneEID(Array(frame[2..<10]), power: power)
        default: return nil
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }
}

extension BeaconContents {
    /// The contents on one line, safe to print.
    var text: String {
        switch self {
        case .altBeacon(_, let identifier, _, _):
            "AltBeacon \(identifier[..<16].hexadecimal) \(identifier[16...].hexadecimal)"
        case .sensor(let sensor): sensor.text
        case .iBeacon(let uuid, let major, let minor, _):
            "iBeacon \(uuid.text128) \(major) \(minor)"
        case .eddystoneUID(let namespace, let instance, _):
            "Eddystone \(namespace.hexadecimal) \(instance.hexadecimal)"
        case .eddystoneURL(let url, _): "Eddystone \(TerminalText.escape(url))"
        case .eddystoneEID(let identifier, _): "Eddystone EID \(identifier.hexadecimal)"
        case .eddystoneTLM(let millivolts, let temperature, _, let tenths):
            "Eddystone \(millivolts) mV"
                + (temperature.map { ", \(Self.degrees($0)) °C" } ?? "")
                + ", on for \(tenths / 10) s"
        }
    }

    private static func degrees(_ temperature: Int16) -> String {
        DecimalText.describe(Int((Double(temperature) / 25.6).rounded()), exponent: -1)
    }

    /// The contents as a JSON object.
    var json: JSON {
        switch self {
        case .altBeacon(let company, let identifier, let power, let byte):
            Self.object(
                "altBeacon",
                .init("company", .integer(Int(company))),
                .init("identifier", .bytes(identifier)),
                .init("power", .integer(Int(power))),
                .init("companyByte", .integer(Int(byte)))
            )
        case .sensor(let sensor): sensor.json
        case .iBeacon(let uuid, let major, let minor, let power):
            Self.object(
                "iBeacon",
                .init("uuid", .string(uuid.text128)),
                .init("major", .integer(Int(major))),
                .init("minor", .integer(Int(minor))),
                .init("power", .integer(Int(power)))
            )
        case .eddystoneUID(let namespace, let instance, let power):
            Self.object(
                "eddystoneUID",
                .init("namespace", .bytes(namespace)),
                .init("instance", .bytes(instance)),
                .init("power", .integer(Int(power)))
            )
        case .eddystoneURL(let url, let power):
            Self.object(
                "eddystoneURL",
                .init("url", .string(url)),
                .init("power", .integer(Int(power)))
            )
        case .eddystoneEID(let identifier, let power):
            Self.object(
                "eddystoneEID",
                .init("identifier", .bytes(identifier)),
                .init("power", .integer(Int(power)))
            )
        case .eddystoneTLM(let millivolts, let temperature, let count, let tenths):
            Self.object(
                "eddystoneTLM",
                .init("millivolts", .integer(Int(millivolts))),
                .init("temperature", .string(orNull: temperature.map(Self.degrees))),
                .init("advertisements", .integer(Int(count))),
                .init("seconds", .integer(Int(tenths / 10)))
            )
        }
    }

    private static func object(_ type: String, _ members: JSON.Member...) -> JSON {
        .object([.init("type", .string(type))] + members)
    }
}

extension BluetoothUUID {
    /// The text with 32 digits, even if the UUID has a shorter form.
    var text128: String {
        let digits = Array(bytes128.reversed().hexadecimal.uppercased())
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
            .joined(separator: "-")
    }
}
