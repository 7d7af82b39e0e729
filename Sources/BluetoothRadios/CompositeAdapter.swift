// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothPort
import HCITransports

/// An adapter that consists of several adapters (*radios*) with the same identity address.
///
/// All ports must run on one executor. They must have the same bonds, so their hosts share a
/// `SharedStore`. A request about a link goes to the port that has the link. Scans, advertising
/// sets and published services are on all ports.
package final class CompositeAdapter: BluetoothPort {
    /// One of the adapters.
    package struct Radio: Sendable {
        /// The name that people see.
        package let name: String
        package let port: any BluetoothPort

        package init(name: String, port: any BluetoothPort) {
            self.name = name
            self.port = port
        }
    }

    /// A scan, or an advertising set, on all radios.
    struct Group {
        /// The identifiers that the ports gave the scan or set, by the number of the radio, without
        /// the radios on which it has ended.
        var members: [Int: RequestIdentifier] = [:]
        /// The discoveries that a scan without duplicates has reported; `nil` for a scan with
        /// duplicates and for an advertising set.
        var duplicates: DuplicateFilter?
    }

    struct State {
        weak var observer: (any PortObserver)?
        /// The observers of the ports, which the ports do not keep alive.
        var observers: [RadioObserver] = []
        var timer: (any HostTimer)?
        var core: RadioCore
        var portStates: [PortState]
        var reported: PortState = .starting
        var lastRequest: UInt64 = 0
        /// The ports' connection requests for each connection request of the application, by the
        /// number of the radio. A failed or canceled one is removed at once, and the one that made
        /// the link when the link has ended.
        var attempts: [RequestIdentifier: [Int: RequestIdentifier]] = [:]
        var failures: [RequestIdentifier: @Sendable (PortError) -> Void] = [:]
        /// The connection requests that made the open links.
        var requestsOfLinks: [LinkIdentifier: RequestIdentifier] = [:]
        var identities = RadioLinks()
        /// The open links that the observer knows, oldest first, with their ATT MTU.
        var links: [(link: LinkIdentifier, peer: PeerIdentifier, isIncoming: Bool, mtu: Int?)] = []
        /// The links whose events the observer does not get. They are second links to a peer, made
        /// when two radios connected at the same time, and the adapter ends them.
        var hidden: Set<LinkIdentifier> = []
        var scans: [RequestIdentifier: Group] = [:]
        var survey: [Int: RequestIdentifier] = [:]
        var sets: [RequestIdentifier: Group] = [:]
        var identifiers: [DeviceAddress: PeerIdentifier] = [:]
    }

    /// The maximum number of addresses in `identifiers`, a cache that exists because computing an
    /// identifier is slow.
    static let identifierLimit = 4_096

    let radios: [Radio]
    // The lock is used on the executor only, so it is never contended. It is not held while ports
    // and observers are called, because they call this adapter again.
    let state: Lock<State>

    /// Creates one adapter from several.
    ///
    /// - Parameters:
    ///   - radios: 1 to `AdapterSpecification.listLimit` radios. The first one stores the records.
    ///   - rules: The rules that choose the radio of each link.
    package init(_ radios: [Radio], rules: RadioRules = RadioRules()) {
        precondition(
            (1...AdapterSpecification.listLimit).contains(radios.count),
            "\(radios.count) radios"
        )
        let executor = radios[0].port.executor
        precondition(
            radios.allSatisfy { $0.port.executor === executor },
            "the radios of one adapter must run on one executor"
        )
        self.radios = radios
        state = Lock(
            State(
                core: RadioCore(radioCount: radios.count, rules: rules),
                portStates: radios.map { _ in .starting }
            )
        )
    }

    var now: Instant { executor.now }

    /// The port that reads and stores records, and that knows the bonds and the identifiers of
    /// peers. All ports share this data.
    var first: any BluetoothPort { radios[0].port }
}

extension CompositeAdapter {
    package var executor: any HostExecutor { radios[0].port.executor }

    /// The maximum number of scans at a time, at least 1. If each port can have several scans, one
    /// of them is reserved for surveys (`RadioCore`).
    package var scanLimit: Int { max((radios.map(\.port.scanLimit).min() ?? 1) - 1, 1) }

    package var capabilities: PortCapabilities {
        let states = state.withLock { $0.portStates }
        let usable = radios.indices.filter { states[$0] == .ready }
        let ports = (usable.isEmpty ? Array(radios.indices) : usable).map { radios[$0].port }
        return ports.dropFirst().reduce(ports[0].capabilities) {
            $0.intersection($1.capabilities)
        }
    }

    package func attach(_ observer: any PortObserver) {
        let isFirst = state.withLock { state in
            state.observer = observer
            return state.observers.isEmpty
        }
        guard isFirst else { return replay(to: observer) }
        observer.portDid(.stateChanged(.starting))
        let observers = radios.indices.map { RadioObserver(radio: $0, of: self) }
        state.withLock { $0.observers = observers }
        for (radio, observer) in zip(radios, observers) { radio.port.attach(observer) }
    }

    private func replay(to observer: any PortObserver) {
        let (reported, links) = state.withLock { ($0.reported, $0.links) }
        observer.portDid(.stateChanged(reported))
        for open in links {
            observer.portDid(.linkOpened(open.link, open.peer, isIncoming: open.isIncoming))
            if let mtu = open.mtu { observer.portDid(.mtuChanged(open.link, mtu)) }
        }
    }

    package func open() {
        let timer = executor.makeTimer { [weak self] in self?.timerFired() }
        let pins = RadioPins(first.record(RadioPins.recordName))
        state.withLock { state in
            state.timer = timer
            state.core.pin(pins, names: radios.map(\.name))
        }
        for radio in radios { radio.port.open() }
    }

    package func shutDown() async {
        for radio in radios { await radio.port.shutDown() }
    }

    package func setDeviceName(_ name: String) {
        for radio in radios { radio.port.setDeviceName(name) }
    }

    /// The current state of the radios and of the links on them. May be called on the executor
    /// only.
    package var report: RadioReport {
        state.withLock { $0.core.report(names: radios.map(\.name), now: now) }
    }

    /// Chooses the radio of a peer for all later links, or with `nil` leaves the choice to the
    /// adapter. A connection request that has no link yet uses the choice as well. The store keeps
    /// the choice. May be called on the executor only.
    ///
    /// - Returns: `false` if no radio has this name, there are too many choices, or the store does
    ///   not accept the choice.
    package func pin(_ peer: PeerIdentifier, toRadio name: String?) -> Bool {
        let radio = radios.firstIndex { $0.name == name }
        guard name == nil || radio != nil else { return false }
        var pins = RadioPins(first.record(RadioPins.recordName))
        guard pins.set(name, for: peer) else { return false }
        guard first.storeRecord(pins.bytes, RadioPins.recordName) else { return false }
        perform(state.withLock { $0.core.pin(peer, to: radio) })
        return true
    }
}

// Peers and records.
extension CompositeAdapter {
    package func identifier(of address: DeviceAddress) -> PeerIdentifier {
        if let known = state.withLock({ $0.identifiers[address] }) { return known }
        let identifier = first.identifier(of: address)
        state.withLock { state in
            if state.identifiers.count >= Self.identifierLimit { state.identifiers = [:] }
            state.identifiers[address] = identifier
        }
        return identifier
    }

    package func recognizes(_ peer: PeerIdentifier) -> Bool { first.recognizes(peer) }
    package var bondedPeers: [PortBond] { first.bondedPeers }

    package func removeBond(with peer: PeerIdentifier) {
        for radio in radios { radio.port.removeBond(with: peer) }
    }

    package func record(_ name: String) -> [UInt8]? { first.record(name) }

    package func storeRecord(_ bytes: [UInt8]?, _ name: String) -> Bool {
        first.storeRecord(bytes, name)
    }
}
