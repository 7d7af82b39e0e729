// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// The address from which a beacon or an accessory advertises.
public enum AccessoryAddress: Hashable, Sendable {
    /// The public address of its controller.
    case `public`
    /// A random static address that follows from the controller's public one: so it is another for
    /// every controller, and the same in every run.
    case randomStatic
    /// This address: a random static one, or a private one.
    case random(DeviceAddress)

    /// The random address on a controller with that public one; nil for none.
    func randomAddress(publicAddress: DeviceAddress?) -> DeviceAddress? {
        switch self {
        case .public: return nil
        case .random(let address): return address
        case .randomStatic:
            var dice = Scatter(state: publicAddress?.value ?? 0)
            return .randomStatic(using: &dice)
        }
    }

    /// The finaliser of SplitMix64, as a generator: neighbours in, strangers out.
    private struct Scatter: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return mixed ^ mixed >> 31
        }
    }
}
