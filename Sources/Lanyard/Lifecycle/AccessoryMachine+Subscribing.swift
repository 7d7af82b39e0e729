// SPDX-License-Identifier: Apache-2.0

// From what is there to what can be used.
extension AccessoryMachine {
    /// All is found that is wanted: what is to be subscribed to is next, then pairing.
    func conclude(
        _ peripheral: Peripheral,
        _ link: Link,
        because reason: ChangeReason
    ) -> Decision {
        guard !link.unconfirmed.isEmpty else { return prove(peripheral, link, because: reason) }
        return .move(
            .subscribing(peripheral, countdown(subscribing), link),
            reason,
            link.unconfirmed.sorted().map { .subscribe(peripheral, $0) }
        )
    }

    /// Where pairing is wanted, a subscription may be what asks the person for it, who takes longer than an
    /// accessory does.
    var subscribing: Duration {
        let timeouts = settings.timeouts
        return settings.protected == nil
            ? timeouts.subscribing : max(timeouts.subscribing, timeouts.pairing)
    }

    /// Reads what only paired devices may, if the accessory has to be paired.
    private func prove(
        _ peripheral: Peripheral,
        _ link: Link,
        because reason: ChangeReason
    ) -> Decision {
        guard let protected = settings.protected else { return use(peripheral, link) }
        guard let path = link.found.sorted().first(where: { $0.characteristic == protected })
        else {
            return abandon(peripheral, LinkFailure(.incomplete, "it lacks \(protected)"))
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
            guard link.unconfirmed.remove(path) != nil else { return .ignore }
            if link.unconfirmed.isEmpty { return prove(peripheral, link, because: .subscribed) }
            return .note(.subscribing(peripheral, countdown, link))
        case .connected(let peripheral, let progress, var link):
            guard link.unconfirmed.remove(path) != nil else { return .ignore }
            if link.unconfirmed.isEmpty, settings.protected == nil { return use(peripheral, link) }
            return .note(.connected(peripheral, progress, link))
        case .discoveringServices(let peripheral, let countdown, var link):
            guard link.unconfirmed.remove(path) != nil else { return .ignore }
            return .note(.discoveringServices(peripheral, countdown, keeping: link))
        case .discoveringCharacteristics(let peripheral, let countdown, var discovery):
            guard discovery.link.unconfirmed.remove(path) != nil else { return .ignore }
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
            return conclude(peripheral, link, because: .subscriptionEnded)
        case .connected(let peripheral, let progress, var link):
            guard settings.subscriptions.contains(path), link.found.contains(path) else {
                return .ignore
            }
            link.unconfirmed.insert(path)
            return .note(.connected(peripheral, progress, link))
        // What is asked for ends by its countdown.
        case .unavailable, .restoring, .retrieving, .idle, .scanning, .connecting,
            .discoveringServices, .discoveringCharacteristics, .subscribing, .outOfRange,
            .disconnecting:
            return .ignore
        }
    }

    func subscriptionFailed(_ failure: LinkFailure) -> Decision {
        switch state {
        case .subscribing(let peripheral, _, let link):
            failure.kind == .notPaired
                ? .move(.connected(peripheral, .refused(failure), link), .notPaired(failure))
                : abandon(peripheral, failure)
        case .unavailable, .restoring, .retrieving, .idle, .scanning, .connecting,
            .discoveringServices, .discoveringCharacteristics, .connected, .ready, .outOfRange,
            .disconnecting:
            .ignore
        }
    }

    /// A person may take longer than the countdown: what is allowed late is allowed.
    func probed(_ failure: LinkFailure?) -> Decision {
        switch (state, failure) {
        case (.connected(let peripheral, _, let link), nil):
            link.unconfirmed.isEmpty
                ? use(peripheral, link) : conclude(peripheral, link, because: .usable)
        case (.connected(let peripheral, .probing, let link), let failure?):
            refuse(peripheral, link, failure)
        case (.connected(_, .refused, _), _), (.unavailable, _), (.restoring, _), (.retrieving, _),
            (.idle, _), (.scanning, _), (.connecting, _), (.discoveringServices, _),
            (.discoveringCharacteristics, _), (.subscribing, _), (.ready, _), (.outOfRange, _),
            (.disconnecting, _):
            .ignore
        }
    }

    /// It stays connected, and can be used but for what is protected.
    func refuse(_ peripheral: Peripheral, _ link: Link, _ failure: LinkFailure) -> Decision {
        .move(.connected(peripheral, .refused(failure), link), .notPaired(failure))
    }

    /// Tries again what was refused for want of pairing.
    func pairAgain(_ peripheral: Peripheral, _ link: Link) -> Decision {
        settings.protected == nil
            ? conclude(peripheral, link, because: .wished)
            : prove(peripheral, link, because: .wished)
    }
}
