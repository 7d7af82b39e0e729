// SPDX-License-Identifier: Apache-2.0

// From the discovered characteristics to a usable accessory.
extension AccessoryMachine {
    /// Continues after the discovery: with subscriptions, then with pairing.
    func continueAfterDiscovery(
        _ peripheral: Peripheral,
        _ link: Link,
        because reason: ChangeReason
    ) -> Decision {
        guard !link.unconfirmed.isEmpty else {
            return readProtectedCharacteristic(peripheral, link, because: reason)
        }
        return .move(
            .subscribing(peripheral, countdown(subscribing), link),
            reason,
            link.unconfirmed.sorted().map { .subscribe(peripheral, $0) }
        )
    }

    /// The time limit for subscriptions. If pairing is required, a subscription may make the system
    /// ask a person, which takes longer than an accessory's answer.
    var subscribing: Duration {
        let timeouts = settings.timeouts
        return settings.protected == nil
            ? timeouts.subscribing : max(timeouts.subscribing, timeouts.pairing)
    }

    /// Reads the protected characteristic if the accessory must be paired.
    private func readProtectedCharacteristic(
        _ peripheral: Peripheral,
        _ link: Link,
        because reason: ChangeReason
    ) -> Decision {
        guard let protected = settings.protected else { return use(peripheral, link) }
        guard let path = link.found.sorted().first(where: { $0.characteristic == protected })
        else {
            let lack = "it lacks \(protected.title), or the app did not describe it"
            return abandon(peripheral, LinkFailure(.incomplete, lack))
        }
        return .move(
            .connected(peripheral, .probing(countdown(settings.timeouts.pairing)), link),
            reason,
            [.probe(peripheral, path)]
        )
    }

    private func use(_ peripheral: Peripheral, _ link: Link) -> Decision {
        let isSaved = isRemembered && saved == peripheral
        return .move(.ready(peripheral, link), .usable, isSaved ? [] : [.save(peripheral)])
    }

    func subscriptionConfirmed(_ path: CharacteristicPath) -> Decision {
        switch state {
        case .subscribing(let peripheral, let countdown, var link):
            guard link.confirm(path) else { return .ignore }
            if link.unconfirmed.isEmpty {
                return readProtectedCharacteristic(peripheral, link, because: .subscribed)
            }
            return .note(.subscribing(peripheral, countdown, link))
        case .connected(let peripheral, let progress, var link):
            guard link.confirm(path) else { return .ignore }
            if link.unconfirmed.isEmpty, settings.protected == nil { return use(peripheral, link) }
            return .note(.connected(peripheral, progress, link))
        case .discoveringServices(let peripheral, let countdown, var link):
            guard link.confirm(path) else { return .ignore }
            return .note(.discoveringServices(peripheral, countdown, keeping: link))
        case .discoveringCharacteristics(let peripheral, let countdown, var discovery):
            guard discovery.link.confirm(path) else { return .ignore }
            return .note(.discoveringCharacteristics(peripheral, countdown, discovery))
        case .unavailable, .restoring, .retrieving, .idle, .scanning, .connecting, .ready,
            .outOfRange, .disconnecting:
            return .ignore
        }
    }

    func subscriptionEnded(_ path: CharacteristicPath) -> Decision {
        switch state {
        case .ready(let peripheral, var link):
            guard settings.subscriptions.contains(path), link.found.contains(path) else {
                return .ignore
            }
            link.unconfirmed = [path]
            return continueAfterDiscovery(peripheral, link, because: .subscriptionEnded)
        case .connected(let peripheral, let progress, var link):
            guard settings.subscriptions.contains(path), link.found.contains(path) else {
                return .ignore
            }
            link.unconfirmed.insert(path)
            return .note(.connected(peripheral, progress, link))
        case .subscribing(let peripheral, let countdown, var link):
            // A renewal ends the subscription and then begins it again.
            guard settings.subscriptions.contains(path), link.found.contains(path) else {
                return .ignore
            }
            link.unconfirmed.insert(path)
            return .note(
                .subscribing(peripheral, countdown, link),
                [.subscribe(peripheral, path)]
            )
        case .discoveringServices(let peripheral, let countdown, var link):
            guard settings.subscriptions.contains(path), link.found.contains(path) else {
                return .ignore
            }
            link.unconfirmed.insert(path)
            return .note(.discoveringServices(peripheral, countdown, keeping: link))
        case .discoveringCharacteristics(let peripheral, let countdown, var discovery):
            guard settings.subscriptions.contains(path), discovery.link.found.contains(path) else {
                return .ignore
            }
            discovery.link.unconfirmed.insert(path)
            return .note(.discoveringCharacteristics(peripheral, countdown, discovery))
        case .unavailable, .restoring, .retrieving, .idle, .scanning, .connecting, .outOfRange,
            .disconnecting:
            return .ignore
        }
    }

    /// Handles a refusal to begin or end a subscription.
    ///
    /// If a renewal fails, the link is ended. Otherwise Core Bluetooth would continue to report the
    /// former subscription, which no longer works.
    func subscriptionFailed(_ path: CharacteristicPath, _ failure: LinkFailure) -> Decision {
        switch state {
        case .subscribing(let peripheral, _, let link):
            failure.kind == .notPaired && link.renewing == nil
                ? refuse(peripheral, link, failure) : abandon(peripheral, failure)
        case .discoveringServices(let peripheral, _, let link) where link.renewing == path:
            abandon(peripheral, failure)
        case .discoveringCharacteristics(let peripheral, _, let discovery)
        where discovery.link.renewing == path:
            abandon(peripheral, failure)
        case .unavailable, .restoring, .retrieving, .idle, .scanning, .connecting,
            .discoveringServices, .discoveringCharacteristics, .connected, .ready, .outOfRange,
            .disconnecting:
            .ignore
        }
    }

    /// Handles the answer of the protected characteristic. A success counts even after the
    /// countdown, because a person may confirm the pairing later.
    func probed(_ failure: LinkFailure?) -> Decision {
        switch (state, failure) {
        case (.connected(let peripheral, _, let link), nil):
            link.unconfirmed.isEmpty
                ? use(peripheral, link) : continueAfterDiscovery(peripheral, link, because: .usable)
        case (.connected(let peripheral, .probing, let link), let failure?):
            refuse(peripheral, link, failure)
        case (.connected(_, .refused, _), _), (.unavailable, _), (.restoring, _), (.retrieving, _),
            (.idle, _), (.scanning, _), (.connecting, _), (.discoveringServices, _),
            (.discoveringCharacteristics, _), (.subscribing, _), (.ready, _), (.outOfRange, _),
            (.disconnecting, _):
            .ignore
        }
    }

    /// Keeps the accessory connected, without its protected values.
    func refuse(_ peripheral: Peripheral, _ link: Link, _ failure: LinkFailure) -> Decision {
        .move(.connected(peripheral, .refused(failure), link), .notPaired(failure))
    }

    /// Tries the pairing again: reads the protected characteristic. If the description names none,
    /// requests the subscriptions that are not confirmed.
    func pairAgain(_ peripheral: Peripheral, _ link: Link) -> Decision {
        settings.protected == nil
            ? continueAfterDiscovery(peripheral, link, because: .requested)
            : readProtectedCharacteristic(peripheral, link, because: .requested)
    }
}
