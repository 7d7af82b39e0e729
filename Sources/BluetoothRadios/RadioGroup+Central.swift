// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHost
import BluetoothPort
import HCITransports

// Scanning.
extension RadioGroup {
    /// Scans on all radios, as `BluetoothHost.scan` does on one. A discovery comes once or, with
    /// duplicates, from the radio that receives the device best. The scan fails when it has failed
    /// on all radios.
    package func scan(
        for filter: ScanFilter = ScanFilter(),
        parameters: ScanParameters = ScanParameters(),
        reportsDuplicates: Bool = false
    ) -> AsyncThrowingStream<Advertisement, any Error> {
        let scans = hosts.map {
            $0.scan(for: filter, parameters: parameters, reportsDuplicates: reportsDuplicates)
        }
        guard scans.count > 1 else { return scans[0] }
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: Advertisement.self,
            bufferingPolicy: .bufferingNewest(Self.discoveryLimit)
        )
        let shared = SharedScan(count: scans.count)
        let tasks = scans.enumerated().map { radio, scan in
            Task {
                do {
                    for try await advertisement in scan {
                        let isBest = await self.received(advertisement, by: radio)
                        guard reportsDuplicates ? isBest : shared.isNew(advertisement) else {
                            continue
                        }
                        continuation.yield(advertisement)
                    }
                    if shared.end() { continuation.finish() }
                } catch {
                    if shared.end() { continuation.finish(throwing: error) }
                }
            }
        }
        continuation.onTermination = { _ in for task in tasks { task.cancel() } }
        return stream
    }

    /// Handles an advertising report. Returns whether this radio receives the device best.
    private func received(_ advertisement: Advertisement, by radio: Int) async -> Bool {
        let peer = await hosts[0].identifier(of: advertisement.address)
        let isBest = state.withLock {
            $0.core.received(peer, by: radio, advertisement.rssi, now: now)
        }
        setTimer()
        return isBest
    }

    /// The state that one scan has in common on all radios: the number of radios on which it is
    /// still open, and the discoveries that it has reported.
    private final class SharedScan: Sendable {
        private let open: Lock<Int>
        private let duplicates: Lock<DuplicateFilter>

        init(count: Int) {
            open = Lock(count)
            duplicates = Lock(DuplicateFilter())
        }

        func isNew(_ advertisement: Advertisement) -> Bool {
            duplicates.withLock { $0.isNew(advertisement) }
        }

        /// Returns whether this was the last scan.
        func end() -> Bool {
            open.withLock { open in
                open -= 1
                return open == 0
            }
        }
    }
}

/// An event of a connection request.
enum ConnectionStep: Sendable {
    case begin(radio: Int)
    case cancel(radio: Int)
    case fail(PortError)
    case connected(Link, radio: Int)
    case attemptFailed(any Error, radio: Int)
}

// Connecting.
extension RadioGroup {
    /// Connects to the device through the radio that `RadioCore` chooses. The parameters are those
    /// of `BluetoothHost.connect`. With several radios, the supervision timeout is that of
    /// `RadioRules`.
    ///
    /// - Throws: The errors of `BluetoothHost.connect`, and `PortError` if the core refuses the
    ///   request.
    package func connect(
        to address: DeviceAddress,
        options: ConnectOptions = ConnectOptions()
    ) async throws -> Link {
        guard hosts.count > 1 else {
            return try await hosts[0].connect(to: address, options: options)
        }
        var options = options
        options.parameters.supervisionTimeout = state.withLock { $0.core.rules.supervisionTimeout }
        let peer = await hosts[0].identifier(of: address)
        await followEnds(of: peer)
        let (steps, feed) = AsyncStream.makeStream(of: ConnectionStep.self)
        let (id, actions) = state.withLock { state in
            state.lastRequest += 1
            let id = RequestIdentifier(rawValue: state.lastRequest)
            state.feeds[id] = feed
            // If a scan has just found the device, it ended with the first report. The radios
            // without a signal of the device may receive it better, so all radios listen first.
            let signalCount = state.core.signals(of: peer, now: now).count
            let actions = state.core.connectionRequested(
                id,
                to: peer,
                listensFirst: signalCount < state.core.radios.count { $0.isUsable },
                now: now
            )
            return (id, actions)
        }
        perform(actions)
        let attempts = Lock<[Int: Task<Void, Never>]>([:])
        defer {
            feed.finish()
            for attempt in attempts.withLock({ $0.values }) { attempt.cancel() }
            perform(
                state.withLock { state in
                    state.feeds[id] = nil
                    return state.core.connectionCanceled(id)
                }
            )
            // If another radio connected at the same time, its link ends here.
            Task {
                for await case .connected(let link, _) in steps { try? await link.disconnect() }
            }
        }
        return try await withTaskCancellationHandler {
            var lastError: (any Error)?
            for await step in steps {
                switch step {
                case .begin(let radio):
                    let attempt = attempt(address, options, radio, feed)
                    attempts.withLock { $0[radio] = attempt }
                case .cancel(let radio):
                    attempts.withLock { $0.removeValue(forKey: radio) }?.cancel()
                case .attemptFailed(let error, let radio):
                    lastError = error
                    let reason = (error as? HostError).map(PortError.init) ?? .other("\(error)")
                    perform(
                        state.withLock {
                            $0.core.attemptFailed(id, radio: radio, reason, now: now)
                        }
                    )
                case .fail(let reason): throw lastError ?? reason
                case .connected(let link, let radio):
                    opened(link, to: peer, on: radio)
                    return link
                }
            }
            throw CancellationError()
        } onCancel: {
            feed.finish()
        }
    }

    private func attempt(
        _ address: DeviceAddress,
        _ options: ConnectOptions,
        _ radio: Int,
        _ feed: AsyncStream<ConnectionStep>.Continuation
    ) -> Task<Void, Never> {
        Task { [host = hosts[radio]] in
            do {
                let link = try await host.connect(to: address, options: options)
                if case .terminated = feed.yield(.connected(link, radio: radio)) {
                    try? await link.disconnect()
                }
            } catch {
                feed.yield(.attemptFailed(error, radio: radio))
            }
        }
    }

    private func opened(_ link: Link, to peer: PeerIdentifier, on radio: Int) {
        let member = RadioLinks.Member(radio: radio, inner: link.identifier)
        let actions = state.withLock { state in
            let identifier = state.identities.open(member)
            let task = Task { [weak self] in
                let reason = try? await link.ended()
                guard let self else { return }
                closed(member, isLost: reason.map { PortError($0).isLoss } ?? false)
            }
            state.links[identifier] = LinkFollower(peer: peer, task: task)
            return state.core.linkOpened(identifier, to: peer, on: radio, now: now)
        }
        perform(actions)
    }

    private func closed(_ member: RadioLinks.Member, isLost: Bool) {
        perform(
            state.withLock { state in
                guard let link = state.identities.close(member) else { return [] }
                state.links[link] = nil
                return state.core.linkClosed(link, on: member.radio, isLost: isLost, now: now)
            }
        )
    }

    /// Waits until the core knows that the earlier links to a peer have ended. Otherwise, it would
    /// refuse the request, because a host removes a link before the core is informed.
    private func followEnds(of peer: PeerIdentifier) async {
        let followed = state.withLock { state in
            state.links.filter { $0.value.peer == peer }.compactMap { link, follower in
                state.identities[link].map { ($0, follower.task) }
            }
        }
        for (member, task) in followed {
            let open = await hosts[member.radio].links
            if !open.contains(where: { $0.identifier == member.inner }) { await task.value }
        }
    }

    /// Performs the actions of the core.
    func perform(_ actions: [RadioCore.Action]) {
        for action in actions {
            switch action {
            case .begin(let id, _, let radio): feed(id, .begin(radio: radio))
            case .cancel(let id, let radio): feed(id, .cancel(radio: radio))
            case .fail(let id, let error): feed(id, .fail(error))
            case .survey(let isOn): survey(isOn)
            case .read(let link): read(link)
            // `connect` itself ends a second link to a peer, and the rules of a group exclude
            // moves.
            case .disconnect: break
            }
        }
        setTimer()
    }

    private func feed(_ id: RequestIdentifier, _ step: ConnectionStep) {
        _ = state.withLock { $0.feeds[id] }?.yield(step)
    }

    private func survey(_ isOn: Bool) {
        let task: Task<Void, Never>? = isOn ? Task { [weak self] in await self?.listen() } : nil
        state.withLock { state in
            defer { state.survey = task }
            return state.survey
        }?.cancel()
    }

    /// Scans, so that the core receives the signal strengths.
    private func listen() async {
        do {
            for try await _ in scan(reportsDuplicates: true) {}
        } catch {
            // The survey has a time limit.
        }
    }

    private func read(_ identifier: LinkIdentifier) {
        guard let member = state.withLock({ $0.identities[identifier] }) else { return }
        let host = hosts[member.radio]
        Task { [weak self] in
            let link = await host.links.first { $0.identifier == member.inner }
            let reading = try? await link?.readRSSI()
            guard let self else { return }
            perform(
                state.withLock { $0.core.signalRead(reading, of: identifier, now: now) }
            )
        }
    }

    func setTimer() {
        // The deadline is read on the executor, where the timer is set. Otherwise, an older
        // deadline could replace a newer one.
        executor.perform { [weak self] in
            guard let self else { return }
            let (timer, deadline) = state.withLock { ($0.timer, $0.core.nextDeadline) }
            timer?.set(to: deadline)
        }
    }
}
