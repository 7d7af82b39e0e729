// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import CoreBluetooth
import VirtualAccessories

/// UUIDs of the accessories of these tests.
enum OrderingUUID {
    static let service: UInt16 = 0xFF10
    static let numbers: UInt16 = 0xFF11
    static let start: UInt16 = 0xFF12
    static let landmark: UInt16 = 0xFF30
    /// The first of those that can be written and read, one for each caller.
    static let slates: UInt16 = 0xFF20

    static func slate(_ number: Int) -> UInt16 { slates + UInt16(number) }
}

extension CBUUID {
    /// A UUID of 16 bits.
    convenience init(short: UInt16) {
        let digits = String(short, radix: 16, uppercase: true)
        self.init(string: String(repeating: "0", count: 4 - digits.count) + digits)
    }
}

extension AccessoryProfile {
    /// Counts from 0, as fast as the link takes it, to whoever is subscribed when it is told to start.
    static func counter(name: String, limit: Int) -> AccessoryProfile {
        let count = ValueStream(every: .zero, limit: limit) { octets(of: UInt32($0)) }
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

    /// Is only there to be found.
    static func landmark(name: String) -> AccessoryProfile {
        AccessoryProfile(
            name: name,
            services: [Service(BluetoothUUID(OrderingUUID.landmark), [])],
            advertisingInterval: .milliseconds(30)
        )
    }

    /// Keeps what each of several callers writes.
    static func slates(name: String, count: Int) -> AccessoryProfile {
        let slates = (0..<count).map {
            Characteristic(BluetoothUUID(OrderingUUID.slate($0)), [.read, .write, .notify])
        }
        return accessory(name, slates)
    }

    private static func accessory(
        _ name: String,
        _ characteristics: [Characteristic]
    ) -> AccessoryProfile {
        AccessoryProfile(
            name: name,
            services: [Service(BluetoothUUID(OrderingUUID.service), characteristics)],
            advertisingInterval: .milliseconds(30)
        )
    }

    /// A number as its octets, the least significant first.
    static func octets(of number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    /// The number whose octets these are.
    static func number(_ octets: some Sequence<UInt8>) -> UInt32 {
        octets.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
