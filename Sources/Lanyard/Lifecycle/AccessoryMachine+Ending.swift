// SPDX-License-Identifier: Apache-2.0

// The ends of links, and steps that take too long.
extension AccessoryMachine {
    /// Ends a link or the attempt to make it. The end is complete when the system reports it, or
    /// when its countdown ends.
    func endLink(
        _ peripheral: Peripheral,
        then: NextStep,
        because reason: ChangeReason,
        _ actions: [Action] = []
    ) -> Decision {
        let ending = Ending(
            countdown: countdown(settings.timeouts.disconnecting),
            slot: then == .connect(isGranted: false)
                ? .request : state.slotPurpose.map { _ in .ending },
            then: then
        )
        return .move(
            .disconnecting(peripheral, ending),
            reason,
            [.cancelConnection(peripheral)] + actions
        )
    }

    /// Ends an unusable link or a failed attempt.
    func abandon(
        _ peripheral: Peripheral,
        _ failure: LinkFailure,
        linkWasUp: Bool = true
    ) -> Decision {
        endLink(
            peripheral,
            then: .retry(failure, linkWasUp: linkWasUp),
            because: .abandoned(failure)
        )
    }

    func disconnected(_ peripheral: Peripheral, _ failure: LinkFailure?) -> Decision {
        let cancelled = LinkFailure(.ownCancel, "the connection was canceled on this device")
        switch state {
        case .connecting(_, .requested):
            // A disconnection without an error belongs to an earlier link and was reported late.
            // The attempt is still running and must be canceled.
            guard let failure else { return abandon(peripheral, cancelled, linkWasUp: false) }
            return .retry(peripheral, failure, linkWasUp: false)
        case .outOfRange:
            // Here too, a disconnection without an error belongs to an earlier link. The connection
            // request is repeated, which does no harm if the earlier request is still pending.
            guard let failure else { return requestAgain(peripheral) }
            return .retry(peripheral, failure, linkWasUp: false)
        case .connecting(_, .linkedWithoutSlot), .discoveringServices, .discoveringCharacteristics,
            .subscribing, .connected, .ready:
            guard let failure else { return .move(.idle(.cancelled), .resting(.cancelled)) }
            return .retry(peripheral, failure, linkWasUp: true)
        case .disconnecting(_, let ending):
            return linkEnded(peripheral, ending)
        case .restoring(_, .connected):
            return .note(.restoring(peripheral, .connecting))
        case .unavailable, .restoring, .retrieving, .idle, .scanning,
            .connecting(_, .waitingForSlot), .connecting(_, .backingOff):
            return .ignore
        }
    }

    /// Repeats the connection request, with the remaining delay if there is one.
    private func requestAgain(_ peripheral: Peripheral) -> Decision {
        guard case .outOfRange(_, .library(let start)) = state, start > now else {
            return .note(
                .outOfRange(peripheral, .library(from: now)),
                [.connect(peripheral, .pending(after: .zero))]
            )
        }
        return .note(state, [.connect(peripheral, .pending(after: start - now))])
    }

    /// Handles the loss of a link that the system reconnects by itself. For a remembered accessory,
    /// the library waits for the system without a time limit. For any other accessory, the
    /// reconnection is canceled, and the attempt counts as failed.
    func systemReconnects(_ peripheral: Peripheral, _ failure: LinkFailure?) -> Decision {
        let lost = failure ?? LinkFailure(.unknown, "the link was lost")
        switch state {
        case .connecting(_, .linkedWithoutSlot), .discoveringServices, .discoveringCharacteristics,
            .subscribing, .connected, .ready:
            guard isRemembered else { return abandon(peripheral, lost) }
            return .move(.outOfRange(peripheral, .system), .systemReconnects(failure))
        case .outOfRange(_, .library):
            return .move(.outOfRange(peripheral, .system), .systemReconnects(failure))
        case .restoring(_, .connected):
            return .note(.restoring(peripheral, .connecting))
        case .unavailable, .restoring, .retrieving, .idle, .scanning,
            .connecting(_, .waitingForSlot), .connecting(_, .requested),
            .connecting(_, .backingOff), .outOfRange(_, .system), .disconnecting:
            return .ignore
        }
    }

    func countdownEnded() -> Decision {
        switch state {
        case .scanning: return .move(.idle(.notFound), .resting(.notFound))
        case .connecting(let peripheral, .requested):
            let failure = tooLong("connecting", settings.timeouts.connecting)
            return abandon(peripheral, failure, linkWasUp: false)
        case .connecting(_, .linkedWithoutSlot): return denied(log.slots)
        case .connecting(let peripheral, .backingOff):
            return requestConnection(peripheral, because: .nextAttempt)
        case .discoveringServices(let peripheral, _, _):
            return abandon(
                peripheral,
                tooLong("discovering services", settings.timeouts.discovering)
            )
        case .discoveringCharacteristics(let peripheral, _, _):
            return abandon(
                peripheral,
                tooLong("discovering characteristics", settings.timeouts.discovering)
            )
        case .subscribing(let peripheral, _, _):
            return abandon(peripheral, tooLong("subscribing", subscribing))
        case .connected(let peripheral, .probing, let link):
            return refuse(peripheral, link, tooLong("pairing", settings.timeouts.pairing))
        case .disconnecting(let peripheral, let ending): return linkEnded(peripheral, ending)
        // These states have no countdown.
        case .unavailable, .restoring, .retrieving, .idle, .connecting(_, .waitingForSlot),
            .connected(_, .refused, _), .ready, .outOfRange:
            return .ignore
        }
    }

    /// Ends a first pairing that took longer than its total limit.
    func pairingLimitReached(_ limit: Duration) -> Decision {
        guard !isRemembered else { return .ignore }
        let failure = tooLong("pairing", limit)
        let decision = end(for: .failed(failure))
        guard case .move(let next, .requested, let actions) = decision else { return decision }
        return .move(next, .abandoned(failure), actions)
    }

    private func tooLong(_ step: String, _ limit: Duration) -> LinkFailure {
        LinkFailure(.timeout, "\(step) took longer than \(limit.inSeconds)")
    }
}
