// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP

// Ends of links.
extension BluetoothHost {
    /// Why a link ended, as soon as it has.
    func end(of link: LinkIdentifier) async throws -> HostError {
        let id = takeRequest()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                // Looked at in here: see `shutdown`.
                guard core.properties(of: link) == nil else {
                    linkEnds.wait(waiter, as: id, for: link)
                    if Task.isCancelled { linkEnds.stopWaiting(id, for: link) }
                    return
                }
                waiter.resume(returning: pastEnd(of: link))
            }
        } onCancel: {
            enter { $0.linkEnds.stopWaiting(id, for: link) }
        }
    }

    /// Why a link that is gone ended, if that is still known.
    func pastEnd(of link: LinkIdentifier) -> HostError {
        linkEnds[link] ?? .disconnected(.unknownConnectionIdentifier)
    }

    func linkEnded(_ link: LinkIdentifier, _ reason: HostError) {
        pairingQuestions.withdraw(link)
        notifications.end(link, with: reason)
        serverEventRouter.end(link, of: self, with: reason)
        linkEnds.ended(link, reason)
        if port.linkEnded(link) { tell(.disconnected(link, reason)) }
    }
}

// Ends of advertising.
extension BluetoothHost {
    func stopAdvertising(_ set: RequestIdentifier) {
        core.stopAdvertising(set, now: executor.now)
        drain()
    }

    /// Why a set ended, as soon as it has. What is forgotten was stopped, as far as anybody can
    /// tell.
    func end(of set: RequestIdentifier) async throws -> AdvertisingEnd {
        let id = takeRequest()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                // Looked at in here: see `shutdown`.
                guard core.isAdvertising(set), advertisingEnds[set] == nil else {
                    return waiter.resume(returning: advertisingEnds[set] ?? .stopped)
                }
                advertisingEnds.wait(waiter, as: id, for: set)
                if Task.isCancelled { advertisingEnds.stopWaiting(id, for: set) }
            }
        } onCancel: {
            enter { $0.advertisingEnds.stopWaiting(id, for: set) }
        }
    }
}
