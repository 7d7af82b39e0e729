// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import HCITransports

/// The observer of one port of a composite adapter.
final class RadioObserver: PortObserver {
    private let forward: @Sendable (PortEvent) -> Void

    init(radio: Int, of adapter: CompositeAdapter) {
        // The reference is weak, because another thread can release the adapter while a port holds
        // this observer for an event.
        forward = { [weak adapter] event in adapter?.receive(event, from: radio) }
    }

    func portDid(_ event: PortEvent) { forward(event) }
}

// The events of the ports.
extension CompositeAdapter {
    func receive(_ event: PortEvent, from radio: Int) {
        switch event {
        case .stateChanged(let new): stateChanged(radio, new)
        case .advertised(let scan, let advertisement):
            advertised(advertisement, scan: scan, on: radio)
        case .linkOpened(let inner, let peer, let isIncoming):
            let member = RadioLinks.Member(radio: radio, inner: inner)
            let link = state.withLock { $0.identities.open(member) }
            linkOpened(link, peer, on: radio, isIncoming: isIncoming)
        case .linkClosed(let inner, let error):
            let member = RadioLinks.Member(radio: radio, inner: inner)
            guard let link = state.withLock({ $0.identities.close(member) }) else { return }
            linkClosed(link, on: radio, error)
        case .advertisingEnded(let set): advertisingEnded(set, on: radio)
        case .bondsChanged:
            // With another list of bonds, an address can resolve to another identifier.
            state.withLock { $0.identifiers = [:] }
            tell(.bondsChanged)
        default:
            let translated = event.translated(fromRadio: radio) { identifier(of: $0, on: radio) }
            if let translated { forward(translated) }
        }
    }

    /// Returns the identifier of a link of a port; `nil` if the link is not open.
    func identifier(of inner: LinkIdentifier, on radio: Int) -> LinkIdentifier? {
        state.withLock { $0.identities[RadioLinks.Member(radio: radio, inner: inner)] }
    }

    /// Passes an event of a link on to the observer, unless the link is hidden (`State.hidden`).
    private func forward(_ event: (link: LinkIdentifier, event: PortEvent)) {
        let isHidden = state.withLock { state in
            if case .mtuChanged(_, let mtu) = event.event,
                let index = state.links.firstIndex(where: { $0.link == event.link })
            {
                state.links[index].mtu = mtu
            }
            return state.hidden.contains(event.link)
        }
        if !isHidden { tell(event.event) }
    }

    func tell(_ event: PortEvent) { state.withLock { $0.observer }?.portDid(event) }

    /// Handles a radio's new state, and reports the state of the composite adapter if that has
    /// changed. The adapter is ready while any radio is ready.
    private func stateChanged(_ radio: Int, _ new: PortState) {
        let actions = state.withLock { state in
            state.portStates[radio] = new
            return state.core.radioChanged(radio, isUsable: new == .ready, now: now)
        }
        let combined = Self.combined(state.withLock { $0.portStates })
        let isNew = state.withLock { state in
            defer { state.reported = combined }
            return state.reported != combined
        }
        if isNew { tell(.stateChanged(combined)) }
        perform(actions)
    }

    static func combined(_ states: [PortState]) -> PortState {
        let order: [PortState] = [.ready, .starting, .resetting, .unavailable, .unsuitable]
        return order.first { states.contains($0) } ?? .closed
    }

    private func linkOpened(
        _ link: LinkIdentifier,
        _ peer: PeerIdentifier,
        on radio: Int,
        isIncoming: Bool
    ) {
        guard !isIncoming else {
            let actions = state.withLock { $0.core.incomingLinkOpened(on: radio) }
            report(link, peer, isIncoming: true)
            return perform(actions)
        }
        let actions = state.withLock { state in
            let request = state.attempts.first { request, _ in
                state.core.requests[request]?.peer == peer
            }?.key
            let actions = state.core.linkOpened(link, to: peer, on: radio, now: now)
            if let request { state.requestsOfLinks[link] = request }
            if actions.contains(.disconnect(link)) { state.hidden.insert(link) }
            return actions
        }
        let isHidden = state.withLock { $0.hidden.contains(link) }
        if !isHidden { report(link, peer, isIncoming: false) }
        perform(actions)
    }

    private func report(_ link: LinkIdentifier, _ peer: PeerIdentifier, isIncoming: Bool) {
        state.withLock { $0.links.append((link, peer, isIncoming, nil)) }
        tell(.linkOpened(link, peer, isIncoming: isIncoming))
    }

    private func linkClosed(_ link: LinkIdentifier, on radio: Int, _ error: PortError) {
        let (isHidden, actions) = state.withLock { state in
            let actions = state.core.linkClosed(link, on: radio, isLost: error.isLoss, now: now)
            state.links.removeAll { $0.link == link }
            if let request = state.requestsOfLinks.removeValue(forKey: link) {
                state.attempts[request] = nil
                state.failures[request] = nil
            }
            return (state.hidden.remove(link) != nil, actions)
        }
        if !isHidden { tell(.linkClosed(link, reason(error, on: radio))) }
        perform(actions)
    }

    /// Returns the reason for a link's end that the observer gets. If a radio is lost while another
    /// one is ready, the link has only timed out: the reason `unavailable` would mean that the
    /// whole adapter is lost.
    private func reason(_ error: PortError, on radio: Int) -> PortError {
        guard error == .unavailable else { return error }
        let states = state.withLock { $0.portStates }
        let isAlone = states.indices.allSatisfy { $0 == radio || states[$0] != .ready }
        return isAlone ? error : .linkEnded(.timeout)
    }
}

extension PortError {
    /// Whether the peer may not know that the link has ended: the signal or the radio was lost, or
    /// this host ended the link.
    var isLoss: Bool {
        switch self {
        case .unavailable, .linkEnded(.timeout), .linkEnded(.notEstablished): true
        default: false
        }
    }
}

extension PortEvent {
    /// Returns an event of a link of this radio, with the composite adapter's identifiers in place
    /// of the radio's; `nil` for any other event, or if the link is not open.
    fileprivate func translated(
        fromRadio radio: Int,
        _ identify: (LinkIdentifier) -> LinkIdentifier?
    ) -> (link: LinkIdentifier, event: PortEvent)? {
        switch self {
        case .notified(let inner, let handle, let value):
            return identify(inner).map { ($0, .notified($0, handle, value)) }
        case .servicesChanged(let inner, let ranges, let isReported):
            return identify(inner).map {
                ($0, .servicesChanged($0, ranges, isReported: isReported))
            }
        case .databaseOutdated(let inner):
            return identify(inner).map { ($0, .databaseOutdated($0)) }
        case .mtuChanged(let inner, let mtu):
            return identify(inner).map { ($0, .mtuChanged($0, mtu)) }
        case .asked(let inner, let id, let question):
            let outer = RequestNumber.outer(id, radio)
            return identify(inner).map { ($0, .asked($0, outer, question)) }
        case .subscribed(let inner, let handle, let kind):
            return identify(inner).map { ($0, .subscribed($0, handle, kind)) }
        // No radio reports `publishingFailed`: a host publishes a service at once, or throws.
        case .stateChanged, .advertised, .linkOpened, .linkClosed, .advertisingEnded,
            .publishingFailed, .bondsChanged:
            return nil
        }
    }
}

/// The conversion of the identifiers of GATT clients' requests. Each port numbers its own requests,
/// so the composite adapter adds the number of the radio in the most significant byte.
enum RequestNumber {
    private static let shift: UInt64 = 56

    static func outer(_ id: GATTServer.RequestID, _ radio: Int) -> GATTServer.RequestID {
        id | UInt64(radio) << shift
    }

    static func split(_ id: GATTServer.RequestID) -> (radio: Int, inner: GATTServer.RequestID) {
        (Int(id >> shift), id & (1 << shift - 1))
    }
}
