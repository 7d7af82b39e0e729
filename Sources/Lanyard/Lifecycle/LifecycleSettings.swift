// SPDX-License-Identifier: Apache-2.0

/// The part of an accessory's description that affects its state machine.
struct LifecycleSettings: Equatable, Sendable {
    /// The time limits of the steps.
    var timeouts = AccessoryTimeouts()
    /// The services that the app needs.
    var services: [ServiceDescription] = []
    /// The errors of a link or a connection attempt that mean that the accessory is out of range.
    var outOfRange = OutOfRangeRule.standard
    /// The characteristic that only paired devices may read, if the accessory must be paired.
    var protected: BluetoothID?
    /// The limits for the number and the timing of connection attempts.
    var limits = ReconnectLimits()

    /// Creates settings that require only a link.
    init() {}

    /// Creates the settings from a description.
    init(_ description: AccessoryDescription) {
        timeouts = description.timeouts
        services = description.services
        outOfRange = description.outOfRange
        if case .required(let probing) = description.pairing { protected = probing }
    }

    /// The UUIDs of the services that the app needs.
    var serviceIdentifiers: Set<BluetoothID> { Set(services.map(\.identifier)) }

    /// The UUIDs of the required services. An accessory that lacks one of them is unusable.
    var requiredServices: Set<BluetoothID> {
        Set(services.lazy.filter(\.isRequired).map(\.identifier))
    }

    /// Returns the characteristics of a service that the app needs.
    func characteristics(of service: BluetoothID) -> Set<BluetoothID> {
        Set(wanted.lazy.filter { $0.path.service == service }.map(\.path.characteristic))
    }

    /// The paths of all characteristics that the app needs.
    var paths: Set<CharacteristicPath> { Set(wanted.map(\.path)) }

    /// Returns the paths of the required characteristics in these services.
    func requiredPaths(in services: Set<BluetoothID>) -> Set<CharacteristicPath> {
        Set(
            wanted.lazy
                .filter { $0.description.isRequired && services.contains($0.path.service) }
                .map(\.path)
        )
    }

    /// The paths that need a subscription.
    var subscriptions: Set<CharacteristicPath> {
        Set(wanted.lazy.filter { $0.description.roles.contains(.subscribe) }.map(\.path))
    }

    /// Returns whether a failure means that the accessory is out of range.
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
