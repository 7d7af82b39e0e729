// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension SensorBeacon {
    /// The company identifier of Ruuvi Innovations (Assigned Numbers, 7.1).
    static let ruuvi: UInt16 = 0x0499

    /// Reads data format 3 or 5 of Ruuvi. Numbers have their most significant byte first.
    init?(ruuvi bytes: [UInt8]) {
        switch (bytes.first, bytes.count) {
        case (3, 14): self.init(format: .ruuvi3, measurements: Self.dataFormat3(bytes))
        case (5, 24): self.init(format: .ruuvi5, measurements: Self.dataFormat5(bytes))
        default: return nil
        }
    }

    /// Reads data format 3. Its temperature has a sign, whole degrees and hundredths.
    private static func dataFormat3(_ bytes: [UInt8]) -> [Measurement] {
        let degrees = Int(bytes[2] & 0x7F) * 100 + Int(bytes[3])
        return [
            Measurement("temperature", bytes[2] & 0x80 == 0 ? degrees : -degrees, -2, "°C"),
            Measurement("humidity", Int(bytes[1]) * 5, -1, "%"),
            Measurement("pressure", number(bytes, 4) + 50_000, 0, "Pa"),
            Measurement("acceleration x", signed(bytes, 6), -3, "g"),
            Measurement("acceleration y", signed(bytes, 8), -3, "g"),
            Measurement("acceleration z", signed(bytes, 10), -3, "g"),
            Measurement("battery", number(bytes, 12), -3, "V"),
        ]
    }

    /// Reads data format 5. The largest number, or the smallest of a signed field, means that there
    /// is no measurement.
    private static func dataFormat5(_ bytes: [UInt8]) -> [Measurement] {
        var list: [Measurement] = []
        func add(_ name: String, _ number: Int?, _ exponent: Int, _ unit: String) {
            if let number { list.append(Measurement(name, number, exponent, unit)) }
        }
        func known(_ number: Int, unless none: Int) -> Int? { number == none ? nil : number }
        add("temperature", known(signed(bytes, 1), unless: -0x8000).map { $0 * 5 }, -3, "°C")
        add("humidity", known(number(bytes, 3), unless: 0xFFFF).map { $0 * 25 }, -4, "%")
        add("pressure", known(number(bytes, 5), unless: 0xFFFF).map { $0 + 50_000 }, 0, "Pa")
        for (index, axis) in ["x", "y", "z"].enumerated() {
            let number = known(signed(bytes, 7 + index * 2), unless: -0x8000)
            add("acceleration \(axis)", number, -3, "g")
        }
        let power = number(bytes, 13)
        add("battery", known(power >> 5, unless: 0x7FF).map { $0 + 1_600 }, -3, "V")
        add("transmit power", known(power & 0x1F, unless: 0x1F).map { $0 * 2 - 40 }, 0, "dBm")
        add("movements", known(Int(bytes[15]), unless: 0xFF), 0, "")
        add("sequence number", known(number(bytes, 16), unless: 0xFFFF), 0, "")
        return list
    }

    private static func number(_ bytes: [UInt8], _ index: Int) -> Int {
        Int(bytes[index]) << 8 | Int(bytes[index + 1])
    }

    private static func signed(_ bytes: [UInt8], _ index: Int) -> Int {
        Int(Int16(truncatingIfNeeded: number(bytes, index)))
    }
}
