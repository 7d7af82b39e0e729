// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import HCITransports
import Synchronization
import Testing

@testable import BluetoothHost

/// A whole host on a model controller. Tests use the host's port one step at a time.
final class PortHarness {
    let executor = StepExecutor()
    let transport: ModelTransport
    let host: BluetoothHost
    let journal = PortJournal()

    init(
        peers: [ModelPeer] = [],
        configure: (inout HostConfiguration) -> Void = { _ in }
    ) {
        transport = ModelTransport(peers: peers)
        var configuration = HostConfiguration()
        configure(&configuration)
        host = BluetoothHost(
            transport: transport,
            configuration: configuration,
            executor: executor
        )
    }

    /// Returns a harness whose host is ready and whose journal is empty.
    static func ready(
        peers: [ModelPeer] = [],
        configure: (inout HostConfiguration) -> Void = { _ in }
    ) -> PortHarness {
        let harness = PortHarness(peers: peers, configure: configure)
        harness.on { [journal = harness.journal] in
            $0.attach(journal)
            $0.beginStart()
        }
        #expect(harness.journal.take() == ["state starting", "state ready"])
        return harness
    }

    /// Performs `body` on the host, and all work that follows.
    func on(_ body: @escaping @Sendable (isolated BluetoothHost) -> Void) {
        host.execute(body)
        #expect(executor.run(), "The work of the host ends")
    }

    /// Returns a value from the host.
    func get<Value: Sendable>(
        _ body: @escaping @Sendable (isolated BluetoothHost) -> Value
    ) throws -> Value {
        let value = Mutex<Value?>(nil)
        host.execute { host in
            let found = body(host)
            value.withLock { $0 = found }
        }
        executor.run()
        return try #require(value.withLock { $0 })
    }

    /// Performs an action of the controller or a peer, and the host's work that follows.
    func act(_ change: (inout ModelController) -> Void) {
        transport.act(change)
        #expect(executor.run(), "The work of the host ends")
    }

    /// Performs an action on the channels of a peer, and the host's work that follows.
    func channels(of peer: DeviceAddress, _ body: (inout ModelChannels) -> Void) {
        act { controller in
            guard let handle = controller.handle(of: peer),
                var channels = controller.peers[peer]?.channels
            else { return }
            body(&channels)
            let frames = channels.frames()
            controller.peers[peer]?.channels = channels
            for frame in frames { controller.sendFrame(frame, on: handle) }
        }
    }

    /// Connects to a peer, and removes the events of the connection from the journal.
    func connect(_ address: DeviceAddress) throws -> LinkIdentifier {
        on { [journal] in _ = $0.beginConnecting(to: address, then: journal.noting("connect")) }
        let link = try #require(journal.lastLink)
        #expect(journal.take().last == "connect: link")
        return link
    }
}

/// The events of an observer and of completions, in order.
final class PortJournal: HostObserver {
    typealias Reaction = @Sendable (HostEvent) -> Void

    private struct State {
        var lines: [String] = []
        var lastLink: LinkIdentifier?
        var reaction: Reaction?
        /// The number of calls that are in progress.
        var depth = 0
        var deepest = 0
    }

    private let state = Mutex(State())

    /// The link that was opened last.
    var lastLink: LinkIdentifier? { state.withLock { $0.lastLink } }
    /// The maximum number of nested calls.
    var deepest: Int { state.withLock { $0.deepest } }

    /// Performs `reaction` at each event.
    func react(_ reaction: @escaping Reaction) {
        state.withLock { $0.reaction = reaction }
    }

    func note(_ line: String) {
        state.withLock { $0.lines.append(line) }
    }

    /// Returns a completion that records its result and then performs `next`.
    func noting(
        _ name: String,
        then next: @escaping @Sendable () -> Void = {}
    ) -> BluetoothHost.Completion {
        { [self] result in
            enter()
            note("\(name): \(Self.describe(result))")
            next()
            leave()
        }
    }

    /// Returns all lines since the last call.
    func take() -> [String] {
        state.withLock { state in
            defer { state.lines = [] }
            return state.lines
        }
    }

    func hostDid(_ event: HostEvent) {
        enter()
        if case .linkOpened(let link, _, _) = event { state.withLock { $0.lastLink = link } }
        note(Self.describe(event))
        state.withLock { $0.reaction }?(event)
        leave()
    }

    private func enter() {
        state.withLock { state in
            state.depth += 1
            state.deepest = max(state.deepest, state.depth)
        }
    }

    private func leave() {
        state.withLock { $0.depth -= 1 }
    }
}

extension PortJournal {
    private static func describe(_ event: HostEvent) -> String {
        switch event {
        case .stateChanged(let state): "state \(state)"
        case .advertised(_, let advertisement): "advertised \(advertisement.address)"
        case .linkOpened(_, let peer, let role): "opened \(peer) \(role)"
        case .notified(_, let handle, let value): "notified \(handle.rawValue) \(Array(value))"
        case .servicesChanged(_, let ranges, _):
            "changed "
                + ranges.map { "\($0.lowerBound.rawValue)...\($0.upperBound.rawValue)" }
                .joined(separator: ", ")
        case .databaseOutdated: "outdated"
        case .mtuChanged(_, let mtu): "mtu \(mtu)"
        case .parametersChanged(_, let parameters): "interval \(parameters.interval)"
        case .served(_, let event): "served \(describe(event))"
        case .advertisingEnded(_, let end): "set \(end)"
        case .security: "security"
        case .disconnected(_, let error): "disconnected: \(error)"
        }
    }

    private static func describe(_ event: ClientEvent) -> String {
        switch event {
        case .asked(_, .read): "read"
        case .asked(_, .write): "write"
        case .written: "written"
        case .subscribed(_, let kind): "subscribed \(kind.map { "\($0)" } ?? "not")"
        case .readyToNotify: "ready"
        }
    }

    private static func describe(_ result: Result<HostAnswer, any Error>) -> String {
        switch result {
        case .failure(is CancellationError): "canceled"
        case .failure(let error): "\(error)"
        case .success(.link): "link"
        case .success(.gatt(.value(let value))): "\(value)"
        case .success(.database): "database"
        case .success(.advertising): "advertising"
        case .success(.rssi(let rssi)): "rssi \(rssi.map { "\($0)" } ?? "unknown")"
        case .success(.channels(let channels)): "\(channels.count) channels"
        case .success(.sdu(let sdu)): "sdu \(sdu.map { "\($0)" } ?? "none")"
        case .success(.end(let end)): "\(end)"
        case .success: "done"
        }
    }
}
