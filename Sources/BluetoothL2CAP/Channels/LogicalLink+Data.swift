// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

// SDUs and credits on open channels.
extension LogicalLink {
    /// The channels that are open now, oldest first.
    package var openChannels: [ChannelIdentifier] {
        channels.filter { $0.phase == .open }.map(\.local)
    }

    /// What is known of an open channel; nil if it is not open.
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

    /// Takes in the payload of a frame that came on a channel with credits.
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

    /// Takes the oldest SDU that has arrived; nil if there is none. Its credits go back to the
    /// peer, so look for frames to send.
    package mutating func take(from channel: ChannelIdentifier) -> [UInt8]? {
        guard let index = index(of: channel), channels[index].phase == .open else { return nil }
        return channels[index].receiver.take()
    }

    /// Queues an SDU, which leaves when the peer's credits and the controller's room allow:
    /// `.sent` tells when.
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

    /// Whether a channel is open and has no SDU of ours to send.
    package func isIdle(_ channel: ChannelIdentifier) -> Bool {
        guard let index = index(of: channel) else { return false }
        return channels[index].phase == .open && channels[index].sender.isIdle
    }

    /// Takes back an SDU that has not begun to leave.
    package mutating func cancelSending(_ id: RequestID, on channel: ChannelIdentifier) {
        guard let index = index(of: channel) else { return }
        _ = channels[index].sender.cancel(id)
    }

    /// The peer gives us credits. It may do so while it does not know yet that the channel is
    /// closed (Vol 3, Part A, 4.24).
    mutating func receive(_ credit: Signalling.FlowControlCredit, now: Instant) -> [Action] {
        // The identifier is that of the peer's end: of whoever sends the credits.
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

// The way down.
extension LogicalLink {
    /// The next command or grant of credits, as a whole frame; nil if there is none.
    package mutating func nextUrgentFrame() -> [UInt8]? {
        guard let command = nextCommand() ?? nextGrant() else { return nil }
        return L2CAPFrame.encode(command, on: .signalling)
    }

    /// The next frame of a channel, and what it completes; nil if none may leave. Channels take
    /// turns frame by frame, so none waits for another's long SDU.
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
            let grant = Signalling.FlowControlCredit(
                channel: channels[index].local,
                credits: credits
            )
            return signalling.indicate(grant)
        }
        return nil
    }
}
