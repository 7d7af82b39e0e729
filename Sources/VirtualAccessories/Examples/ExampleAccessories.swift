// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import VirtualRadio

/// Beacons and accessories to try things out with.
public enum ExampleAccessories {
    /// What there is: the kinds that `make(kind:name:)` knows.
    public static let kinds: [String] = Kind.allCases.map(\.rawValue)

    /// A new one of a kind; nil if there is no such kind. Without a name it has its kind's own. The
    /// beacons tell no name.
    ///
    /// - Parameter adjust: Changes what the accessory is, unless it is a beacon.
    public static func make(
        kind: String,
        name: String? = nil,
        _ adjust: (inout AccessoryProfile) -> Void = { _ in }
    ) -> (any ScriptedHost)? {
        Kind(rawValue: kind)?.make(name: name, adjust)
    }

    /// Puts one of every kind into the world, each somewhere else: from an arm's length off the
    /// origin to the other end of the house. Returns their controllers, in the order of `kinds`.
    ///
    /// - Throws: If the world has no room for all.
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
            _ adjust: (inout AccessoryProfile) -> Void = { _ in }
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

        private func profile(name: String) -> AccessoryProfile {
            switch self {
            case .heartRate: .heartRate(name: name)
            case .thermometer: .thermometer(name: name)
            case .batteryLamp: .batteryLamp(name: name)
            case .lock: .doorLock(name: name)
            case .messageBox: .messageBox(name: name)
            case .demo, .beacon, .eddystone: .demo(name: name)
            }
        }

        /// Whose beacons these are: "LANYARD" and zeros, as in all UUIDs of the examples.
        private static let owner = BluetoothUUID.example(0xBEAC)
    }
}

extension BluetoothUUID {
    /// A 128-bit UUID of the examples; the number fills its last 16 bits.
    static func example(_ number: UInt16) -> BluetoothUUID {
        let octets: [UInt8] = [
            UInt8(truncatingIfNeeded: number), UInt8(number >> 8), 0, 0, 0, 0, 0x00, 0xA0,
            0x00, 0x44, 0x52, 0x41, 0x59, 0x4E, 0x41, 0x4C,
        ]
        return BluetoothUUID(littleEndian: octets) ?? BluetoothUUID(number)
    }
}
