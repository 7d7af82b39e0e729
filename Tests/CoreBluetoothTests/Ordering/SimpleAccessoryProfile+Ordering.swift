// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import CoreBluetooth
import VirtualAccessories

/// The UUIDs of the accessories of these tests.
enum OrderingUUID {
    static let service: UInt16 = 0xFF10
    static let numbers: UInt16 = 0xFF11
    static let start: UInt16 = 0xFF12
    static let landmark: UInt16 = 0xFF30
    /// The first UUID of the characteristics that can be read and written. Each caller has its own.
    static let slates: UInt16 = 0xFF20

    static func slate(_ number: Int) -> UInt16 { slates + UInt16(number) }
}

extension CBUUID {
    convenience init(short: UInt16) {
        let digits = String(short, radix: 16, uppercase: true)
        self.init(string: String(repeating: "0", count: 4 - digits.count) + digits)
    }
}

extension SimpleAccessoryProfile {
    /// Returns an accessory that counts from 0, as fast as the link accepts values, for the
    /// centrals that are subscribed when the start value is written.
    static func counter(name: String, limit: Int) -> SimpleAccessoryProfile {
        let count = ValueStream(every: .zero, limit: limit) { bytes(of: UInt32($0)) }
        let start = Characteristic(
            BluetoothUUID(OrderingUUID.start),
            .write,
            reaction: WriteReaction { _, _ in
                .accepted([.send(count, of: BluetoothUUID(OrderingUUID.numbers))])
            }
        )
        let numbers = Characteristic(BluetoothUUID(OrderingUUID.numbers), .notify)
        return accessory(name, [numbers, start])
    }

    /// Returns an accessory that is only discovered.
    static func landmark(name: String) -> SimpleAccessoryProfile {
        SimpleAccessoryProfile(
            name: name,
            services: [Service(BluetoothUUID(OrderingUUID.landmark), [])],
            advertisingInterval: .milliseconds(30)
        )
    }

    /// Returns an accessory with a value for each of several callers. A value can be read and
    /// written.
    static func slates(name: String, count: Int) -> SimpleAccessoryProfile {
        let slates = (0..<count).map {
            Characteristic(BluetoothUUID(OrderingUUID.slate($0)), [.read, .write, .notify])
        }
        return accessory(name, slates)
    }

    private static func accessory(
        _ name: String,
        _ characteristics: [Characteristic]
    ) -> SimpleAccessoryProfile {
        SimpleAccessoryProfile(
            name: name,
            services: [Service(BluetoothUUID(OrderingUUID.service), characteristics)],
            advertisingInterval: .milliseconds(30)
        )
    }

    /// Returns the bytes of a number, least significant byte first.
    static func bytes(of number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    /// Returns the number with these bytes.
    static func number(_ bytes: some Sequence<UInt8>) -> UInt32 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
