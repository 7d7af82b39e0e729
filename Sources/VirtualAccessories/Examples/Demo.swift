// SPDX-License-Identifier: Apache-2.0
import BluetoothATT
import BluetoothTypes

extension SimpleAccessoryProfile {
    /// Returns an accessory with many kinds of services, for the demo and for tests.
    public static func demo(name: String) -> SimpleAccessoryProfile {
        SimpleAccessoryProfile(
            name: name,
            services: [battery(level: 87), demoHeartRate, demoInformation, demoService],
            advertisedServices: [0x180F, 0x180D, 0x180A].map { BluetoothUUID($0) },
            manufacturerData: .init(company: 0xFFFF, bytes: Array("Lanyard".utf8)),
            advertisingInterval: .milliseconds(30)
        )
    }

    /// Returns a battery service with a level in percent, which can be read and subscribed to.
    static func battery(level: UInt8) -> Service {
        Service(
            BluetoothUUID(0x180F),
            [Characteristic(BluetoothUUID(0x2A19), [.read, .notify], value: [level])]
        )
    }

    private static var demoHeartRate: Service {
        Service(
            BluetoothUUID(0x180D),
            [
                Characteristic(
                    BluetoothUUID(0x2A37),
                    .notify,
                    stream: ValueStream(every: .milliseconds(100), value: demoBeat)
                ),
                Characteristic(BluetoothUUID(0x2A38), .read, value: [0x02]),
                heartRateControlPoint,
            ]
        )
    }

    /// Returns a heart rate that rises from 60 to 99 and then begins again at 60. Every fourth
    /// value also has the energy expended.
    private static func demoBeat(_ count: Int) -> [UInt8] {
        let rate = UInt8(60 + count % 40)
        guard count % 4 == 0 else { return [0x00, rate] }
        return [0x08, rate] + UInt16(truncatingIfNeeded: count).littleEndian2
    }

    private static var demoInformation: Service {
        Service(
            BluetoothUUID(0x180A),
            [
                Characteristic(BluetoothUUID(0x2A29), .read, value: Array("Lanyard".utf8)),
                Characteristic(BluetoothUUID(0x2A24), .read, value: Array("Demo".utf8)),
                Characteristic(BluetoothUUID(0x2A25), .read, value: Array("0001".utf8)),
                Characteristic(BluetoothUUID(0x2A26), .read, value: Array("1.2.3".utf8)),
                Characteristic(
                    BluetoothUUID(0x2A50),
                    .read,
                    value: [0x02, 0xFF, 0xFF, 1, 0, 3, 2]
                ),
            ]
        )
    }

    private static var demoService: Service {
        Service(
            DemoUUID.service,
            [
                Characteristic(DemoUUID.short, .read, value: pattern(20)),
                Characteristic(DemoUUID.long, .read, value: pattern(512)),
                Characteristic(
                    DemoUUID.writable,
                    [.read, .write, .writeWithoutResponse],
                    descriptors: [.userDescription("Writable")],
                    reaction: DemoControl.countWrites
                ),
                Characteristic(
                    DemoUUID.burst,
                    .notify,
                    descriptors: [.userDescription("Burst")]
                ),
                Characteristic(
                    DemoUUID.indicated,
                    .indicate,
                    descriptors: [.userDescription("Ticks")],
                    stream: ValueStream(every: .milliseconds(250)) {
                        UInt32(truncatingIfNeeded: $0).littleEndian4
                    }
                ),
                Characteristic(
                    DemoUUID.control,
                    [.read, .write, .writeWithoutResponse],
                    value: [0, 0, 0, 0],
                    reaction: DemoControl.perform
                ),
            ]
        )
    }

    /// Returns bytes that count upward, so that a test detects a lost or repeated part.
    static func pattern(_ count: Int) -> [UInt8] {
        (0..<max(count, 0)).map { UInt8(truncatingIfNeeded: $0) }
    }
}

/// The UUIDs of the demo's own services and characteristics.
enum DemoUUID {
    static let service = BluetoothUUID.example(0)
    static let short = BluetoothUUID.example(1)
    static let long = BluetoothUUID.example(2)
    static let writable = BluetoothUUID.example(3)
    static let burst = BluetoothUUID.example(4)
    static let indicated = BluetoothUUID.example(5)
    /// The control point: its value is the number of writes to `writable`, and it accepts commands.
    static let control = BluetoothUUID.example(6)
    static let added = BluetoothUUID.example(0x10)
    static let addedValue = BluetoothUUID.example(0x11)
}
