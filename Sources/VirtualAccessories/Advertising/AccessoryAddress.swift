// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import VirtualRadio

/// The address from which a beacon or an accessory advertises.
public enum AccessoryAddress: Hashable, Sendable {
    /// The public address of its controller.
    case `public`
    /// A random static address that follows from the controller's public one: so it is another for
    /// every controller, and the same in every run.
    case randomStatic
    /// This address: a random static one, or a private one.
    case random(DeviceAddress)
    /// A resolvable private address, and a new one after each such time: only who is bonded knows it
    /// again. The identity address behind it is a random static one, which follows from the controller.
    case rotating(every: Duration)

    /// The random address on a controller with that public one; nil for none.
    func randomAddress(publicAddress: DeviceAddress?) -> DeviceAddress? {
        switch self {
        case .public: return nil
        case .random(let address): return address
        case .randomStatic, .rotating:
            // Neighbours in, strangers out.
            var dice = SplitMix64(seed: publicAddress?.value ?? 0)
            return .randomStatic(using: &dice)
        }
    }
}
