// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import VirtualRadio

/// The address from which a beacon or an accessory advertises.
public enum AccessoryAddress: Hashable, Sendable {
    /// The public address of the controller.
    case `public`
    /// A random static address that follows from the controller's public address, so it differs
    /// between controllers and is the same in every run.
    case randomStatic
    /// A fixed random address: static or private.
    case random(DeviceAddress)
    /// A resolvable private address that changes after each period of at least one second, so that
    /// only a bonded peer recognizes the accessory. Its identity address is a random static address
    /// that follows from the controller's public address. A beacon does not rotate its address: it
    /// advertises from that static address.
    case rotating(every: Duration)

    /// Returns the random address for a controller with that public address; `nil` if the
    /// controller's public address is used.
    func randomAddress(publicAddress: DeviceAddress?) -> DeviceAddress? {
        switch self {
        case .public: return nil
        case .random(let address): return address
        case .randomStatic, .rotating:
            // Similar public addresses give unrelated random ones.
            var generator = SplitMix64(seed: publicAddress?.value ?? 0)
            return .randomStatic(using: &generator)
        }
    }
}
