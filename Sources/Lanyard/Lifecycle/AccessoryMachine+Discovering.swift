// SPDX-License-Identifier: Apache-2.0

// From a link to the discovered services and characteristics.
extension AccessoryMachine {
    /// Discovers the services and characteristics of the description, unless they are known.
    func explore(_ peripheral: Peripheral, _ known: Set<CharacteristicPath>) -> Decision {
        let found = known.intersection(settings.paths)
        let isComplete = found == settings.paths || found == knownBefore
        if settings.services.isEmpty || (isComplete && !found.isEmpty) {
            return continueAfterDiscovery(peripheral, fresh(found), because: .databaseKnown)
        }
        let nothing = Link(found: [], unconfirmed: [])
        return discover(peripheral, keeping: nothing, because: .linked)
    }

    /// Returns a link with these characteristics and no confirmed subscription.
    private func fresh(_ found: Set<CharacteristicPath>) -> Link {
        Link(found: found, unconfirmed: settings.subscriptions.intersection(found))
    }

    func discover(
        _ peripheral: Peripheral,
        within running: Countdown? = nil,
        keeping link: Link,
        because reason: ChangeReason
    ) -> Decision {
        let countdown = running ?? countdown(settings.timeouts.discovering)
        return .move(
            .discoveringServices(peripheral, countdown, keeping: link),
            reason,
            [.discoverServices(peripheral, missingServices(of: link))]
        )
    }

    private func missingServices(of link: Link) -> Set<BluetoothID> {
        settings.serviceIdentifiers.subtracting(link.found.map(\.service))
    }

    func servicesDiscovered(_ services: Set<BluetoothID>) -> Decision {
        switch state {
        case .discoveringServices(let peripheral, _, let link):
            return servicesDiscovered(services, peripheral, link)
        case .subscribing(let peripheral, _, let link), .connected(let peripheral, _, let link),
            .ready(let peripheral, let link):
            return servicesAdded(services, peripheral, link)
        case .discoveringCharacteristics(let peripheral, let countdown, var discovery):
            // Services were added after an earlier discovery, whose answer came first.
            let added = described(missingServices(of: discovery.link).intersection(services))
                .subtracting(discovery.awaiting)
            guard !added.isEmpty else { return .ignore }
            discovery.awaiting.formUnion(added)
            return .note(
                .discoveringCharacteristics(peripheral, countdown, discovery),
                characteristicDiscoveries(of: added, peripheral)
            )
        case .unavailable, .restoring, .retrieving, .idle, .scanning, .connecting, .outOfRange,
            .disconnecting:
            return .ignore
        }
    }

    private func servicesDiscovered(
        _ services: Set<BluetoothID>,
        _ peripheral: Peripheral,
        _ link: Link
    ) -> Decision {
        let wanted = missingServices(of: link)
        if let failure = failure(
            missing: settings.requiredServices.intersection(wanted),
            in: services
        ) {
            return abandon(peripheral, failure)
        }
        let awaiting = described(wanted.intersection(services))
        if awaiting.isEmpty {
            return continueAfterDiscovery(peripheral, link, because: .databaseKnown)
        }
        return discoverCharacteristics(of: awaiting, peripheral, link, because: .servicesFound)
    }

    /// Discovers the characteristics of services that the accessory added after the discovery. If
    /// there are none, the state remains.
    private func servicesAdded(
        _ services: Set<BluetoothID>,
        _ peripheral: Peripheral,
        _ link: Link
    ) -> Decision {
        let added = described(missingServices(of: link).intersection(services))
        guard !added.isEmpty else { return .ignore }
        return discoverCharacteristics(of: added, peripheral, link, because: .servicesChanged)
    }

    /// Returns those of the services for which the description names characteristics.
    private func described(_ services: Set<BluetoothID>) -> Set<BluetoothID> {
        services.filter { !settings.characteristics(of: $0).isEmpty }
    }

    private func discoverCharacteristics(
        of awaiting: Set<BluetoothID>,
        _ peripheral: Peripheral,
        _ link: Link,
        because reason: ChangeReason
    ) -> Decision {
        .move(
            .discoveringCharacteristics(
                peripheral,
                countdown(settings.timeouts.discovering),
                Discovery(awaiting: awaiting, link: link)
            ),
            reason,
            characteristicDiscoveries(of: awaiting, peripheral)
        )
    }

    private func characteristicDiscoveries(
        of services: Set<BluetoothID>,
        _ peripheral: Peripheral
    ) -> [Action] {
        services.sorted { $0.text < $1.text }.map {
            .discoverCharacteristics(peripheral, of: $0, settings.characteristics(of: $0))
        }
    }

    func characteristicsDiscovered(
        _ service: BluetoothID,
        _ characteristics: Set<BluetoothID>
    ) -> Decision {
        switch state {
        case .discoveringCharacteristics(let peripheral, let countdown, var discovery):
            guard discovery.awaiting.remove(service) != nil else { return .ignore }
            let required = settings.requiredPaths(in: [service]).map(\.characteristic)
            if let failure = failure(missing: Set(required), in: characteristics) {
                return abandon(peripheral, failure)
            }
            discovery.link.add(characteristics, of: service, settings)
            guard discovery.awaiting.isEmpty else {
                return .note(.discoveringCharacteristics(peripheral, countdown, discovery))
            }
            return continueAfterDiscovery(peripheral, discovery.link, because: .databaseKnown)
        case .unavailable, .restoring, .retrieving, .idle, .scanning, .connecting,
            .discoveringServices, .subscribing, .connected, .ready, .outOfRange, .disconnecting:
            return .ignore
        }
    }

    func discoveryFailed(_ failure: LinkFailure) -> Decision {
        switch state {
        case .discoveringServices(let peripheral, _, _),
            .discoveringCharacteristics(let peripheral, _, _):
            abandon(peripheral, failure)
        case .unavailable, .restoring, .retrieving, .idle, .scanning, .connecting, .subscribing,
            .connected, .ready, .outOfRange, .disconnecting:
            .ignore
        }
    }

    /// Discovers the changed services again. If a discovery is already running, its countdown
    /// continues, because repeated changes must not postpone the timeout.
    func servicesModified(_ services: Set<BluetoothID>) -> Decision {
        let modified = services.intersection(settings.serviceIdentifiers)
        guard !modified.isEmpty else { return discoverMissingServices() }
        switch state {
        case .discoveringServices(let peripheral, let countdown, let link):
            return rediscover(peripheral, link.without(modified), within: countdown)
        case .discoveringCharacteristics(let peripheral, let countdown, let discovery):
            return rediscover(peripheral, discovery.link.without(modified), within: countdown)
        case .subscribing(let peripheral, _, let link), .connected(let peripheral, _, let link),
            .ready(let peripheral, let link):
            return rediscover(peripheral, link.without(modified))
        case .connecting(let peripheral, .linkedWithoutSlot(let countdown, let known)):
            let valid = known.filter { !modified.contains($0.service) }
            return .note(.connecting(peripheral, .linkedWithoutSlot(countdown, known: valid)))
        case .restoring(let peripheral, .connected(let known)):
            let valid = known.filter { !modified.contains($0.service) }
            return .note(.restoring(peripheral, .connected(known: valid)))
        case .unavailable, .restoring, .retrieving, .idle, .scanning, .connecting, .outOfRange,
            .disconnecting:
            return .ignore
        }
    }

    /// Looks for the missing services, because the list of changed services does not contain new
    /// ones: Core Bluetooth lists only services that were discovered before.
    private func discoverMissingServices() -> Decision {
        switch state {
        case .discoveringServices(let peripheral, let countdown, let link):
            rediscover(peripheral, link, within: countdown)
        case .discoveringCharacteristics(let peripheral, let countdown, let discovery):
            rediscover(peripheral, discovery.link, within: countdown)
        case .subscribing(let peripheral, _, let link), .connected(let peripheral, _, let link),
            .ready(let peripheral, let link):
            described(missingServices(of: link)).isEmpty
                ? .ignore
                : .note(state, [.discoverServices(peripheral, missingServices(of: link))])
        case .unavailable, .restoring, .retrieving, .idle, .scanning, .connecting, .outOfRange,
            .disconnecting:
            .ignore
        }
    }

    private func rediscover(
        _ peripheral: Peripheral,
        _ link: Link,
        within countdown: Countdown? = nil
    ) -> Decision {
        discover(peripheral, within: countdown, keeping: link, because: .servicesChanged)
    }

    /// Returns a failure if the accessory lacks a required service or characteristic.
    private func failure(
        missing required: Set<BluetoothID>,
        in found: Set<BluetoothID>
    ) -> LinkFailure? {
        let lacking = required.subtracting(found).map(\.title).sorted()
        guard !lacking.isEmpty else { return nil }
        return LinkFailure(.incomplete, "it lacks \(lacking.joined(separator: ", "))")
    }
}

extension AccessoryMachine.Link {
    /// Returns the link without some services.
    fileprivate func without(_ services: Set<BluetoothID>) -> Self {
        Self(
            found: found.filter { !services.contains($0.service) },
            unconfirmed: unconfirmed.filter { !services.contains($0.service) },
            renewing: renewing.flatMap { services.contains($0.service) ? nil : $0 }
        )
    }

    /// Adds those characteristics of a service that the app needs.
    fileprivate mutating func add(
        _ characteristics: Set<BluetoothID>,
        of service: BluetoothID,
        _ settings: LifecycleSettings
    ) {
        let wanted = characteristics.intersection(settings.characteristics(of: service))
        let paths = Set(wanted.map { CharacteristicPath(service, $0) })
        found.formUnion(paths)
        unconfirmed.formUnion(paths.intersection(settings.subscriptions))
    }
}
