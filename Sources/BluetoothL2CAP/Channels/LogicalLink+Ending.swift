// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

// The end of channels (Vol 3, Part A, 4.6 and 4.7).
extension LogicalLink {
    /// Closes a channel and abandons its unsent data. Does nothing if the channel is not open.
    package mutating func close(_ channel: ChannelIdentifier, now: Instant) -> [Action] {
        close(channel, because: .closed, now: now)
    }

    /// Closes a channel for the given reason.
    ///
    /// The local end stays reserved until the peer has responded or the request has timed out,
    /// because the peer may send on it until then. If too many requests are outstanding, no request
    /// is sent, and the local end is released at once.
    mutating func close(
        _ channel: ChannelIdentifier,
        because reason: L2CAP.Failure,
        now: Instant
    ) -> [Action] {
        guard let index = index(of: channel), channels[index].phase == .open else { return [] }
        let request = Signaling.DisconnectionRequest(
            destination: channels[index].remote,
            source: channel
        )
        let abandoned = channels[index].sender.abandon()
        let unread = channels[index].receiver.takeAll()
        let actions =
            abandoned.map { Action.abandoned($0, reason) }
            + [.closed(channel, reason, unread: unread)]
        guard let identifier = ask(request, now: now) else {
            channels.remove(at: index)
            return actions + [.released(channel)]
        }
        channels[index].phase = .closing
        disconnections[identifier] = channel
        return actions
    }

    /// Ends all channels after the link has ended, and returns the identifiers of the unfinished
    /// requests and of the unsent SDUs.
    package mutating func end() -> [RequestID] {
        let opening = openings.values.filter { !$0.isCancelled }.map(\.id)
        let sending = channels.indices.flatMap { channels[$0].sender.abandon() }
        let resizing = reconfiguration.map { [$0.id] } ?? []
        channels = []
        openings = [:]
        reconfiguration = nil
        return opening + sending + resizing
    }

    /// Removes a channel after the peer has confirmed its end, has rejected the request, or has not
    /// responded in time.
    mutating func disconnectionAnswered(
        _ answer: Signaling.ChannelAnswer,
        _ identifier: Signaling.Identifier
    ) -> [Action] {
        guard let channel = disconnections.removeValue(forKey: identifier) else { return [] }
        guard let index = index(of: channel), channels[index].phase == .closing else { return [] }
        channels.remove(at: index)
        return [.released(channel)]
    }

    /// Processes a request of the peer to close a channel.
    mutating func accept(
        _ request: Signaling.DisconnectionRequest,
        _ identifier: Signaling.Identifier
    ) -> [Action] {
        let channel = request.destination
        guard let index = index(of: channel), channels[index].remote != .none else {
            let reject = Signaling.CommandReject.invalidChannel(
                local: channel,
                remote: request.source
            )
            queueAnswer(reject.encode(identifier: identifier))
            return []
        }
        guard channels[index].remote == request.source else { return [.ignore(.wrongEnd(channel))] }
        let response = Signaling.DisconnectionResponse(
            destination: channel,
            source: request.source
        )
        queueAnswer(response.encode(identifier: identifier))
        let wasOpen = channels[index].phase == .open
        let abandoned = channels[index].sender.abandon()
        let unread = channels[index].receiver.takeAll()
        channels.remove(at: index)
        // An action has already reported the end of a channel that the host closed itself.
        guard wasOpen else { return [.released(channel)] }
        return abandoned.map { .abandoned($0, .closedByPeer) }
            + [.closed(channel, .closedByPeer, unread: unread)]
    }
}
