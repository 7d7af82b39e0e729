// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension SensorBeacon {
    /// The service UUID of BTHome (Assigned Numbers, 3.10).
    static let bthome = BluetoothUUID(0xFCD2)

    /// Reads version 2 of BTHome: a byte of information about the device, then objects with the
    /// least significant byte first. An unknown object ends the list, because its size is not
    /// known.
    init?(bthome bytes: [UInt8]) {
        guard let information = bytes.first, information >> 5 == 2 else { return nil }
        guard information & 1 == 0 else {
            self.init(format: .bthome, isEncrypted: true, measurements: [])
            return
        }
        var list: [Measurement] = []
        var rest = bytes.dropFirst()
        while let identifier = rest.popFirst() {
            guard let object = BTHomeObject.known[identifier] else { break }
            guard let measurement = object.read(&rest) else { return nil }
            list.append(measurement)
        }
        self.init(format: .bthome, measurements: list)
    }
}

/// An object of BTHome: the name and the layout of one measurement.
struct BTHomeObject: Sendable {
    enum Kind: Sendable {
        /// A number of this many bytes, times `factor` and 10 to the power of `exponent`.
        case number(bytes: Int, isSigned: Bool, factor: Int, exponent: Int, unit: String)
        /// A byte that is 0 or 1, with a word for each.
        case state(off: String, on: String)
        /// A byte with a word for each number.
        case event([UInt8: String])
        /// A byte with a word for each number, and a byte with a number of steps.
        case steps([UInt8: String])
        /// A byte with the length, and as many bytes of text.
        case text
        /// A byte with the length, and as many bytes.
        case bytes
        /// Bytes of a version, the last first.
        case version(bytes: Int)
    }

    let name: String
    let kind: Kind

    /// Reads the object after its identifier; `nil` if bytes are missing.
    func read(_ rest: inout ArraySlice<UInt8>) -> SensorBeacon.Measurement? {
        switch kind {
        case .number(let count, let isSigned, let factor, let exponent, let unit):
            guard let bytes = Self.take(count, from: &rest) else { return nil }
            let bits = bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
            let shift = Int.bitWidth - count * 8
            let number = isSigned ? (bits << shift) >> shift : bits
            return SensorBeacon.Measurement(name, number * factor, exponent, unit)
        case .state(let off, let on):
            return Self.take(1, from: &rest).map {
                SensorBeacon.Measurement(name, $0 == [0] ? off : on)
            }
        case .event(let words):
            return Self.take(1, from: &rest).map {
                SensorBeacon.Measurement(name, Self.word($0[0], words))
            }
        case .steps(let words):
            return Self.take(2, from: &rest).map {
                SensorBeacon.Measurement(name, "\(Self.word($0[0], words)) \($0[1])")
            }
        case .text:
            guard let bytes = Self.takeCounted(from: &rest) else { return nil }
            return SensorBeacon.Measurement(name, "\"\(TerminalText.escape(utf8: bytes))\"")
        case .bytes:
            return Self.takeCounted(from: &rest).map {
                SensorBeacon.Measurement(name, $0.hexadecimal)
            }
        case .version(let count):
            return Self.take(count, from: &rest)
                .map {
                    SensorBeacon.Measurement(
                        name,
                        $0.reversed().map(String.init).joined(separator: ".")
                    )
                }
        }
    }

    private static func word(_ number: UInt8, _ words: [UInt8: String]) -> String {
        words[number] ?? "event \(number)"
    }

    private static func takeCounted(from rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard let count = rest.popFirst() else { return nil }
        return take(Int(count), from: &rest)
    }

    private static func take(_ count: Int, from rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }
}

extension BTHomeObject {
    /// The objects of the format by their identifier (BTHome v2, "Sensor data").
    static let known: [UInt8: BTHomeObject] = {
        var known = numbers
        for (identifier, name, off, on) in states {
            known[identifier] = BTHomeObject(name: name, kind: .state(off: off, on: on))
        }
        known[0x3A] = BTHomeObject(name: "button", kind: .event(presses))
        known[0x3C] = BTHomeObject(name: "dimmer", kind: .steps(turns))
        known[0x53] = BTHomeObject(name: "text", kind: .text)
        known[0x54] = BTHomeObject(name: "raw", kind: .bytes)
        known[0xF1] = BTHomeObject(name: "firmware", kind: .version(bytes: 4))
        known[0xF2] = BTHomeObject(name: "firmware", kind: .version(bytes: 3))
        return known
    }()

    private static let presses: [UInt8: String] = [
        0x00: "none", 0x01: "press", 0x02: "double press", 0x03: "triple press",
        0x04: "long press", 0x05: "long double press", 0x06: "long triple press",
        0x80: "hold press",
    ]

    private static let turns: [UInt8: String] = [0: "none", 1: "left", 2: "right"]

    private static let numbers: [UInt8: BTHomeObject] = {
        let rows: [(UInt8, String, Int, Int, String)] = [
            (0x00, "packet", 1, 0, ""), (0x01, "battery", 1, 0, "%"),
            (0x02, "temperature", -2, -2, "°C"), (0x03, "humidity", 2, -2, "%"),
            (0x04, "pressure", 3, -2, "hPa"), (0x05, "illuminance", 3, -2, "lx"),
            (0x06, "mass", 2, -2, "kg"), (0x07, "mass", 2, -2, "lb"),
            (0x08, "dew point", -2, -2, "°C"), (0x09, "count", 1, 0, ""),
            (0x0A, "energy", 3, -3, "kWh"), (0x0B, "power", 3, -2, "W"),
            (0x0C, "voltage", 2, -3, "V"), (0x0D, "PM2.5", 2, 0, "µg/m³"),
            (0x0E, "PM10", 2, 0, "µg/m³"), (0x12, "CO2", 2, 0, "ppm"),
            (0x13, "volatile organic compounds", 2, 0, "µg/m³"), (0x14, "moisture", 2, -2, "%"),
            (0x2E, "humidity", 1, 0, "%"), (0x2F, "moisture", 1, 0, "%"), (0x3D, "count", 2, 0, ""),
            (0x3E, "count", 4, 0, ""), (0x3F, "rotation", -2, -1, "°"),
            (0x40, "distance", 2, 0, "mm"), (0x41, "distance", 2, -1, "m"),
            (0x42, "duration", 3, -3, "s"), (0x43, "current", 2, -3, "A"),
            (0x44, "speed", 2, -2, "m/s"), (0x45, "temperature", -2, -1, "°C"),
            (0x46, "UV index", 1, -1, ""), (0x47, "volume", 2, -1, "L"),
            (0x48, "volume", 2, 0, "mL"), (0x49, "volume flow", 2, -3, "m³/h"),
            (0x4A, "voltage", 2, -1, "V"), (0x4B, "gas", 3, -3, "m³"), (0x4C, "gas", 4, -3, "m³"),
            (0x4D, "energy", 4, -3, "kWh"), (0x4E, "volume", 4, -3, "L"),
            (0x4F, "water", 4, -3, "L"), (0x50, "time", 4, 0, "s since 1970"),
            (0x51, "acceleration", 2, -3, "m/s²"), (0x52, "rotation", 2, -3, "°/s"),
            (0x55, "stored volume", 4, -3, "L"), (0x56, "conductivity", 2, 0, "µS/cm"),
            (0x57, "temperature", -1, 0, "°C"), (0x59, "count", -1, 0, ""),
            (0x5A, "count", -2, 0, ""), (0x5B, "count", -4, 0, ""), (0x5C, "power", -4, -2, "W"),
            (0x5D, "current", -2, -3, "A"), (0x5E, "direction", 2, -2, "°"),
            (0x5F, "precipitation", 2, -1, "mm"), (0x60, "channel", 1, 0, ""),
            (0x61, "rotational speed", 2, 0, "rpm"), (0x62, "speed", -4, -6, "m/s"),
            (0x63, "acceleration", -4, -6, "m/s²"), (0xF0, "device type", 2, 0, ""),
        ]
        var known: [UInt8: BTHomeObject] = [:]
        for (identifier, name, size, exponent, unit) in rows {
            known[identifier] = BTHomeObject(
                name: name,
                kind: .number(
                    bytes: abs(size),
                    isSigned: size < 0,
                    factor: 1,
                    exponent: exponent,
                    unit: unit
                )
            )
        }
        known[0x58] = BTHomeObject(
            name: "temperature",
            kind: .number(bytes: 1, isSigned: true, factor: 35, exponent: -2, unit: "°C")
        )
        return known
    }()

    private static let states: [(UInt8, String, String, String)] = [
        (0x0F, "state", "off", "on"), (0x10, "power", "off", "on"),
        (0x11, "opening", "closed", "open"), (0x15, "battery", "normal", "low"),
        (0x16, "battery", "not charging", "charging"),
        (0x17, "carbon monoxide", "clear", "detected"), (0x18, "cold", "no", "yes"),
        (0x19, "connectivity", "disconnected", "connected"), (0x1A, "door", "closed", "open"),
        (0x1B, "garage door", "closed", "open"), (0x1C, "gas", "clear", "detected"),
        (0x1D, "heat", "no", "yes"), (0x1E, "light", "none", "detected"),
        (0x1F, "lock", "locked", "unlocked"), (0x20, "moisture", "dry", "wet"),
        (0x21, "motion", "clear", "detected"), (0x22, "moving", "no", "yes"),
        (0x23, "occupancy", "clear", "detected"), (0x24, "plug", "unplugged", "plugged in"),
        (0x25, "presence", "away", "home"), (0x26, "problem", "no", "yes"),
        (0x27, "running", "no", "yes"), (0x28, "safety", "unsafe", "safe"),
        (0x29, "smoke", "clear", "detected"), (0x2A, "sound", "clear", "detected"),
        (0x2B, "tamper", "no", "yes"), (0x2C, "vibration", "clear", "detected"),
        (0x2D, "window", "closed", "open"),
    ]
}
