// SPDX-License-Identifier: Apache-2.0

import BluetoothL2CAP
import BluetoothTypes

// Channels by the port; see `L2CAPChannel` for what each wish comes to.
extension BluetoothHost {
    /// Asks something of a link's channels. What is asked of a channel that has ended is answered by
    /// its end.
    @discardableResult
    package func begin(
        _ wish: ChannelWish,
        on link: LinkIdentifier,
        then completion: @escaping Completion
    ) -> RequestIdentifier {
        begin(isAlwaysTaken: wish.isAlwaysTaken, then: completion) { core, id, now in
            core.request(wish, of: link, id: id, now: now)
        }
    }

    /// Gives a wish up: the same that was begun. An SDU that has arrived for whoever waited is told
    /// all the same; a channel that was opened is closed.
    package func cancel(_ wish: ChannelWish, _ id: RequestIdentifier, on link: LinkIdentifier) {
        if case .receive = wish, isDone(id) { return }
        cancel(id) { core, _ in core.cancel(wish, id, of: link) }
    }

    /// Gives channels to peers that ask for `psm`, as `listen(psm:requirement:options:backlog:)` does.
    package func openListener(
        psm: L2CAP.SPSM? = nil,
        requirement: SecurityRequirement = .open,
        options: L2CAP.ChannelOptions = L2CAP.ChannelOptions(),
        backlog: Int = 8
    ) throws -> ListenerKey {
        guard core.state != .closed else { throw HostError.closed }
        var terms = ListenerTerms()
        terms.requirement = requirement
        terms.options = options
        return try core.listen(psm, terms: terms, backlogLimit: backlog)
    }

    /// Waits for the next channel of a listener; the answer is `HostAnswer.channels`, with none once
    /// nobody listens any more. One may wait at a time: another is told `HostError.busy`.
    @discardableResult
    package func beginAccept(
        _ key: ListenerKey,
        then completion: @escaping Completion
    ) -> RequestIdentifier {
        begin(isAlwaysTaken: true, then: completion) { core, id, _ in core.accept(key, id: id) }
    }

    /// Waits for no channel any more; one that has come just now is closed.
    package func cancelAccept(_ key: ListenerKey, _ id: RequestIdentifier) {
        cancel(id) { core, _ in core.cancelAccepting(key, id) }
    }

    /// Ends a listener. Channels that were accepted stay; others are closed.
    package func closeListener(_ key: ListenerKey) {
        core.stopListening(key, now: executor.now)
        settle()
    }

    /// The link that a channel is on, and whom it leads to, while the link is there.
    package func link(of channel: ChannelNumber) -> (LinkIdentifier, DeviceAddress)? {
        core.link(of: channel)
    }

    /// What is known of an open channel; nil once it has ended.
    package func description(of channel: ChannelNumber) -> ChannelDescription? {
        core.description(of: channel)
    }
}
