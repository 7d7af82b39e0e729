// SPDX-License-Identifier: Apache-2.0
import BluetoothATT
import BluetoothTypes

extension SimpleAccessoryProfile {
    /// Returns a lamp with a battery. Its switch and its color can be read and written.
    public static func batteryLamp(name: String) -> SimpleAccessoryProfile {
        let lamp = Service(
            BluetoothUUID.example(0x1A00),
            [
                Characteristic(
                    lampSwitch,
                    [.read, .write, .writeWithoutResponse],
                    value: [0],
                    descriptors: [.userDescription("On (1) or off (0)")],
                    reaction: WriteReaction { written, values in
                        guard written.count == 1 else {
                            return .refused(.invalidAttributeValueLength)
                        }
                        guard written[0] <= 1 else { return .refused(.valueNotAllowed) }
                        values[lampSwitch] = written
                        return .accepted([])
                    }
                ),
                Characteristic(
                    lampColor,
                    [.read, .write, .writeWithoutResponse],
                    value: [0xFF, 0xD0, 0x90],
                    descriptors: [.userDescription("Red, green, blue")],
                    reaction: WriteReaction { written, values in
                        guard written.count == 3 else {
                            return .refused(.invalidAttributeValueLength)
                        }
                        values[lampColor] = written
                        return .accepted([])
                    }
                ),
            ]
        )
        return SimpleAccessoryProfile(
            name: name,
            appearance: 0x0585,  // Desk light
            services: [lamp, drainingBattery],
            advertisedServices: [BluetoothUUID(0x180F)]
        )
    }

    private static let lampSwitch = BluetoothUUID.example(0x1A01)
    private static let lampColor = BluetoothUUID.example(0x1A02)

    /// A battery whose notified level falls by one percent every ten seconds, and begins again at
    /// 100 after 0.
    private static var drainingBattery: Service {
        Service(
            BluetoothUUID(0x180F),
            [
                Characteristic(
                    BluetoothUUID(0x2A19),
                    [.read, .notify],
                    value: [100],
                    stream: ValueStream(every: .seconds(10)) { [UInt8(100 - $0 % 101)] }
                )
            ]
        )
    }
}
