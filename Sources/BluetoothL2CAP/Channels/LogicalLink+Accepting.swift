// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

// Channels that the peer requests. The host responds immediately.
extension LogicalLink {
    /// Processes a request for one channel (Vol 3, Part A, 4.22 and 4.23).
    mutating func accept(
        _ request: Signaling.LECreditBasedConnectionRequest,
        _ identifier: Signaling.Identifier,
        under conditions: ChannelConditions
    ) -> [Action] {
        let spsm = L2CAP.SPSM(rawValue: request.spsm)
        let offer = Offer(request)
        switch acceptance(of: offer, for: spsm, under: conditions) {
        case .failure(let refusal):
            answer(identifier, result: refusal.result, channel: nil)
            return []
        case .success(let terms):
            let channel = addChannel(request.source, of: offer, for: spsm, on: terms)
            answer(identifier, result: .success, channel: channel)
            return [.accepted(spsm, [channel.local])]
        }
    }

    /// Checks a request for one channel: first the listener and the security of the link, then the
    /// sizes, the source and the number of channels.
    private func acceptance(
        of offer: Offer,
        for spsm: L2CAP.SPSM,
        under conditions: ChannelConditions
    ) -> Result<ListenerTerms, L2CAP.ConnectionRefusal> {
        conditions.terms(for: spsm, .credit).flatMap { terms in
            let refusal =
                refusal(of: offer, on: terms)
                ?? refusal(ofSource: offer.sources[0], besides: [])
                ?? (min(freeChannelCount, terms.freeChannelCount) > 0 ? nil : .noResources)
            return refusal.map { .failure(.init(result: $0)) } ?? .success(terms)
        }
    }

    private mutating func answer(
        _ identifier: Signaling.Identifier,
        result: L2CAP.ConnectionResult,
        channel: CreditBasedChannel?
    ) {
        let response = Signaling.LECreditBasedConnectionResponse(
            destination: channel?.local ?? .none,
            mtu: UInt16(channel?.receiver.mtu ?? 0),
            mps: UInt16(channel?.receiver.mps ?? 0),
            initialCredits: UInt16(channel?.receiver.credits ?? 0),
            result: result.rawValue
        )
        queueAnswer(response.encode(identifier: identifier))
    }

    /// Processes a request for up to five channels, which may be accepted in part (Vol 3, Part A,
    /// 4.25 and 4.26).
    mutating func accept(
        _ request: Signaling.CreditBasedConnectionRequest,
        _ identifier: Signaling.Identifier,
        under conditions: ChannelConditions
    ) -> [Action] {
        let spsm = L2CAP.SPSM(rawValue: request.spsm)
        let offer = Offer(request)
        let terms: ListenerTerms
        switch conditions.terms(for: spsm, .enhanced) {
        case .failure(let refusal):
            answer(identifier, offer, with: Grant(result: refusal.result, offer), terms: nil)
            return []
        case .success(let found): terms = found
        }
        if let result = refusal(of: offer, on: terms) {
            answer(identifier, offer, with: Grant(result: result, offer), terms: nil)
            return []
        }
        let grant = grant(offer, for: spsm, on: terms)
        answer(identifier, offer, with: grant, terms: terms)
        let opened = grant.destinations.filter { $0 != .none }
        return opened.isEmpty ? [] : [.accepted(spsm, opened)]
    }

    /// Opens every channel that can be opened. Of several refusals, the response contains the last.
    private mutating func grant(
        _ offer: Offer,
        for spsm: L2CAP.SPSM,
        on terms: ListenerTerms
    ) -> Grant {
        var grant = Grant(result: .success, offer)
        var left = min(freeChannelCount, terms.freeChannelCount)
        for (place, source) in offer.sources.enumerated() {
            let before = offer.sources[..<place]
            if let refusal = refusal(ofSource: source, besides: before) {
                grant.result = refusal
            } else if left == 0 {
                grant.result = .noResources
            } else {
                left -= 1
                let channel = addChannel(source, of: offer, for: spsm, on: terms)
                grant.destinations[place] = channel.local
            }
        }
        return grant
    }

    private mutating func answer(
        _ identifier: Signaling.Identifier,
        _ offer: Offer,
        with grant: Grant,
        terms: ListenerTerms?
    ) {
        let response = Signaling.CreditBasedConnectionResponse(
            mtu: UInt16(terms?.options.mtu ?? 0),
            mps: UInt16(terms?.options.mps ?? 0),
            initialCredits: UInt16(terms?.options.initialCredits ?? 0),
            result: grant.result.rawValue,
            destinations: grant.destinations
        )
        queueAnswer(response.encode(identifier: identifier))
    }
}

// Code for both modes.
extension LogicalLink {
    /// The channel ends and the receive limits that the peer offers.
    private struct Offer {
        let mode: L2CAP.Mode
        let mtu: Int
        let mps: Int
        let credits: Int
        let sources: [ChannelIdentifier]

        init(_ request: Signaling.LECreditBasedConnectionRequest) {
            mode = .credit
            mtu = Int(request.mtu)
            mps = Int(request.mps)
            credits = Int(request.initialCredits)
            sources = [request.source]
        }

        init(_ request: Signaling.CreditBasedConnectionRequest) {
            mode = .enhanced
            mtu = Int(request.mtu)
            mps = Int(request.mps)
            credits = Int(request.initialCredits)
            sources = request.sources
        }
    }

    private struct Grant {
        var result: L2CAP.ConnectionResult
        /// The local ends in the order of the request, with `none` for each refused channel.
        var destinations: [ChannelIdentifier]

        init(result: L2CAP.ConnectionResult, _ offer: Offer) {
            self.result = result
            destinations = offer.sources.map { _ in .none }
        }
    }

    private func refusal(of offer: Offer, on terms: ListenerTerms) -> L2CAP.ConnectionResult? {
        let least = offer.mode.sizeMinimum
        // The enhanced mode has a separate result for parameters that are never allowed.
        let impossible =
            offer.mode == .enhanced
            ? L2CAP.ConnectionResult.invalidParameters : .unacceptableParameters
        guard offer.mtu >= least, (least...0xFFFD).contains(offer.mps) else { return impossible }
        guard offer.mode == .credit || offer.credits > 0 else { return impossible }
        guard terms.options.isValid(for: offer.mode), offer.mtu >= terms.peerMTUMinimum
        else { return .unacceptableParameters }
        return nil
    }

    private func refusal(
        ofSource source: ChannelIdentifier,
        besides others: ArraySlice<ChannelIdentifier>
    ) -> L2CAP.ConnectionResult? {
        guard source.isDynamic else { return .invalidSource }
        return isTaken(remote: source) || others.contains(source) ? .sourceAlreadyAllocated : nil
    }

    private mutating func addChannel(
        _ source: ChannelIdentifier,
        of offer: Offer,
        for spsm: L2CAP.SPSM,
        on terms: ListenerTerms
    ) -> CreditBasedChannel {
        let channel = CreditBasedChannel(
            local: takeIdentifier(),
            remote: source,
            spsm: spsm,
            mode: offer.mode,
            phase: .open,
            sender: ChannelSender(mtu: offer.mtu, mps: offer.mps, credits: offer.credits),
            receiver: ChannelReceiver(terms.options)
        )
        channels.append(channel)
        return channel
    }
}

extension ChannelIdentifier {
    /// The null identifier, which the specification uses for "no channel" (Vol 3, Part A, 2.1).
    package static let none = ChannelIdentifier(rawValue: 0x0000)
}
