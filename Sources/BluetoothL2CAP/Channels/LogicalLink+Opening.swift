// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

// Channels that the local host requests.
extension LogicalLink {
    /// Requests one channel, or up to five in the enhanced mode.
    ///
    /// The result is `.opened` or `.refused` with the same `id`, unless the request is canceled.
    ///
    /// - Throws: ``L2CAP/Failure`` `.invalidParameters` or `.noRoom`.
    package mutating func open(
        _ spsm: L2CAP.SPSM,
        _ mode: L2CAP.Mode,
        count: Int = 1,
        options: L2CAP.ChannelOptions,
        id: RequestID,
        now: Instant
    ) throws(L2CAP.Failure) {
        let countLimit = mode == .credit ? 1 : Signaling.channelLimit
        guard spsm.isValid, options.isValid(for: mode), (1...countLimit).contains(count)
        else { throw .invalidParameters }
        guard freeChannelCount >= count else { throw .noRoom }
        let sources = (0..<count).map { _ in addChannel(spsm, mode, options).local }
        guard let identifier = ask(for: sources, spsm, mode, options, now: now) else {
            channels.removeAll { sources.contains($0.local) }
            throw .noRoom
        }
        for source in sources {
            if let index = index(of: source) { channels[index].phase = .opening(identifier) }
        }
        openings[identifier] = Opening(id: id, options: options)
    }

    private mutating func addChannel(
        _ spsm: L2CAP.SPSM,
        _ mode: L2CAP.Mode,
        _ options: L2CAP.ChannelOptions
    ) -> CreditBasedChannel {
        let channel = CreditBasedChannel(
            local: takeIdentifier(),
            remote: .none,
            spsm: spsm,
            mode: mode,
            phase: .closing,
            sender: ChannelSender(mtu: 0, mps: 0, credits: 0),
            receiver: ChannelReceiver(options)
        )
        channels.append(channel)
        return channel
    }

    private mutating func ask(
        for sources: [ChannelIdentifier],
        _ spsm: L2CAP.SPSM,
        _ mode: L2CAP.Mode,
        _ options: L2CAP.ChannelOptions,
        now: Instant
    ) -> Signaling.Identifier? {
        let (mtu, mps) = (UInt16(options.mtu), UInt16(options.mps))
        let credits = UInt16(options.initialCredits)
        guard mode == .enhanced else {
            let request = Signaling.LECreditBasedConnectionRequest(
                spsm: spsm.rawValue,
                source: sources[0],
                mtu: mtu,
                mps: mps,
                initialCredits: credits
            )
            return ask(request, now: now)
        }
        let request = Signaling.CreditBasedConnectionRequest(
            spsm: spsm.rawValue,
            mtu: mtu,
            mps: mps,
            initialCredits: credits,
            sources: sources
        )
        return ask(request, now: now)
    }

    /// Cancels a request for channels. Channels that the peer grants afterward are closed.
    package mutating func cancelOpening(_ id: RequestID) {
        guard let identifier = openings.first(where: { $0.value.id == id })?.key else { return }
        openings[identifier]?.isCancelled = true
    }

    mutating func openingAnswered(
        _ answer: Signaling.ChannelAnswer,
        _ identifier: Signaling.Identifier,
        now: Instant
    ) -> [Action] {
        guard !answer.isPending, let opening = openings.removeValue(forKey: identifier)
        else { return [] }
        let asked = channels.filter { $0.phase == .opening(identifier) }.map(\.local)
        let verdict = verdict(answer, on: asked)
        var opened: [ChannelIdentifier] = []
        for (channel, remote) in zip(asked, verdict.remotes) where remote != .none {
            establish(channel, remote, verdict)
            opened.append(channel)
        }
        channels.removeAll { $0.phase == .opening(identifier) }
        let collisions = verdict.collisions.flatMap {
            close($0, because: .violated(.sharedEnd), now: now)
        }
        guard !opening.isCancelled else {
            // The host canceled the request, so no action reports these channels.
            for channel in opened { _ = close(channel, now: now) }
            return collisions
        }
        let action =
            opened.isEmpty
            ? Action.refused(opening.id, verdict.failure) : .opened(opening.id, opened)
        return collisions + [action]
    }

    private mutating func establish(
        _ channel: ChannelIdentifier,
        _ remote: ChannelIdentifier,
        _ verdict: Verdict
    ) {
        guard let index = index(of: channel) else { return }
        channels[index].remote = remote
        channels[index].phase = .open
        channels[index].sender = verdict.sender
    }
}

// Evaluation of a response.
extension LogicalLink {
    /// The channels that the peer granted: its ends and its limits.
    private struct Verdict {
        var remotes: [ChannelIdentifier] = []
        /// Open channels whose peer end occurs again in the response. Frames with that end can no
        /// longer be attributed to one channel.
        var collisions: [ChannelIdentifier] = []
        var sender = ChannelSender(mtu: 0, mps: 0, credits: 0)
        /// The reason why no channel is open, if none is.
        let failure: L2CAP.Failure
    }

    private func verdict(
        _ answer: Signaling.ChannelAnswer,
        on asked: [ChannelIdentifier]
    ) -> Verdict {
        switch answer {
        case .connected(let response):
            let result = L2CAP.ConnectionResult(rawValue: response.result)
            guard result == .success else { return Verdict(failure: .refused(result)) }
            let sizes = (response.mtu, response.mps, response.initialCredits)
            return verdict([response.destination], sizes, .credit, .malformedAnswer)
        case .connectedSeveral(let response):
            let result = L2CAP.ConnectionResult(rawValue: response.result)
            let isRefused = response.destinations.allSatisfy { $0 == .none }
            // Linux 6.12 sometimes returns only the first channel. Channels that are missing from
            // the response were not granted.
            guard !isRefused, response.destinations.count <= asked.count else {
                let isEmpty = result == .success || !isRefused
                return Verdict(failure: isEmpty ? .malformedAnswer : .refused(result))
            }
            let sizes = (response.mtu, response.mps, response.initialCredits)
            return verdict(response.destinations, sizes, .enhanced, .malformedAnswer)
        case .refusedSeveral(let result): return Verdict(failure: .refused(result))
        case .rejected: return Verdict(failure: .notSupported)
        case .timedOut: return Verdict(failure: .timedOut)
        case .disconnected, .reconfigured: return Verdict(failure: .malformedAnswer)
        }
    }

    /// Evaluates the ends that the peer granted. An end that occurs twice, in this response or in
    /// an open channel, is not usable for any channel (Vol 3, Part A, 4.26).
    private func verdict(
        _ remotes: [ChannelIdentifier],
        _ sizes: (mtu: UInt16, mps: UInt16, credits: UInt16),
        _ mode: L2CAP.Mode,
        _ failure: L2CAP.Failure
    ) -> Verdict {
        let least = mode.sizeMinimum
        guard sizes.mtu >= least, (least...0xFFFD).contains(Int(sizes.mps))
        else { return Verdict(failure: failure) }
        let usable = remotes.map { remote in
            let isSingle = remotes.count { $0 == remote } == 1 && !isTaken(remote: remote)
            return remote.isDynamic && isSingle ? remote : .none
        }
        let given = Set(remotes.filter(\.isDynamic))
        let collisions = channels.filter { given.contains($0.remote) }.map(\.local)
        let sender = ChannelSender(
            mtu: Int(sizes.mtu),
            mps: Int(sizes.mps),
            credits: Int(sizes.credits)
        )
        return Verdict(
            remotes: usable,
            collisions: collisions,
            sender: sender,
            failure: failure
        )
    }
}
