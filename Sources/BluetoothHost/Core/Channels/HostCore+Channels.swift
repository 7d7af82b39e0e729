// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

// What the application asks of channels with credits.
extension HostCore {
    /// Asks something of a link's channels; the answer is a `completed` action.
    package mutating func request(
        _ wish: ChannelWish,
        of link: LinkIdentifier,
        id: RequestIdentifier,
        now: Instant
    ) {
        switch wish {
        case .open(let spsm, let mode, let count, let options):
            open(spsm, mode, count, options, on: link, id: id, now: now)
        case .send(let sdu, let channel): send(sdu, on: channel, id: id, now: now)
        case .receive(let channel): receive(from: channel, id: id, now: now)
        case .resize(let channels, let mtu, let mps):
            resize(channels, mtu, mps, id: id, now: now)
        case .close(let channel): closeChannel(channel, id: id, now: now)
        case .awaitEnd(let channel): awaitEnd(of: channel, id: id)
        }
    }

    /// The application does not wait for this any more: nothing more will be said of it.
    package mutating func cancel(
        _ wish: ChannelWish,
        _ id: RequestIdentifier,
        of link: LinkIdentifier
    ) {
        switch wish {
        case .open:
            guard let handle = handles[link] else { return }
            links[handle]?.protection.held.remove(id)
            links[handle]?.logicalLink.cancelOpening(id.rawValue)
            forgetDemand(id, on: handle)
        case .send(_, let channel):
            guard let (handle, identifier) = openPlace(of: channel) else { return }
            links[handle]?.logicalLink.cancelSending(id.rawValue, on: identifier)
        case .receive(let channel), .awaitEnd(let channel), .close(let channel):
            channels.forgetWaiter(id, of: channel)
        case .resize: break
        }
    }

    /// What is known of an open channel; nil once it has ended.
    package func description(of channel: ChannelNumber) -> ChannelDescription? {
        guard let (handle, identifier) = openPlace(of: channel) else { return nil }
        return links[handle]?.logicalLink.description(of: identifier)
    }

    private func openPlace(
        of channel: ChannelNumber
    ) -> (handle: ConnectionHandle, identifier: ChannelIdentifier)? {
        guard let entry = channels[channel], entry.end == nil,
            let handle = handles[entry.place.link]
        else { return nil }
        return (handle, entry.place.channel)
    }

    private mutating func open(
        _ spsm: L2CAP.SPSM,
        _ mode: L2CAP.Mode,
        _ count: Int,
        _ options: L2CAP.ChannelOptions,
        on link: LinkIdentifier,
        id: RequestIdentifier,
        now: Instant
    ) {
        guard let handle = handles[link] else {
            let gone = HostError.disconnected(.unknownConnectionIdentifier)
            return fail(id, state == .closed ? HostError.closed : gone)
        }
        let wish = ChannelWish.open(spsm, mode, count: count, options)
        guard !hold(.channels(wish), id, on: handle, now: now) else { return }
        do throws(L2CAP.Failure) {
            links[handle]?.recombiner.allow(options.mps)
            try links[handle]?.logicalLink.open(
                spsm,
                mode,
                count: count,
                options: options,
                id: id.rawValue,
                now: now
            )
        } catch {
            return fail(id, error)
        }
        note(.channels(.open(spsm, mode, count: count, options)), id, on: handle)
        pump(handle, now: now)
    }

    private mutating func send(
        _ sdu: [UInt8],
        on channel: ChannelNumber,
        id: RequestIdentifier,
        now: Instant
    ) {
        guard let (handle, identifier) = openPlace(of: channel) else {
            return fail(id, endError(of: channel))
        }
        do throws(L2CAP.Failure) {
            try links[handle]?.logicalLink.send(sdu, on: identifier, id: id.rawValue)
        } catch {
            return fail(id, error)
        }
        pump(handle, now: now)
    }

    private mutating func receive(
        from channel: ChannelNumber,
        id: RequestIdentifier,
        now: Instant
    ) {
        guard let entry = channels[channel] else { return complete(id, .sdu(nil)) }
        guard entry.reader == nil else { return fail(id, HostError.busy) }
        if let sdu = entry.unread.first {
            channels[channel]?.unread.removeFirst()
            return complete(id, .sdu(sdu))
        }
        if let end = entry.end { return tell(id, of: end) }
        channels[channel]?.reader = id
        serveReader(of: channel, now: now)
    }

    /// An orderly end is no error to who reads.
    private mutating func tell(_ reader: RequestIdentifier, of end: L2CAPChannel.End) {
        switch end {
        case .closed, .closedByPeer: complete(reader, .sdu(nil))
        case .violated, .linkEnded: fail(reader, end.error)
        }
    }

    /// Gives who waits what has arrived; by that the peer gets credits.
    private mutating func serveReader(of channel: ChannelNumber, now: Instant) {
        guard let reader = channels[channel]?.reader,
            let (handle, identifier) = openPlace(of: channel),
            let sdu = links[handle]?.logicalLink.take(from: identifier)
        else { return }
        channels[channel]?.reader = nil
        complete(reader, .sdu(sdu))
        pump(handle, now: now)
    }

    private mutating func resize(
        _ numbers: [ChannelNumber],
        _ mtu: Int,
        _ mps: Int,
        id: RequestIdentifier,
        now: Instant
    ) {
        let places = numbers.compactMap { openPlace(of: $0) }
        guard let handle = places.first?.handle, places.count == numbers.count,
            places.allSatisfy({ $0.handle == handle })
        else { return fail(id, L2CAP.Failure.closed) }
        do throws(L2CAP.Failure) {
            links[handle]?.recombiner.allow(mps)
            try links[handle]?.logicalLink.reconfigure(
                places.map(\.identifier),
                mtu: mtu,
                mps: mps,
                id: id.rawValue,
                now: now
            )
        } catch {
            return fail(id, error)
        }
        pump(handle, now: now)
    }

    /// Closes a channel; `id` is completed when the peer has confirmed it.
    mutating func closeChannel(
        _ channel: ChannelNumber,
        id: RequestIdentifier? = nil,
        now: Instant
    ) {
        guard let (handle, identifier) = openPlace(of: channel),
            let place = channels[channel]?.place,
            let actions = links[handle]?.logicalLink.close(identifier, now: now)
        else {
            if let id { complete(id, .done) }
            return
        }
        if let id { channels.addCloser(id, at: place) }
        perform(actions, on: handle, now: now)
    }

    private mutating func awaitEnd(of channel: ChannelNumber, id: RequestIdentifier) {
        guard let entry = channels[channel] else { return complete(id, .end(.closed)) }
        if let end = entry.end { return complete(id, .end(end)) }
        channels[channel]?.watchers.append(id)
    }

    private func endError(of channel: ChannelNumber) -> any Error {
        (channels[channel]?.end ?? .closed).error
    }
}

// What became of channels.
extension HostCore {
    /// Carries out what a link's channels want, and sends what they have to say.
    mutating func perform(
        _ actions: [LogicalLink.Action],
        on handle: ConnectionHandle,
        now: Instant
    ) {
        for action in actions { perform(action, on: handle, now: now) }
        pump(handle, now: now)
    }

    mutating func perform(
        _ action: LogicalLink.Action,
        on handle: ConnectionHandle,
        now: Instant
    ) {
        guard let link = links[handle]?.identifier,
            !takeEnhanced(action, on: handle, now: now)
        else { return }
        switch action {
        case .decide(let request, let identifier):
            decide(request, identifier, on: handle, now: now)
        case .parametersEnded(let end): parametersRequestEnded(end, on: handle)
        case .opened(let id, let opened):
            let numbers = opened.map { channels.add(.init(link: link, channel: $0)) }
            links[handle]?.repeatable[id] = nil
            complete(RequestIdentifier(rawValue: id), .channels(numbers))
        case .refused(let id, let failure):
            guard !demandsSecurity(id, failure.refusal, on: handle, now: now) else { return }
            fail(RequestIdentifier(rawValue: id), failure)
        case .abandoned(let id, let failure): fail(RequestIdentifier(rawValue: id), failure)
        case .accepted(let spsm, let opened):
            for channel in opened { accepted(channel, for: spsm, of: link, now: now) }
        case .arrived(let channel):
            guard let number = channels.number(at: .init(link: link, channel: channel))
            else { return }
            serveReader(of: number, now: now)
        case .sent(let id): complete(RequestIdentifier(rawValue: id), .done)
        case .resized: break
        case .reconfigured(let id, .done): complete(RequestIdentifier(rawValue: id), .done)
        case .reconfigured(let id, .failed(let failure)):
            fail(RequestIdentifier(rawValue: id), failure)
        case .closed(let channel, let failure, let unread):
            ended(channel, of: link, L2CAPChannel.End(failure), unread: unread)
        case .released(let channel):
            let place = ChannelTable.Place(link: link, channel: channel)
            for closer in channels.takeClosers(at: place) { complete(closer, .done) }
        case .ignore(let reason): emit(.log("ignored on a channel: \(reason)"))
        }
    }

    private mutating func ended(
        _ channel: ChannelIdentifier,
        of link: LinkIdentifier,
        _ end: L2CAPChannel.End,
        unread: [[UInt8]]
    ) {
        guard let number = channels.number(at: .init(link: link, channel: channel))
        else { return }
        if case .violated(let violation) = end {
            emit(.log("link \(link.rawValue): closed channel \(channel): \(violation)"))
        }
        // Who closed the channel reads no more.
        let kept = end == .closed ? [] : unread
        guard let entry = channels.end(number, end, unread: kept) else { return }
        if let reader = entry.reader { tell(reader, of: end) }
        for watcher in entry.watchers { complete(watcher, .end(end)) }
    }

    /// The link is gone, and its channels with it.
    mutating func endChannels(of link: inout LinkState, with error: HostError) {
        for number in channels.numbers(on: link.identifier) {
            guard let channel = channels[number]?.place.channel else { continue }
            var unread: [[UInt8]] = []
            while let sdu = link.logicalLink.take(from: channel) { unread.append(sdu) }
            ended(channel, of: link.identifier, .linkEnded(error), unread: unread)
        }
        for closer in channels.takeClosers(on: link.identifier) { complete(closer, .done) }
        for id in link.logicalLink.end() where id < Self.ownOperationBase {
            fail(RequestIdentifier(rawValue: id), error)
        }
    }
}

extension FrameRecombiner {
    /// Collects frames of this payload as well, which a channel allows its peer.
    mutating func allow(_ payloadLength: Int) {
        receiveLimit = max(receiveLimit, payloadLength)
    }
}
