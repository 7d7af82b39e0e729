// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

extension SimpleAccessoryProfile {
    /// Returns a sensor on a shelf with temperature, humidity and pressure (Environmental Sensing
    /// 1.0).
    public static func thermometer(name: String) -> SimpleAccessoryProfile {
        let environment = Service(
            BluetoothUUID(0x181A),
            [
                Characteristic(
                    BluetoothUUID(0x2A6E),
                    [.read, .notify],
                    value: temperature(0),
                    descriptors: [.userDescription("On the shelf")],
                    stream: ValueStream(every: .seconds(2), value: temperature)
                ),
                Characteristic(
                    BluetoothUUID(0x2A6F),
                    [.read, .notify],
                    value: humidity(0),
                    stream: ValueStream(every: .seconds(5), value: humidity)
                ),
                Characteristic(
                    BluetoothUUID(0x2A6D),
                    .read,
                    value: UInt32(1_013_250).littleEndian4  // 1013.25 hPa, in tenths of a pascal
                ),
            ]
        )
        return SimpleAccessoryProfile(
            name: name,
            appearance: 0x0300,  // Thermometer
            services: [environment, battery(level: 91)]
        )
    }

    /// Returns hundredths of a degree Celsius: 21.50 with a slow rise and fall of half a degree.
    private static func temperature(_ count: Int) -> [UInt8] {
        (2150 + triangleWave(count, height: 50)).littleEndian2
    }

    /// Returns hundredths of a percent: 45.00 with a rise and fall of two.
    private static func humidity(_ count: Int) -> [UInt8] {
        (4500 + triangleWave(count, height: 200)).littleEndian2
    }

    /// Returns a value that rises from 0 to the height and falls back, in 40 steps.
    private static func triangleWave(_ count: Int, height: Int) -> Int {
        let phase = count % 40
        return height * (phase < 20 ? phase : 40 - phase) / 20
    }
}
