// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes

// The beginnings and ends of links.
extension BluetoothHost {
    /// Waits until a link has ended, and returns the reason.
    func end(of link: LinkIdentifier) async throws -> HostError {
        let id = takeRequest()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                // The state is checked inside the closure, as in `shutdown`.
                guard core.properties(of: link) == nil else {
                    linkEnds.wait(waiter, as: id, for: link)
                    if Task.isCancelled { linkEnds.stopWaiting(id, for: link) }
                    return
                }
                waiter.resume(returning: pastEnd(of: link))
            }
        } onCancel: {
            execute { $0.linkEnds.stopWaiting(id, for: link) }
        }
    }

    /// Returns the reason why a link ended, or `unknownConnectionIdentifier` if the host has
    /// forgotten it.
    func pastEnd(of link: LinkIdentifier) -> HostError {
        linkEnds[link] ?? .disconnected(.unknownConnectionIdentifier)
    }

    /// Reports a new link. A link in the peripheral role is one that a peer made.
    func linkOpened(_ link: LinkIdentifier, _ peer: DeviceAddress, _ role: LinkRole) {
        port.linkOpened(link, peer, role)
        let opened = Link(host: self, identifier: link, address: peer)
        serverEventRouter.send(.connected(opened))
        if role == .peripheral { incomingLinkReaders.deliver(opened) }
    }

    /// Adds a reader of a link's parameters, whose stream ends at once if the link is not open.
    func addParameterReader(
        _ reader: StreamReaders<ConnectionParameters>.Reader,
        as identifier: RequestIdentifier,
        of link: LinkIdentifier
    ) {
        guard core.properties(of: link) != nil else { return reader.finish() }
        parameterReaders[link, default: StreamReaders()].add(reader, as: identifier)
    }

    /// Reports the end of a link.
    ///
    /// - Returns: Whether the link was reported when it opened, so that the observer knows it.
    func linkEnded(_ link: LinkIdentifier, _ reason: HostError) -> Bool {
        pairingQuestions.withdraw(link)
        notifications.end(link, with: reason)
        parameterReaders[link]?.close()
        parameterReaders[link] = nil
        let peer = port.linkEnded(link)
        if let peer {
            let ended = Link(host: self, identifier: link, address: peer)
            serverEventRouter.send(.disconnected(ended, reason))
        }
        linkEnds.ended(link, reason)
        return peer != nil
    }
}

// The ends of advertising sets.
extension BluetoothHost {
    func stopAdvertising(_ set: RequestIdentifier) {
        core.stopAdvertising(set, now: executor.now)
        drain()
    }

    /// Waits until a set has ended, and returns the reason. For a set whose end the host has
    /// forgotten, it returns `stopped`.
    func end(of set: RequestIdentifier) async throws -> AdvertisingEnd {
        let id = takeRequest()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                // The state is checked inside the closure, as in `shutdown`.
                guard core.isAdvertising(set), advertisingEnds[set] == nil else {
                    return waiter.resume(returning: advertisingEnds[set] ?? .stopped)
                }
                advertisingEnds.wait(waiter, as: id, for: set)
                if Task.isCancelled { advertisingEnds.stopWaiting(id, for: set) }
            }
        } onCancel: {
            execute { $0.advertisingEnds.stopWaiting(id, for: set) }
        }
    }
}
