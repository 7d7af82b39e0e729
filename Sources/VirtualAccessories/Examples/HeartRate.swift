// SPDX-License-Identifier: Apache-2.0
import BluetoothATT
import BluetoothTypes

extension SimpleAccessoryProfile {
    /// Returns a chest strap on a person who runs and rests (Heart Rate Service 1.0).
    public static func heartRate(name: String) -> SimpleAccessoryProfile {
        let measurement = Characteristic(
            BluetoothUUID(0x2A37),
            .notify,
            stream: ValueStream(every: .seconds(1), value: heartRateMeasurement)
        )
        return SimpleAccessoryProfile(
            name: name,
            appearance: 0x0341,  // Heart rate belt
            services: [
                Service(
                    BluetoothUUID(0x180D),
                    [
                        measurement,
                        Characteristic(BluetoothUUID(0x2A38), .read, value: [0x01]),  // Chest
                        heartRateControlPoint,
                    ]
                ),
                battery(level: 64),
            ]
        )
    }

    /// Returns the measurement of a second. The rate rises for two minutes and falls for two
    /// minutes, with a variation of a few beats. Every tenth value has the energy expended, in
    /// kilojoules. The flags report skin contact.
    private static func heartRateMeasurement(_ second: Int) -> [UInt8] {
        let phase = second % 240
        let effort = phase < 120 ? phase : 240 - phase
        let rate = UInt8(68 + effort * 2 / 3 + [0, 2, 1, 3, 1][second % 5])
        guard second % 10 == 0 else { return [0x06, rate] }
        return [0x0E, rate] + UInt16(truncatingIfNeeded: second / 6).littleEndian2
    }

    /// The control point, which accepts only the command to reset the energy expended (Heart Rate
    /// Service 1.0, 3.3).
    static let heartRateControlPoint = Characteristic(
        BluetoothUUID(0x2A39),
        .write,
        reaction: WriteReaction { written, _ in
            written == [0x01] ? .accepted([]) : .refused(ATT.ErrorCode(rawValue: 0x80))
        }
    )
}
