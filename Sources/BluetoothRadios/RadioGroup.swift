// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHost
import BluetoothPort
import HCITransports

/// One or more hosts that work as one adapter with `async` methods. They have the same identity
/// address.
///
/// `CompositeAdapter` is the counterpart with callbacks. The links of a group do not move to
/// another radio.
package final class RadioGroup: Sendable {
    struct State {
        var core: RadioCore
        var lastRequest: UInt64 = 0
        /// The connection requests that wait for steps of the core.
        var feeds: [RequestIdentifier: AsyncStream<ConnectionStep>.Continuation] = [:]
        /// The task that scans for a survey.
        var survey: Task<Void, Never>?
        var timer: (any HostTimer)?
        /// The tasks that follow the states of the hosts.
        var followers: [Task<Void, Never>] = []
        var identities = RadioLinks()
        /// The tasks that follow the ends of the open links.
        var links: [LinkIdentifier: LinkFollower] = [:]
    }

    /// A task that informs the core of the end of a link.
    struct LinkFollower: Sendable {
        let peer: PeerIdentifier
        let task: Task<Void, Never>
    }

    /// The maximum number of discoveries that a scan on several radios keeps for its reader.
    /// Beyond it, the oldest discovery is dropped.
    static let discoveryLimit = 1_024
    /// The time for which the other radios may still start after the first is ready.
    static let startSettling = Duration.seconds(2)

    /// The hosts. The first has the bonds, and all run on one executor.
    package let hosts: [BluetoothHost]
    /// The names of the radios for a person.
    package let names: [String]
    let state: Lock<State>

    /// Creates a group.
    ///
    /// - Parameters:
    ///   - hosts: 1 to `AdapterSpecification.listLimit` hosts on one executor, which share a
    ///     `SharedStore` if there are several.
    ///   - names: The name of each host's radio.
    package init(_ hosts: [BluetoothHost], names: [String]) {
        precondition(!hosts.isEmpty && hosts.count == names.count, "\(hosts.count) hosts")
        self.hosts = hosts
        self.names = names
        state = Lock(State(core: RadioCore(radioCount: hosts.count, rules: .staying)))
    }

    /// The executor of all hosts.
    package var executor: any HostExecutor { hosts[0].executor }

    var now: Instant { executor.now }

    /// The bonds, which all radios share.
    package var bonds: [BondedPeer] { get async { await hosts[0].bonds } }

    /// The open links, those of the first radio first.
    package var links: [Link] {
        get async {
            var links: [Link] = []
            for host in hosts { links += await host.links }
            return links
        }
    }

    /// Removes a bond.
    package func removeBond(_ peer: PeerIdentifier) async {
        for host in hosts { await host.removeBond(peer) }
    }

    /// The radios, and the links on them, now.
    package var report: RadioReport {
        state.withLock { $0.core.report(names: names, now: now) }
    }

    /// Returns the signal of a device in dBm on each radio that has received it lately, by the
    /// number of the radio.
    package func signals(of address: DeviceAddress) async -> [Int: Int] {
        let peer = await hosts[0].identifier(of: address)
        return state.withLock { $0.core.signals(of: peer, now: now) }
    }

    /// Opens the transports. Returns when all radios are ready or have failed, and at the latest
    /// two seconds after the first was ready. Radios that are not ready yet join later.
    ///
    /// - Returns: The failures by the number of the radio.
    /// - Throws: The failure of the first radio if all fail; `CancellationError` if the task is
    ///   canceled.
    package func start() async throws -> [Int: any Error] {
        guard hosts.count > 1 else {
            try await hosts[0].start()
            return [:]
        }
        await recallPins()
        follow()
        var failures: [Int: any Error] = [:]
        await withTaskGroup(of: (Int, (any Error)?)?.self) { group in
            for (index, host) in hosts.enumerated() {
                group.addTask {
                    do {
                        try await host.start()
                        return (index, nil)
                    } catch {
                        return (index, error)
                    }
                }
            }
            var (open, isReady) = (hosts.count, false)
            while open > 0, let end = await group.next(), let (radio, failure) = end {
                open -= 1
                failures[radio] = failure
                guard failure == nil else { continue }
                changed(radio, isUsable: true)
                guard !isReady else { continue }
                isReady = true
                group.addTask {
                    try? await Task.sleep(for: Self.startSettling)
                    return nil
                }
            }
            group.cancelAll()
        }
        try Task.checkCancellation()
        if failures.count == hosts.count, let first = failures[0] { throw first }
        return failures
    }

    private func recallPins() async {
        let pins = RadioPins(await hosts[0].applicationRecord(RadioPins.recordName))
        state.withLock { $0.core.pin(pins, names: names) }
    }

    /// Chooses the radio of a device for all later links, or with `nil` leaves the choice to the
    /// core. The store keeps the choice.
    ///
    /// - Returns: `false` if no radio has this name, there are too many choices, or the store does
    ///   not accept the choice.
    package func pin(_ address: DeviceAddress, toRadio name: String?) async -> Bool {
        guard name.map(names.contains) ?? true else { return false }
        let peer = await hosts[0].identifier(of: address)
        return await hosts[0].storePin(name, for: peer) {
            perform(
                state.withLock { $0.core.pin(peer, to: name.flatMap(names.firstIndex)) }
            )
        }
    }

    /// Passes the states of the radios to the core.
    private func follow() {
        let tasks = hosts.enumerated().map { index, host in
            Task { [weak self] in
                for await state in host.states { self?.changed(index, isUsable: state == .ready) }
            }
        }
        let timer = executor.makeTimer { [weak self] in
            guard let self else { return }
            perform(state.withLock { $0.core.deadlinePassed(now: now) })
        }
        state.withLock { state in
            state.followers += tasks
            state.timer = timer
        }
    }

    private func changed(_ radio: Int, isUsable: Bool) {
        perform(state.withLock { $0.core.radioChanged(radio, isUsable: isUsable, now: now) })
    }

    /// Shuts all hosts down.
    package func shutdown() async {
        let tasks = state.withLock { state in
            defer { (state.followers, state.links) = ([], [:]) }
            return state.followers + state.links.values.map(\.task)
                + [state.survey].compactMap { $0 }
        }
        for task in tasks { task.cancel() }
        for host in hosts { await host.shutdown() }
    }
}

extension BluetoothHost {
    /// Stores the choice of a radio, and then calls `stored`. The host does both without another
    /// choice in between, so that none is lost.
    ///
    /// - Returns: `false` if the choice was not stored.
    fileprivate func storePin(
        _ name: String?,
        for peer: PeerIdentifier,
        then stored: @Sendable () -> Void
    ) -> Bool {
        var pins = RadioPins(applicationRecord(RadioPins.recordName))
        guard pins.set(name, for: peer) else { return false }
        guard storeApplicationRecord(pins.bytes, RadioPins.recordName) else { return false }
        stored()
        return true
    }
}

extension RadioRules {
    /// Rules with which links do not move.
    static var staying: RadioRules {
        var rules = RadioRules()
        rules.weakSignal = -.infinity
        return rules
    }
}
