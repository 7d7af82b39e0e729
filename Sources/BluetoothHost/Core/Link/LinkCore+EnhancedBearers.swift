// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

// Enhanced ATT: the opening, the PDUs and the closing of bearers (Vol 3, Part G, 5.3).
extension LinkCore {
    /// Returns the terms for bearers that a peer opens. They require an encrypted link (Vol 3,
    /// Part G, 5.3.2).
    func enhancedTerms(_ context: LinkContext) -> ListenerTerms {
        var terms = ListenerTerms()
        terms.isEnhancedOnly = true
        terms.requirement = .encrypted
        terms.options = context.enhancedOptions
        terms.freeChannelCount = enhanced.freeBearerCount
        return terms
    }

    /// Opens bearers to the peer's server. The answer is `done`.
    mutating func openEnhancedBearers(
        _ count: Int,
        id: RequestIdentifier,
        _ context: inout LinkContext
    ) {
        guard !hold(.request(.enhancedBearers(count)), id, &context) else { return }
        guard enhanced.freeBearerCount >= count else {
            return context.fail(id, L2CAP.Failure.noRoom)
        }
        let options = context.enhancedOptions
        guard
            openChannels(.enhancedATT, .enhanced, count, options, id: id, &context)
        else { return }
        enhanced.openings[id.rawValue] = EnhancedBearers.Opening(count: count)
        noteRepeatable(.request(.enhancedBearers(count)), id, context)
        pump(&context)
    }

    /// Ends a request for bearers that the application has canceled. Bearers that open later are
    /// closed.
    mutating func cancelEnhancedOpening(_ id: RequestIdentifier) {
        enhanced.openings[id.rawValue] = nil
        logicalLink.cancelOpening(id.rawValue)
    }

    /// Handles an action of the link's channels if it concerns a bearer. Returns `false` otherwise.
    mutating func takeEnhanced(_ action: LogicalLink.Action, _ context: inout LinkContext) -> Bool {
        switch action {
        case .opened(let id, let channels):
            guard enhanced.openings.removeValue(forKey: id) != nil else { return false }
            repeatable[id] = nil
            for channel in channels { addBearer(channel, &context) }
            context.complete(RequestIdentifier(rawValue: id), .done)
        case .refused(let id, let failure):
            return waitsForRepetition(id, failure, context)
        case .accepted(.enhancedATT, let channels):
            for channel in channels { addBearer(channel, &context) }
        case .arrived(let channel):
            guard enhanced.index(of: channel) != nil else { return false }
            receivePDUs(on: channel, &context)
        case .sent(let id), .abandoned(let id, _):
            return id >= LinkContext.ownOperationBase
        case .closed(let channel, _, _):
            // Operations on this bearer fail. Operations on other bearers continue.
            guard var ended = enhanced.remove(channel) else { return false }
            perform(ended.close().operations, &context)
            let actions = context.server.close(identifier.bearer(channel))
            perform(actions, &context)
        default: return false
        }
        return true
    }

    private mutating func addBearer(_ channel: ChannelIdentifier, _ context: inout LinkContext) {
        guard let description = logicalLink.description(of: channel) else { return }
        // The smaller of the two MTUs applies in both directions (Vol 3, Part G, 5.3.1).
        let mtu = min(description.sendMTU, description.receiveMTU)
        enhanced.add(channel, mtu: mtu)
        context.server.open(identifier.bearer(channel), security: security, mtu: mtu)
    }

    private mutating func receivePDUs(on channel: ChannelIdentifier, _ context: inout LinkContext) {
        while let pdu = logicalLink.take(from: channel) {
            // An earlier PDU may have closed the bearer.
            guard let place = enhanced.index(of: channel) else { return }
            take(enhanced[place].att.receive(pdu[...]), on: channel, &context)
        }
    }

    /// Passes each bearer's next PDU to its channel when the previous PDU has left the channel.
    mutating func fillEnhanced(_ context: inout LinkContext) {
        for channel in enhanced.bearers.map(\.channel) {
            guard logicalLink.isIdle(channel), let place = enhanced.index(of: channel),
                let outgoing = enhanced[place].att.nextPDU(now: context.now)
            else { continue }
            let id = context.takeOperation()
            try? logicalLink.send(outgoing.bytes, on: channel, id: id)
            guard let left = outgoing.completedCommand else { continue }
            let actions = enhanced[place].commandSent(left) ?? []
            perform(actions, on: channel, &context)
        }
    }

    /// Closes the channel of a bearer on which the peer has not ended a transaction in time (Vol 3,
    /// Part F, 3.3.3). Other bearers continue.
    mutating func expire(_ channel: ChannelIdentifier, _ context: inout LinkContext) {
        guard let place = enhanced.index(of: channel),
            let ended = enhanced[place].expire(now: context.now)
        else { return }
        perform(ended.operations, on: channel, &context)
        perform(logicalLink.close(channel, now: context.now), &context)
    }
}

extension LinkContext {
    var enhancedOptions: L2CAP.ChannelOptions {
        let mtu = min(max(configuration.attMTU, ATT.enhancedMTUMinimum), 517)
        return L2CAP.ChannelOptions(mtu: mtu, mps: min(mtu, 247), window: 8)
    }
}
