// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

// Channels that peers open.
extension HostCore {
    /// Gives channels to peers that ask for this number, or for one that is chosen here.
    package mutating func listen(
        _ spsm: L2CAP.SPSM?,
        terms: ListenerTerms,
        backlogLimit: Int
    ) throws(L2CAP.Failure) -> ListenerKey {
        guard let spsm = spsm ?? listeners.freeNumber, listeners[spsm] == nil, !listeners.isFull,
            spsm != .enhancedATT || !configuration.servesEnhancedBearers
        else { throw .alreadyListening }
        guard spsm.isValid, terms.options.isValid(for: terms.isEnhancedOnly ? .enhanced : .credit),
            backlogLimit > 0
        else { throw .invalidParameters }
        return listeners.add(spsm, terms, backlogLimit: backlogLimit)
    }

    /// Gives no more of them. Those that nobody has accepted are closed.
    package mutating func stopListening(_ key: ListenerKey, now: Instant) {
        guard let listener = listeners[key] else { return }
        listeners[key.spsm] = nil
        if let acceptor = listener.acceptor { complete(acceptor, .channels([])) }
        for channel in listener.backlog { closeChannel(channel, now: now) }
    }

    /// Waits for the next channel; the answer is `channels`, none if nobody listens any more.
    package mutating func accept(_ key: ListenerKey, id: RequestIdentifier) {
        guard let listener = listeners[key] else { return complete(id, .channels([])) }
        guard listener.acceptor == nil else { return fail(id, HostError.busy) }
        listeners[key.spsm]?.acceptor = id
        serveAcceptor(of: key.spsm)
    }

    /// Nobody waits for a channel any more.
    package mutating func cancelAccepting(_ key: ListenerKey, _ id: RequestIdentifier) {
        if listeners[key]?.acceptor == id { listeners[key.spsm]?.acceptor = nil }
    }

    /// Which link a channel is on, as long as it is remembered.
    package func link(of channel: ChannelNumber) -> (LinkIdentifier, DeviceAddress)? {
        guard let link = channels[channel]?.place.link,
            let peer = handles[link].flatMap({ links[$0]?.identity })
        else { return nil }
        return (link, peer)
    }

    mutating func accepted(
        _ channel: ChannelIdentifier,
        for spsm: L2CAP.SPSM,
        of link: LinkIdentifier,
        now: Instant
    ) {
        let number = channels.add(.init(link: link, channel: channel))
        guard let listener = listeners[spsm] else { return closeChannel(number, now: now) }
        if let handle = handles[link] {
            links[handle]?.recombiner.allow(listener.terms.options.mps)
        }
        listeners[spsm]?.backlog.append(number)
        serveAcceptor(of: spsm)
    }

    /// A channel that ended before it was accepted is not worth a word, unless it has something to
    /// read: its number is forgotten by and by.
    private mutating func serveAcceptor(of spsm: L2CAP.SPSM) {
        guard let acceptor = listeners[spsm]?.acceptor else { return }
        while let number = listeners[spsm]?.backlog.first {
            listeners[spsm]?.backlog.removeFirst()
            guard link(of: number) != nil else { continue }
            listeners[spsm]?.acceptor = nil
            return complete(acceptor, .channels([number]))
        }
    }

    /// What decides whether the peer of a link gets a channel now.
    func channelConditions(of link: LinkState) -> ChannelConditions {
        var conditions = ChannelConditions()
        conditions.listeners = listeners.terms
        if configuration.servesEnhancedBearers {
            conditions.listeners[.enhancedATT] = enhancedTerms(on: link)
        }
        // Of a bonded peer nothing is taken before it has shown who it is.
        if link.isSealed {
            for spsm in conditions.listeners.keys {
                conditions.listeners[spsm]?.requirement.needsEncryption = true
            }
        }
        conditions.security = link.security
        conditions.isAuthorized = link.isAuthorized
        return conditions
    }
}
