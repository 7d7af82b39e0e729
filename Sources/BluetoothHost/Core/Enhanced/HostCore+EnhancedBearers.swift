// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

// Enhanced ATT: how bearers begin, carry PDUs, and end (Vol 3, Part G, 5.3).
extension HostCore {
    /// On what terms a peer gets bearers: on an encrypted link only (Vol 3, Part G, 5.3.2).
    func enhancedTerms(on link: LinkState) -> ListenerTerms {
        var terms = ListenerTerms()
        terms.isEnhancedOnly = true
        terms.requirement = .encrypted
        terms.options = enhancedOptions
        terms.room = link.enhanced.room
        return terms
    }

    private var enhancedOptions: L2CAP.ChannelOptions {
        let mtu = min(max(configuration.attMTU, ATT.enhancedMTUMinimum), 517)
        return L2CAP.ChannelOptions(mtu: mtu, mps: min(mtu, 247), window: 8)
    }

    /// Opens bearers to the peer's server; the answer is `done`.
    package mutating func openEnhancedBearers(
        _ count: Int,
        on link: LinkIdentifier,
        id: RequestIdentifier,
        now: Instant
    ) {
        guard let handle = handles[link], let state = links[handle] else {
            return fail(id, HostError.disconnected(.unknownConnectionIdentifier))
        }
        guard !hold(.bearers(count), id, on: handle, now: now) else { return }
        let options = enhancedOptions
        do throws(L2CAP.Failure) {
            guard state.enhanced.room >= count else { throw .noRoom }
            try links[handle]?.logicalLink.open(
                .enhancedATT,
                .enhanced,
                count: count,
                options: options,
                id: id.rawValue,
                now: now
            )
        } catch {
            return fail(id, error)
        }
        links[handle]?.enhanced.openings.insert(id.rawValue)
        note(.bearers(count), id, on: handle)
        pump(handle, now: now)
    }

    /// Nobody waits for the bearers any more: those that come are closed.
    package mutating func cancelEnhancedOpening(_ id: RequestIdentifier, on link: LinkIdentifier) {
        guard let handle = handles[link] else { return }
        links[handle]?.protection.held.remove(id)
        links[handle]?.enhanced.openings.remove(id.rawValue)
        forgetDemand(id, on: handle)
        links[handle]?.logicalLink.cancelOpening(id.rawValue)
    }

    /// How many bearers a link has beside its first.
    package func enhancedBearerCount(of link: LinkIdentifier) -> Int {
        handles[link].flatMap { links[$0]?.enhanced.bearers.count } ?? 0
    }

    /// Takes what a link's channels tell that is about bearers; false if it is not.
    mutating func takeEnhanced(
        _ action: LogicalLink.Action,
        on handle: ConnectionHandle,
        now: Instant
    ) -> Bool {
        switch action {
        case .opened(let id, let channels):
            guard links[handle]?.enhanced.openings.remove(id) != nil else { return false }
            links[handle]?.repeatable[id] = nil
            for channel in channels { addBearer(channel, on: handle) }
            complete(RequestIdentifier(rawValue: id), .done)
        case .refused(let id, _):
            links[handle]?.enhanced.openings.remove(id)
            return false
        case .accepted(.enhancedATT, let channels):
            for channel in channels { addBearer(channel, on: handle) }
        case .arrived(let channel):
            guard let place = links[handle]?.enhanced.index(of: channel) else { return false }
            receive(on: place, of: handle, now: now)
        case .sent(let id), .abandoned(let id, _):
            guard id >= Self.ownOperationBase else { return false }
        case .closed(let channel, _, _):
            guard let bearer = links[handle]?.enhanced.remove(channel) else { return false }
            bearerEnded(bearer, on: handle, now: now)
        default: return false
        }
        return true
    }

    private mutating func addBearer(_ channel: ChannelIdentifier, on handle: ConnectionHandle) {
        guard let link = links[handle]?.identifier, let security = links[handle]?.security,
            let channelNow = links[handle]?.logicalLink.description(of: channel)
        else { return }
        // The smaller of the two, for both directions (Vol 3, Part G, 5.3.1).
        let mtu = min(channelNow.sendMTU, channelNow.receiveMTU)
        links[handle]?.enhanced.add(channel, mtu: mtu)
        server.open(link.bearer(channel), security: security, mtu: mtu)
    }

    private mutating func receive(on place: Int, of handle: ConnectionHandle, now: Instant) {
        guard let channel = links[handle]?.enhanced[place].channel else { return }
        while let pdu = links[handle]?.logicalLink.take(from: channel) {
            // It may have been closed for what came before.
            guard let place = links[handle]?.enhanced.index(of: channel),
                let actions = links[handle]?.enhanced[place].gatt.receive(pdu[...], now: now)
            else { return }
            perform(actions, on: channel, of: handle, now: now)
        }
    }

    /// What a bearer's client wants done.
    private mutating func perform(
        _ actions: [GATTClient.Action],
        on channel: ChannelIdentifier,
        of handle: ConnectionHandle,
        now: Instant
    ) {
        guard let link = links[handle]?.identifier else { return }
        for action in actions {
            switch action {
            case .request(let request), .command(let request):
                announce(handle)
                perform(server.receive(request, on: link.bearer(channel), now: now))
            case .completed:
                if let place = links[handle]?.enhanced.index(of: channel) {
                    links[handle]?.enhanced[place].load -= 1
                }
                perform([action], on: handle, now: now)
            case .closeLink:
                // Of several bearers only the one that hangs is ended (Vol 3, Part F, 3.3.3).
                let closing = links[handle]?.logicalLink.close(channel, now: now) ?? []
                for action in closing { perform(action, on: handle, now: now) }
            default: perform([action], on: handle, now: now)
            }
        }
    }

    /// A bearer has ended with its channel; operations on it fail, those elsewhere go on.
    private mutating func bearerEnded(
        _ bearer: EnhancedBearers.Bearer,
        on handle: ConnectionHandle,
        now: Instant
    ) {
        guard let link = links[handle]?.identifier else { return }
        var gatt = bearer.gatt
        perform(gatt.close(), on: handle, now: now)
        perform(server.close(link.bearer(bearer.channel)))
    }
}

// The way down, and the clock.
extension HostCore {
    /// Answers a request of the peer's on the bearer that it came on.
    mutating func respond(
        _ answer: ATT.PDU,
        on bearer: GATTServer.BearerID,
        of handle: ConnectionHandle
    ) {
        let channel = ChannelIdentifier(rawValue: bearer.channel)
        guard channel != .att else {
            links[handle]?.gatt.respond(answer)
            return
        }
        guard let place = links[handle]?.enhanced.index(of: channel) else { return }
        links[handle]?.enhanced[place].gatt.respond(answer)
    }

    /// Starts an operation on the least busy bearer beside the first, if that is busy and the
    /// operation may overtake what is.
    mutating func startEnhanced(
        _ operation: GATT.Operation,
        id: UInt64,
        on handle: ConnectionHandle,
        now: Instant
    ) -> Bool {
        guard links[handle]?.enhanced.isEmpty == false, operation.mayUseAnyBearer,
            let load = links[handle]?.gatt.operationCount,
            let place = links[handle]?.enhanced.leastBusy(below: load),
            let channel = links[handle]?.enhanced[place].channel
        else { return false }
        links[handle]?.enhanced[place].load += 1
        let actions = links[handle]?.enhanced[place].gatt.start(operation, id: id) ?? []
        perform(actions, on: channel, of: handle, now: now)
        return true
    }

    mutating func cancelEnhanced(_ id: UInt64, on handle: ConnectionHandle, now: Instant) {
        for bearer in links[handle]?.enhanced.bearers ?? [] {
            guard let place = links[handle]?.enhanced.index(of: bearer.channel),
                let actions = links[handle]?.enhanced[place].gatt.cancel(id)
            else { continue }
            perform(actions, on: bearer.channel, of: handle, now: now)
        }
    }

    /// The peer's table is another one: what waits on these bearers for its turn names what was.
    mutating func failEnhancedOutOfSync(_ handle: ConnectionHandle, now: Instant) {
        for bearer in links[handle]?.enhanced.bearers ?? [] {
            guard let place = links[handle]?.enhanced.index(of: bearer.channel),
                let actions = links[handle]?.enhanced[place].gatt.failOutOfSync()
            else { continue }
            perform(actions, on: bearer.channel, of: handle, now: now)
        }
    }

    /// Hands each bearer's next PDU to its channel, once the one before has left it.
    mutating func fillEnhanced(_ handle: ConnectionHandle, now: Instant) {
        // Most links have none, and this is asked for every frame.
        guard links[handle]?.enhanced.isEmpty == false else { return }
        for bearer in links[handle]?.enhanced.bearers ?? [] {
            guard links[handle]?.logicalLink.isIdle(bearer.channel) == true,
                let place = links[handle]?.enhanced.index(of: bearer.channel),
                let outgoing = links[handle]?.enhanced[place].gatt.nextPDU(now: now)
            else { continue }
            let id = takeOwnOperation()
            try? links[handle]?.logicalLink.send(outgoing.bytes, on: bearer.channel, id: id)
            perform(outgoing.actions, on: bearer.channel, of: handle, now: now)
        }
    }

    mutating func expireEnhanced(_ handle: ConnectionHandle, now: Instant) {
        for bearer in links[handle]?.enhanced.bearers ?? [] {
            guard let place = links[handle]?.enhanced.index(of: bearer.channel),
                let actions = links[handle]?.enhanced[place].gatt.deadlinePassed(now: now)
            else { continue }
            perform(actions, on: bearer.channel, of: handle, now: now)
        }
    }
}

extension LinkIdentifier {
    /// The bearer on a channel of the link.
    func bearer(_ channel: ChannelIdentifier) -> GATTServer.BearerID {
        .init(client: client, channel: channel.rawValue)
    }
}
