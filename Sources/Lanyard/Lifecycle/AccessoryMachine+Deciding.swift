// SPDX-License-Identifier: Apache-2.0

// The decisions of the state machine, by event.
extension AccessoryMachine {
    /// Decides the result of an event. Ignores a link event unless the state has its peripheral,
    /// and the end of a countdown unless the state has that countdown.
    func decide(_ event: Event) -> Decision {
        switch event {
        case .available: available()
        case .unavailable(let why): unavailable(why)
        case .restored(let peripheral, let link): restored(peripheral, link)
        case .retrieved(let peripheral): retrieved(peripheral)
        case .found(let peripheral, _): found(peripheral)
        case .link(let peripheral, let event):
            peripheral == state.peripheral ? decide(event, peripheral) : .ignore
        case .slot(let event): decide(event)
        case .countdownEnded(let countdown):
            countdown == state.countdown ? countdownEnded() : .ignore
        case .pairingLimitReached(let limit): pairingLimitReached(limit)
        case .command(.pair): pair()
        case .command(.connect): connect()
        case .command(.disconnect): end(for: .disconnected)
        case .command(.forget): end(for: .forgotten)
        }
    }

    private func decide(_ event: AccessoryLinkEvent, _ peripheral: Peripheral) -> Decision {
        switch event {
        case .seen: .ignore
        case .connected(let known): connected(peripheral, known)
        case .failedToConnect(let failure): failedToConnect(peripheral, failure)
        case .disconnected(let failure, let isReconnecting):
            isReconnecting
                ? systemReconnects(peripheral, failure) : disconnected(peripheral, failure)
        case .servicesDiscovered(let services): servicesDiscovered(services)
        case .characteristicsDiscovered(let service, let characteristics):
            characteristicsDiscovered(service, characteristics)
        case .discoveryFailed(let failure): discoveryFailed(failure)
        case .subscriptionChanged(let path, .confirmed): subscriptionConfirmed(path)
        case .subscriptionChanged(let path, .ended): subscriptionEnded(path)
        case .subscriptionChanged(let path, .failed(let failure)): subscriptionFailed(path, failure)
        case .probed(let failure): probed(failure)
        case .servicesModified(let services): servicesModified(services)
        case .messagesRefused(let path, let step, let failure):
            messagesRefused(path, step, failure)
        }
    }

    private func decide(_ event: SlotEvent) -> Decision {
        switch event {
        case .granted: slotGranted()
        case .delayed(let slots): slotDelayed(slots)
        case .denied(let slots): denied(slots)
        case .revoked: slotRevoked()
        case .freed: slotFreed()
        }
    }
}
