// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import VirtualRadio

/// Example beacons and accessories.
public enum ExampleAccessories {
    /// The kinds that `make(kind:name:)` supports.
    public static let kinds: [String] = Kind.allCases.map(\.rawValue)

    /// Returns a new accessory or beacon of the kind; `nil` if there is no such kind.
    ///
    /// - Parameters:
    ///   - kind: One of `kinds`.
    ///   - name: The name; `nil` for the default of the kind. Beacons do not advertise a name.
    ///   - adjust: A closure that changes the profile of an accessory. It is not called for a
    ///     beacon.
    public static func make(
        kind: String,
        name: String? = nil,
        _ adjust: (inout SimpleAccessoryProfile) -> Void = { _ in }
    ) -> (any ScriptedHost)? {
        Kind(rawValue: kind)?.make(name: name, adjust)
    }

    /// Adds one device of every kind to the world, at distances of 1 to 18 meters from the origin.
    ///
    /// - Returns: The controllers, in the order of `kinds`.
    /// - Throws: ``WorldFullError`` if the world cannot have that many more controllers.
    @discardableResult
    public static func populate(_ world: World) throws(WorldFullError) -> [ControllerID] {
        try Kind.allCases.map { (kind) throws(WorldFullError) in
            let configuration = ControllerConfiguration(
                name: kind.defaultName,
                at: kind.position
            )
            return try world.addController(configuration, host: kind.make(name: nil))
        }
    }

    enum Kind: String, CaseIterable {
        case demo
        case heartRate = "heart-rate"
        case thermometer
        case batteryLamp = "battery-lamp"
        case lock
        case messageBox = "message-box"
        case beacon
        case eddystone

        var defaultName: String {
            switch self {
            case .demo: "Lanyard Demo"
            case .heartRate: "Heart Rate"
            case .thermometer: "Thermometer"
            case .batteryLamp: "Battery Lamp"
            case .lock: "Front Door"
            case .messageBox: "Message Box"
            case .beacon: "Beacon"
            case .eddystone: "Eddystone"
            }
        }

        var position: Position {
            switch self {
            case .demo: Position(x: 1, y: 0)
            case .heartRate: Position(x: 0, y: 2)
            case .thermometer: Position(x: -5, y: 3)
            case .batteryLamp: Position(x: 4, y: -7)
            case .lock: Position(x: 2, y: -3)
            case .messageBox: Position(x: -1, y: -2)
            case .beacon: Position(x: 12, y: 2)
            case .eddystone: Position(x: -14, y: -11)
            }
        }

        func make(
            name: String?,
            _ adjust: (inout SimpleAccessoryProfile) -> Void = { _ in }
        ) -> any ScriptedHost {
            switch self {
            case .beacon: return Beacon(.iBeacon(uuid: Self.owner, major: 1, minor: 7, power: -59))
            case .eddystone: return Beacon(.eddystoneURL("https://example.com/", power: -18))
            default:
                var profile = profile(name: name ?? defaultName)
                adjust(&profile)
                return SimpleAccessory(profile)
            }
        }

        private func profile(name: String) -> SimpleAccessoryProfile {
            switch self {
            case .heartRate: .heartRate(name: name)
            case .thermometer: .thermometer(name: name)
            case .batteryLamp: .batteryLamp(name: name)
            case .lock: .doorLock(name: name)
            case .messageBox: .messageBox(name: name)
            case .demo, .beacon, .eddystone: .demo(name: name)
            }
        }

        /// The UUID of the owner of the beacons. Like all UUIDs of the examples, it begins with the
        /// ASCII codes of `LANYARD`.
        private static let owner = BluetoothUUID.example(0xBEAC)
    }
}

extension BluetoothUUID {
    /// Returns a 128-bit UUID of the examples, with the number in its last 16 bits.
    static func example(_ number: UInt16) -> BluetoothUUID {
        let bytes: [UInt8] = [
            UInt8(truncatingIfNeeded: number), UInt8(number >> 8), 0, 0, 0, 0, 0x00, 0xA0,
            0x00, 0x44, 0x52, 0x41, 0x59, 0x4E, 0x41, 0x4C,
        ]
        return BluetoothUUID(littleEndian: bytes) ?? BluetoothUUID(number)
    }
}
