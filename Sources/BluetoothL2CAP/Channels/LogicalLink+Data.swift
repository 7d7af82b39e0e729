// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

// SDUs and credits on open channels.
extension LogicalLink {
    /// The open channels, oldest first.
    package var openChannels: [ChannelIdentifier] {
        channels.filter { $0.phase == .open }.map(\.local)
    }

    /// Returns the state of an open channel, or `nil` if the channel is not open.
    package func description(of channel: ChannelIdentifier) -> ChannelDescription? {
        guard let index = index(of: channel), channels[index].phase == .open else { return nil }
        let channel = channels[index]
        return ChannelDescription(
            spsm: channel.spsm,
            mode: channel.mode,
            receiveMTU: channel.receiver.mtu,
            sendMTU: channel.sender.mtu,
            receiveCredits: channel.receiver.credits,
            sendCredits: channel.sender.credits
        )
    }

    /// Processes the payload of a frame that arrived on a credit-based channel.
    package mutating func receive(
        _ payload: ArraySlice<UInt8>,
        on channel: ChannelIdentifier,
        now: Instant
    ) -> [Action] {
        guard let index = index(of: channel), channels[index].phase == .open
        else { return [.ignore(.noSuchChannel(channel))] }
        do throws(L2CAP.Violation) {
            return try channels[index].receiver.receive(payload) ? [.arrived(channel)] : []
        } catch {
            return close(channel, because: .violated(error), now: now)
        }
    }

    /// Removes and returns the oldest SDU that arrived, or `nil` if there is none.
    ///
    /// The call may make credits due to the peer, so call `nextUrgentFrame()` afterward.
    package mutating func take(from channel: ChannelIdentifier) -> [UInt8]? {
        guard let index = index(of: channel), channels[index].phase == .open else { return nil }
        return channels[index].receiver.take()
    }

    /// Enqueues an SDU, which is sent when the peer's credits and the controller's buffers allow.
    ///
    /// `.sent` reports that the SDU was sent, or `.abandoned` that the channel ended before.
    ///
    /// - Throws: ``L2CAP/Failure`` `.closed`, `.tooLong` or `.noRoom`.
    package mutating func send(
        _ sdu: [UInt8],
        on channel: ChannelIdentifier,
        id: RequestID
    ) throws(L2CAP.Failure) {
        guard let index = index(of: channel), channels[index].phase == .open
        else { throw .closed }
        let limit = channels[index].sender.mtu
        guard sdu.count <= limit else { throw .tooLong(limit: limit) }
        guard !channels[index].sender.isFull else { throw .noRoom }
        channels[index].sender.enqueue(sdu, id: id)
    }

    /// Returns whether a channel is open and has no SDU to send.
    package func isIdle(_ channel: ChannelIdentifier) -> Bool {
        guard let index = index(of: channel) else { return false }
        return channels[index].phase == .open && channels[index].sender.isIdle
    }

    /// Removes an SDU of which no frame was sent yet.
    package mutating func cancelSending(_ id: RequestID, on channel: ChannelIdentifier) {
        guard let index = index(of: channel) else { return }
        _ = channels[index].sender.cancel(id)
    }

    /// Processes credits from the peer.
    ///
    /// They may arrive for a closed channel if the peer does not know yet that the channel is
    /// closed (Vol 3, Part A, 4.24).
    mutating func receive(_ credit: Signaling.FlowControlCredit, now: Instant) -> [Action] {
        // The command identifies the channel by the end of its sender, which is the peer.
        guard let index = channels.firstIndex(where: { $0.remote == credit.channel }),
            channels[index].phase == .open
        else { return [.ignore(.noSuchChannel(credit.channel))] }
        let channel = channels[index].local
        guard credit.credits > 0 else { return [.ignore(.noCredits(channel))] }
        guard channels[index].sender.add(credits: Int(credit.credits)) else {
            return close(channel, because: .violated(.creditOverflow), now: now)
        }
        return []
    }
}

// Sending.
extension LogicalLink {
    /// Returns the next signaling command or grant of credits as a frame, or `nil` if there is
    /// none.
    package mutating func nextUrgentFrame() -> [UInt8]? {
        guard let command = nextCommand() ?? nextGrant() else { return nil }
        return L2CAPFrame.encode(command, on: .signaling)
    }

    /// Returns the next frame of a channel and the resulting actions, or `nil` if no frame can be
    /// sent.
    ///
    /// The channels take turns frame by frame, so that no channel waits for the long SDU of
    /// another.
    package mutating func nextDataFrame() -> (frame: [UInt8], actions: [Action])? {
        for step in channels.indices {
            let index = (turn + step) % channels.count
            guard channels[index].phase == .open,
                let (payload, sent) = channels[index].sender.nextFrame()
            else { continue }
            turn = index + 1
            let frame = L2CAPFrame.encode(payload, on: channels[index].remote)
            return (frame, sent.map { [.sent($0)] } ?? [])
        }
        return nil
    }

    private mutating func nextGrant() -> [UInt8]? {
        for index in channels.indices where channels[index].phase == .open {
            guard let credits = channels[index].receiver.takeGrant() else { continue }
            let grant = Signaling.FlowControlCredit(
                channel: channels[index].local,
                credits: credits
            )
            return signaling.indicate(grant)
        }
        return nil
    }
}
