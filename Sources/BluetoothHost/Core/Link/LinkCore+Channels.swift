// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

// Credit-based channels: the requests of the application.
extension LinkCore {
    /// Takes a request. The answer is a `completed` action.
    mutating func request(
        _ request: ChannelRequest,
        id: RequestIdentifier,
        _ context: inout LinkContext
    ) {
        switch request {
        case .open(let spsm, let mode, let count, let options):
            guard !hold(.channels(request), id, &context) else { return }
            let opened = openChannels(spsm, mode, count, options, id: id, &context)
            if opened { noteRepeatable(.channels(request), id, context) }
        case .send(let sdu, let number): send(sdu, on: number, id: id, &context)
        case .receive(let number): serveReader(of: number, &context)
        case .resize(let numbers, let mtu, let mps):
            resize(numbers, mtu, mps, id: id, &context)
        case .close(let number): closeChannel(number, id: id, &context)
        case .awaitEnd: break  // `HostCore` answers, at once or at the channel's end.
        }
        pump(&context)
    }

    /// Ends a request that the application has canceled. The driver ignores a later answer.
    mutating func cancel(
        _ request: ChannelRequest,
        _ id: RequestIdentifier,
        _ context: LinkContext
    ) {
        switch request {
        case .open:
            protection.held.remove(id)
            logicalLink.cancelOpening(id.rawValue)
            _ = forgetRefused(id)
        case .send(_, let number):
            guard let channel = context.channels.openChannel(number) else { return }
            logicalLink.cancelSending(id.rawValue, on: channel)
        case .receive, .awaitEnd, .close, .resize: break
        }
    }

    /// Opens channels to the peer. Returns `false`, after the request has failed, if that is not
    /// possible.
    mutating func openChannels(
        _ spsm: L2CAP.SPSM,
        _ mode: L2CAP.Mode,
        _ count: Int,
        _ options: L2CAP.ChannelOptions,
        id: RequestIdentifier,
        _ context: inout LinkContext
    ) -> Bool {
        do throws(L2CAP.Failure) {
            recombiner.allow(options.mps)
            try logicalLink.open(
                spsm,
                mode,
                count: count,
                options: options,
                id: id.rawValue,
                now: context.now
            )
            return true
        } catch {
            context.fail(id, error)
            return false
        }
    }

    private mutating func send(
        _ sdu: [UInt8],
        on number: ChannelNumber,
        id: RequestIdentifier,
        _ context: inout LinkContext
    ) {
        do throws(L2CAP.Failure) {
            guard let channel = context.channels.openChannel(number) else { throw .closed }
            try logicalLink.send(sdu, on: channel, id: id.rawValue)
        } catch {
            context.fail(id, error)
        }
    }

    /// Passes the received SDU to the request that awaits it. The peer gets credits for it.
    private mutating func serveReader(of number: ChannelNumber, _ context: inout LinkContext) {
        guard let reader = context.channels[number]?.reader,
            let channel = context.channels.openChannel(number),
            let sdu = logicalLink.take(from: channel)
        else { return }
        context.channels[number]?.reader = nil
        context.complete(reader, .sdu(sdu))
    }

    private mutating func resize(
        _ numbers: [ChannelNumber],
        _ mtu: Int,
        _ mps: Int,
        id: RequestIdentifier,
        _ context: inout LinkContext
    ) {
        let channels = numbers.compactMap { context.channels.openChannel($0) }
        do throws(L2CAP.Failure) {
            recombiner.allow(mps)
            try logicalLink.reconfigure(
                channels,
                mtu: mtu,
                mps: mps,
                id: id.rawValue,
                now: context.now
            )
        } catch {
            context.fail(id, error)
        }
    }

    /// Closes a channel. The request `id` completes when the peer has confirmed the disconnection
    /// or has not responded in time, or the link has ended.
    mutating func closeChannel(
        _ number: ChannelNumber,
        id: RequestIdentifier? = nil,
        _ context: inout LinkContext
    ) {
        guard let place = context.channels[number]?.place, context.channels[number]?.end == nil
        else {
            if let id { context.complete(id, .done) }
            return
        }
        let actions = logicalLink.close(place.channel, now: context.now)
        if let id { context.channels.addCloser(id, at: place) }
        perform(actions, &context)
    }
}

// The actions of the channels.
extension LinkCore {
    mutating func perform(_ actions: [LogicalLink.Action], _ context: inout LinkContext) {
        for action in actions where !takeEnhanced(action, &context) {
            perform(action, &context)
        }
    }

    private mutating func perform(_ action: LogicalLink.Action, _ context: inout LinkContext) {
        switch action {
        case .decide(let request, let identifier):
            decide(request, identifier, &context)
        case .parametersEnded(let end): parametersRequestEnded(end, &context)
        case .opened(let id, let opened):
            let numbers = opened.map { context.channels.add(.init(link: identifier, channel: $0)) }
            repeatable[id] = nil
            context.complete(RequestIdentifier(rawValue: id), .channels(numbers))
        case .refused(let id, let failure):
            guard !repeatsWhenSecured(id, failure.refusal, &context) else { return }
            context.fail(RequestIdentifier(rawValue: id), failure)
        case .abandoned(let id, let failure), .reconfigured(let id, .failed(let failure)):
            context.fail(RequestIdentifier(rawValue: id), failure)
        case .accepted(let spsm, let opened):
            for channel in opened { accept(channel, for: spsm, &context) }
        case .arrived(let channel):
            guard let number = context.channels.number(at: place(of: channel)) else { return }
            serveReader(of: number, &context)
        case .sent(let id), .reconfigured(let id, .done):
            context.complete(RequestIdentifier(rawValue: id), .done)
        case .resized: break
        case .closed(let channel, let failure, let unread):
            context.channelEnded(place(of: channel), L2CAPChannel.End(failure), unread: unread)
        case .released(let channel):
            for closer in context.channels.takeClosers(at: place(of: channel)) {
                context.complete(closer, .done)
            }
        case .ignore(let reason): context.emit(.log("ignored on a channel: \(reason)"))
        }
    }

    private func place(of channel: ChannelIdentifier) -> ChannelTable.Place {
        .init(link: identifier, channel: channel)
    }

    /// Passes a channel that the peer has opened to the listener.
    private mutating func accept(
        _ channel: ChannelIdentifier,
        for spsm: L2CAP.SPSM,
        _ context: inout LinkContext
    ) {
        let number = context.channels.add(place(of: channel))
        guard let listener = context.listeners[spsm] else {
            return closeChannel(number, &context)
        }
        recombiner.allow(listener.terms.options.mps)
        context.listeners[spsm]?.backlog.append(number)
        context.serveAcceptor(of: spsm)
    }

    /// Returns the current terms for channels that the peer opens.
    func channelConditions(_ context: LinkContext) -> ChannelConditions {
        var conditions = ChannelConditions()
        conditions.listeners = context.listeners.terms
        if context.configuration.servesEnhancedBearers {
            conditions.listeners[.enhancedATT] = enhancedTerms(context)
        }
        // A bonded peer gets no channel before it has proved its identity.
        if awaitsEncryption {
            for spsm in conditions.listeners.keys {
                conditions.listeners[spsm]?.requirement.needsEncryption = true
            }
        }
        conditions.security = security
        conditions.isAuthorized = isAuthorized
        return conditions
    }

    /// Ends all channels, because the link has ended.
    mutating func endChannels(with error: HostError, _ context: inout LinkContext) {
        for number in context.channels.numbers(on: identifier) {
            guard let place = context.channels[number]?.place else { continue }
            var unread: [[UInt8]] = []
            while let sdu = logicalLink.take(from: place.channel) { unread.append(sdu) }
            context.channelEnded(place, .linkEnded(error), unread: unread)
        }
        for closer in context.channels.linkEnded(identifier) {
            context.complete(closer, .done)
        }
        context.listeners.forget { [channels = context.channels] in !channels.isLinkOpen(of: $0) }
        failWaitingOpenings(with: error, &context)
        for id in logicalLink.end() where id < LinkContext.ownOperationBase {
            context.fail(RequestIdentifier(rawValue: id), error)
        }
    }
}

extension LinkContext {
    fileprivate mutating func channelEnded(
        _ place: ChannelTable.Place,
        _ end: L2CAPChannel.End,
        unread: [[UInt8]]
    ) {
        guard let number = channels.number(at: place) else { return }
        if case .violated(let violation) = end {
            let text = "closed channel \(place.channel): \(violation)"
            emit(.log("link \(place.link.rawValue): \(text)"))
        }
        // An application that closed the channel does not read from it.
        let kept = end == .closed ? [] : unread
        if kept.isEmpty { listeners.forget { $0 == number } }
        guard let entry = channels.end(number, end, unread: kept) else { return }
        if let reader = entry.reader { completeReading(reader, at: end) }
        for watcher in entry.watchers { complete(watcher, .end(end)) }
    }

    /// Completes a request for an SDU at the end of the channel. A graceful end is not an error.
    mutating func completeReading(_ reader: RequestIdentifier, at end: L2CAPChannel.End) {
        switch end {
        case .closed, .closedByPeer: complete(reader, .sdu(nil))
        case .violated, .linkEnded: fail(reader, end.error)
        }
    }

    /// Completes the request for the next channel of a listener. Skips a channel whose link ended
    /// before the channel was accepted.
    mutating func serveAcceptor(of spsm: L2CAP.SPSM) {
        guard let acceptor = listeners[spsm]?.acceptor else { return }
        while let number = listeners[spsm]?.backlog.first {
            listeners[spsm]?.backlog.removeFirst()
            guard channels.isLinkOpen(of: number) else { continue }
            listeners[spsm]?.acceptor = nil
            return complete(acceptor, .channels([number]))
        }
    }
}

extension FrameRecombiner {
    /// Raises the maximum payload of received frames to at least `payloadLength` bytes, the MPS
    /// that this host offers the peer on a channel.
    mutating func allow(_ payloadLength: Int) {
        receiveLimit = max(receiveLimit, payloadLength)
    }
}
