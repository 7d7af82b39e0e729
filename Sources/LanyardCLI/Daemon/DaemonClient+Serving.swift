// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothGATT
import BluetoothHost
import BluetoothPort
import BluetoothTypes

/// The clients of the services that a command publishes through the daemon's port.
struct DaemonClients: Sendable {
    /// The maximum number of events that are kept for the reader. If the reader is further
    /// behind, its stream ends.
    static let eventLimit = 16_384
    /// The maximum number of changes of bonds that are kept for the reader. Beyond it, the oldest
    /// is dropped.
    static let bondEventLimit = 1_024

    /// The events, for one reader. They are kept from the beginning, because the daemon can refuse
    /// a service before there is a reader.
    let events: AsyncStream<ServingEvent>
    private let feed: AsyncStream<ServingEvent>.Continuation
    /// The links to clients, in the order in which they opened.
    var links: [DaemonCentral] = []
    /// The links with a subscription to a value, in the order in which they subscribed.
    var subscribers: [AttributeHandle: [LinkIdentifier]] = [:]
    /// The links on which a value of `tryNotify` has not left yet.
    var sending: Set<LinkIdentifier> = []

    var bondFeed: AsyncStream<ServeEvent>.Continuation?
    /// The bonds that were reported last.
    var bonds: [AccessoryBond] = []

    /// The streams that end with the advertising sets.
    var sets: [RequestIdentifier: AsyncStream<Void>.Continuation] = [:]

    init() {
        (events, feed) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingOldest(Self.eventLimit)
        )
    }

    /// Reports an event to the reader. If the event would be lost, the stream ends.
    func report(_ event: ServingEvent) {
        if case .dropped = feed.yield(event) { feed.finish() }
    }

    func link(_ identifier: LinkIdentifier) -> DaemonCentral? {
        links.first { $0.identifier == identifier }
    }
}

// Serving through the daemon's port.
extension DaemonClient: PeripheralAdapter {
    var servedAddress: DeviceAddress {
        get throws {
            guard let address = port.address else { throw PortError.unavailable }
            return address
        }
    }

    /// Empty, because the daemon does not report the attributes that it offers.
    var attributeTypes: [AttributeHandle: BluetoothUUID] { [:] }

    func publish(_ service: GATT.ServiceDefinition) throws -> GATT.DiscoveredService {
        try port.publish(service)
    }

    func servingEvents() -> AsyncStream<ServingEvent> { served.events }

    func bondEvents() -> AsyncStream<ServeEvent> {
        let (events, feed) = AsyncStream.makeStream(
            of: ServeEvent.self,
            bufferingPolicy: .bufferingNewest(DaemonClients.bondEventLimit)
        )
        served.bondFeed = feed
        served.bonds = accessoryBonds()
        return events
    }

    // MARK: Events

    /// Receives an event about the published services.
    func receiveServing(_ event: PortEvent) {
        switch event {
        case .linkOpened(let link, _, isIncoming: true): opened(link)
        case .linkClosed(let link, let error): closedClient(link, error)
        case .asked(let link, let request, let question): asked(link, request, question)
        case .subscribed(let link, let handle, let kind): subscribed(link, handle, kind)
        case .publishingFailed(let service, let error):
            served.report(.serviceRefused(service.service.uuid, reason: error.reasonText))
        case .advertisingEnded(let set):
            served.sets.removeValue(forKey: set)?.finish()
        default: break
        }
    }

    private func opened(_ link: LinkIdentifier) {
        guard let address = port.address(of: link) else { return }
        let central = DaemonCentral(client: self, identifier: link, address: address)
        served.links.append(central)
        served.report(.connected(central))
    }

    private func closedClient(_ link: LinkIdentifier, _ error: PortError) {
        guard let index = served.links.firstIndex(where: { $0.identifier == link }) else { return }
        let central = served.links.remove(at: index)
        for handle in served.subscribers.keys {
            served.subscribers[handle]?.removeAll { $0 == link }
        }
        served.report(.disconnected(central, reason: error.reasonText))
    }

    private func asked(
        _ link: LinkIdentifier,
        _ request: GATTServer.RequestID,
        _ question: GATTServer.Question
    ) {
        guard let central = served.link(link) else { return }
        let answer: @Sendable (Result<[UInt8], ATT.ErrorCode>, AttributeHandle?) -> Void = {
            [port] result, handle in
            port.executor.perform { port.answer(request, result, at: handle) }
        }
        switch question {
        case .read(_, let handle, let offset):
            served.report(.read(central, handle, offset: offset) { answer($0, nil) })
        case .write(_, let entries, _):
            served.report(
                .write(central, entries) { refusal in
                    guard let refusal else { return answer(.success([]), nil) }
                    answer(.failure(refusal.code), refusal.handle)
                }
            )
        }
    }

    private func subscribed(
        _ link: LinkIdentifier,
        _ handle: AttributeHandle,
        _ kind: GATT.SubscriptionKind?
    ) {
        guard let central = served.link(link) else { return }
        served.subscribers[handle, default: []].removeAll { $0 == link }
        if kind != nil { served.subscribers[handle, default: []].append(link) }
        served.report(.subscribed(central, handle, kind))
    }

    /// Reports the bonds that are new or removed.
    func reportBonds() {
        guard isReady, let feed = served.bondFeed else { return }
        let bonds = accessoryBonds()
        for bond in bonds where !served.bonds.contains(where: { $0.identity == bond.identity }) {
            feed.yield(.bonded(bond))
        }
        for bond in served.bonds where !bonds.contains(where: { $0.identity == bond.identity }) {
            feed.yield(.bondRemoved(bond))
        }
        served.bonds = bonds
    }

    // MARK: Clients

    var clients: [any CentralLink] { served.links }

    func subscribers(of handle: AttributeHandle) -> [any CentralLink] {
        (served.subscribers[handle] ?? []).compactMap { served.link($0) }
    }

    func authorizeClients(_ isAuthorized: Bool) throws(ProgramFailure) {
        throw .usage(
            "the Bluetooth daemon does not support authorization",
            advice: "choose another --adapter"
        )
    }

    func openPairingWindow(for duration: Duration?) { permission?.open(for: duration) }

    /// Sends a value, and returns when the daemon has taken it.
    func notify(
        _ value: [UInt8],
        of handle: AttributeHandle,
        on link: LinkIdentifier
    ) async throws {
        do {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                port.notify(GATT.AttributeValue(handle: handle, value: value), on: link) {
                    continuation.resume(with: $0)
                }
            }
        } catch PortError.refused {
            throw HostError.notSubscribed
        }
    }

    /// Sends a value, unless an earlier value of this method has not left yet on the link.
    ///
    /// - Returns: Whether the value is sent.
    func tryNotify(
        _ value: [UInt8],
        of handle: AttributeHandle,
        on link: LinkIdentifier
    ) -> Bool {
        guard served.sending.insert(link).inserted else { return false }
        port.notify(GATT.AttributeValue(handle: handle, value: value), on: link) { [weak self] _ in
            self?.assumeIsolated { _ = $0.served.sending.remove(link) }
        }
        return true
    }

    // MARK: Advertising

    func startAdvertising(_ advertising: Advertising) async throws -> any ActiveAdvertising {
        let (ending, feed) = AsyncStream.makeStream(of: Void.self)
        var set: RequestIdentifier?
        do {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                let started = port.advertise(advertising) { continuation.resume(with: $0) }
                served.sets[started] = feed
                set = started
            }
        } catch {
            if let set { served.sets[set] = nil }
            throw error
        }
        guard let set else { throw PortError.unanswered }
        return DaemonAdvertising(client: self, set: set, ending: ending)
    }

    func stopAdvertising(_ set: RequestIdentifier) {
        port.endAdvertising(set)
        served.sets.removeValue(forKey: set)?.finish()
    }
}
