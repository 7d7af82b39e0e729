// SPDX-License-Identifier: Apache-2.0

/// What of a description decides about an accessory's life.
struct LifecycleSettings: Equatable, Sendable {
    /// How long each step may take.
    var timeouts = AccessoryTimeouts()
    /// What is wanted of the accessory.
    var services: [ServiceDescription] = []
    /// Which ends of a link mean that the accessory is out of range.
    var outOfRange = OutOfRangeRule.standard
    /// The characteristic that only paired devices may read, if the accessory has to be paired.
    var protected: BluetoothID?
    /// How often, and after how long, it is tried again.
    var limits = ReconnectLimits()

    /// Nothing is wanted but a link.
    init() {}

    /// What an application has described.
    init(_ description: AccessoryDescription) {
        timeouts = description.timeouts
        services = description.services
        outOfRange = description.outOfRange
        if case .required(let probing) = description.pairing { protected = probing }
    }

    /// The services that are wanted.
    var serviceIdentifiers: Set<BluetoothID> { Set(services.map(\.identifier)) }

    /// The services without which an accessory is of no use.
    var requiredServices: Set<BluetoothID> {
        Set(services.lazy.filter(\.isRequired).map(\.identifier))
    }

    /// The characteristics that are wanted of a service.
    func characteristics(of service: BluetoothID) -> Set<BluetoothID> {
        Set(wanted.lazy.filter { $0.path.service == service }.map(\.path.characteristic))
    }

    /// All characteristics that are wanted.
    var paths: Set<CharacteristicPath> { Set(wanted.map(\.path)) }

    /// Those without which an accessory is of no use, if it has such a service.
    func requiredPaths(in services: Set<BluetoothID>) -> Set<CharacteristicPath> {
        Set(
            wanted.lazy
                .filter { $0.description.isRequired && services.contains($0.path.service) }
                .map(\.path)
        )
    }

    /// Those that are subscribed to.
    var subscriptions: Set<CharacteristicPath> {
        Set(wanted.lazy.filter { $0.description.roles.contains(.subscribe) }.map(\.path))
    }

    /// Whether an end of a link means that the accessory is out of range.
    func isOutOfRange(_ failure: LinkFailure) -> Bool {
        guard case .link(let code) = failure.code else { return false }
        return outOfRange.codes.contains(code)
    }

    private var wanted: [(path: CharacteristicPath, description: CharacteristicDescription)] {
        services.flatMap { service in
            service.characteristics.map {
                (CharacteristicPath(service.identifier, $0.identifier), $0)
            }
        }
    }
}
