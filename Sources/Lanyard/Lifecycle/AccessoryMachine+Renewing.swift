// SPDX-License-Identifier: Apache-2.0

// The renewal of a subscription, of the services or of the link.
extension AccessoryMachine {
    func messagesRefused(
        _ path: CharacteristicPath,
        _ step: Renewal,
        _ failure: LinkFailure
    ) -> Decision {
        switch state {
        case .ready(let peripheral, let link):
            renew(step, path, peripheral, link, because: .messagesRefused(failure))
        // In these states the accessory is not ready.
        case .unavailable, .restoring, .retrieving, .idle, .scanning, .connecting,
            .discoveringServices, .discoveringCharacteristics, .subscribing, .connected,
            .outOfRange, .disconnecting:
            .ignore
        }
    }

    private func renew(
        _ step: Renewal,
        _ path: CharacteristicPath,
        _ peripheral: Peripheral,
        _ link: Link,
        because reason: ChangeReason
    ) -> Decision {
        switch step {
        case .subscription:
            guard settings.subscriptions.contains(path), link.found.contains(path) else {
                return .ignore
            }
            var link = link
            link.unconfirmed = [path]
            link.renewing = path
            return .move(
                .subscribing(peripheral, countdown(subscribing), link),
                reason,
                [.unsubscribe(peripheral, path)]
            )
        case .discovery:
            let nothing = Link(found: [], unconfirmed: [])
            return discover(peripheral, keeping: nothing, because: reason)
        case .link:
            let failure = reason.failure ?? LinkFailure(.refused, "it refuses all messages")
            return endLink(
                peripheral,
                then: .retry(failure, linkWasUp: true),
                because: reason
            )
        }
    }
}
