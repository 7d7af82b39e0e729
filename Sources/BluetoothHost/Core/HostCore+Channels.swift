// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

// Channels. The host assigns their numbers, because a channel may outlast its link.
extension HostCore {
    /// Starts a request about a link's channels. The answer is a `completed` action.
    package mutating func request(
        _ request: ChannelRequest,
        of link: LinkIdentifier,
        id: RequestIdentifier,
        now: Instant
    ) {
        let channels = context.channels
        let target: LinkIdentifier?
        switch request {
        case .open: target = link
        case .send(_, let number):
            target = channels.openPlace(number)?.link
            if target == nil { fail(id, (channels[number]?.end ?? .closed).error) }
        case .receive(let number): target = beginReceiving(from: number, id: id)
        case .resize(let numbers, _, _):
            let places = numbers.compactMap { channels.openPlace($0) }
            let isOneLink = places.count == numbers.count && Set(places.map(\.link)).count == 1
            target = isOneLink ? places.first?.link : nil
            if target == nil { fail(id, L2CAP.Failure.closed) }
        case .close(let number):
            target = channels.openPlace(number)?.link
            if target == nil { complete(id, .done) }
        case .awaitEnd(let number): return awaitEnd(of: number, id: id)
        }
        guard let target else { return }
        let found: Void? = withLink(target, now: now) {
            $0.request(request, id: id, &$1)
        }
        if found == nil { failWithoutLink(id) }
    }

    /// Records a request for the next SDU. Returns the link of the channel, or `nil` if the request
    /// was answered.
    private mutating func beginReceiving(
        from number: ChannelNumber,
        id: RequestIdentifier
    ) -> LinkIdentifier? {
        guard let entry = context.channels[number] else {
            complete(id, .sdu(nil))
            return nil
        }
        guard entry.reader == nil else {
            fail(id, HostError.busy)
            return nil
        }
        if let sdu = entry.unread.first {
            context.channels[number]?.unread.removeFirst()
            complete(id, .sdu(sdu))
        } else if let end = entry.end {
            context.completeReading(id, at: end)
        } else {
            context.channels[number]?.reader = id
            return entry.place.link
        }
        return nil
    }

    private mutating func awaitEnd(of number: ChannelNumber, id: RequestIdentifier) {
        guard let entry = context.channels[number] else { return complete(id, .end(.closed)) }
        if let end = entry.end { return complete(id, .end(end)) }
        context.channels[number]?.watchers.append(id)
    }

    /// Ends a request that the application has canceled. The driver ignores a later answer.
    package mutating func cancel(
        _ request: ChannelRequest,
        _ id: RequestIdentifier,
        of link: LinkIdentifier,
        now: Instant
    ) {
        switch request {
        case .open: withLink(link, now: now) { $0.cancel(request, id, $1) }
        case .send(_, let number):
            guard let place = context.channels.openPlace(number) else { return }
            withLink(place.link, now: now) { $0.cancel(request, id, $1) }
        case .receive(let number), .awaitEnd(let number), .close(let number):
            context.channels.forgetWaiter(id, of: number)
        case .resize: break
        }
    }

    /// Closes a channel. No request waits for the result.
    package mutating func close(_ number: ChannelNumber, now: Instant) {
        guard let place = context.channels.openPlace(number) else { return }
        withLink(place.link, now: now) { link, context in
            link.closeChannel(number, &context)
            link.pump(&context)
        }
    }

    /// Returns the description of an open channel, or `nil` if it has ended.
    package func description(of number: ChannelNumber) -> ChannelDescription? {
        guard let place = context.channels.openPlace(number) else { return nil }
        return look(at: place.link) { $0.logicalLink.description(of: place.channel) }
    }

    /// Returns the link and the peer of a channel, or `nil` if the channel or its link is no longer
    /// known.
    package func link(of number: ChannelNumber) -> (LinkIdentifier, DeviceAddress)? {
        guard let link = context.channels[number]?.place.link,
            let peer = look(at: link, { $0.identity })
        else { return nil }
        return (link, peer)
    }
}

// Listeners for channels that peers open.
extension HostCore {
    /// Accepts channels that peers open.
    ///
    /// - Parameters:
    ///   - spsm: The SPSM of the channels or, with `nil`, any unused one.
    ///   - terms: The conditions and parameters of the channels.
    ///   - backlogLimit: The maximum number of channels that wait to be accepted, at least 1.
    /// - Throws: ``L2CAP/Failure/alreadyListening`` if the SPSM is in use, no SPSM is free or there
    ///   is no room for another listener, and ``L2CAP/Failure/invalidParameters`` for invalid
    ///   values.
    package mutating func listen(
        _ spsm: L2CAP.SPSM?,
        terms: ListenerTerms,
        backlogLimit: Int
    ) throws(L2CAP.Failure) -> ListenerKey {
        let listeners = context.listeners
        guard let spsm = spsm ?? listeners.freeNumber, listeners[spsm] == nil, !listeners.isFull,
            spsm != .enhancedATT || !configuration.servesEnhancedBearers
        else { throw .alreadyListening }
        guard spsm.isValid, terms.options.isValid(for: terms.isEnhancedOnly ? .enhanced : .credit),
            backlogLimit > 0
        else { throw .invalidParameters }
        return context.listeners.add(spsm, terms, backlogLimit: backlogLimit)
    }

    /// Stops a listener. Channels that the application has not accepted are closed.
    package mutating func stopListening(_ key: ListenerKey, now: Instant) {
        guard let listener = context.listeners[key] else { return }
        context.listeners[key.spsm] = nil
        if let acceptor = listener.acceptor { complete(acceptor, .channels([])) }
        for number in listener.backlog { close(number, now: now) }
    }

    /// Awaits the next channel. The answer is `channels`, which is empty if the listener has ended.
    package mutating func accept(_ key: ListenerKey, id: RequestIdentifier) {
        guard let listener = context.listeners[key] else { return complete(id, .channels([])) }
        guard listener.acceptor == nil else { return fail(id, HostError.busy) }
        context.listeners[key.spsm]?.acceptor = id
        context.serveAcceptor(of: key.spsm)
    }

    /// Ends a canceled request for the next channel.
    package mutating func cancelAccepting(_ key: ListenerKey, _ id: RequestIdentifier) {
        if context.listeners[key]?.acceptor == id { context.listeners[key.spsm]?.acceptor = nil }
    }
}
