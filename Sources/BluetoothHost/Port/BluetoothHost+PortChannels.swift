// SPDX-License-Identifier: Apache-2.0

import BluetoothL2CAP
import BluetoothTypes

// Channels through the port. See `L2CAPChannel` for the result of each request.
extension BluetoothHost {
    /// Starts a request for a link's channels.
    @discardableResult
    package func begin(
        _ request: ChannelRequest,
        on link: LinkIdentifier,
        then completion: @escaping Completion
    ) -> RequestIdentifier {
        begin(isAlwaysTaken: request.isAlwaysTaken, then: completion) { core, id, now in
            core.request(request, of: link, id: id, now: now)
        }
    }

    /// Listens for channels, as `listen(psm:requirement:options:backlog:)` does.
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

    /// Waits for the next channel of a listener.
    ///
    /// The answer is `HostAnswer.channels`, with no channel if the listener has ended. If another
    /// request is waiting, the result is `HostError.busy`.
    @discardableResult
    package func beginAccept(
        _ key: ListenerKey,
        then completion: @escaping Completion
    ) -> RequestIdentifier {
        begin(isAlwaysTaken: true, then: completion) { core, id, _ in core.accept(key, id: id) }
    }

    /// Ends a listener. Accepted channels stay open, and channels in the backlog are closed.
    package func closeListener(_ key: ListenerKey) {
        core.stopListening(key, now: executor.now)
        settle()
    }

    /// Returns the link of a channel and the address of its peer; `nil` if the link has ended.
    package func link(of channel: ChannelNumber) -> (LinkIdentifier, DeviceAddress)? {
        core.link(of: channel)
    }

    /// Returns the properties of an open channel; `nil` if it has ended.
    package func description(of channel: ChannelNumber) -> ChannelDescription? {
        core.description(of: channel)
    }
}
