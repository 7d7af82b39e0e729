// SPDX-License-Identifier: Apache-2.0

import BlueZAdapter
import BluetoothGAP
import BluetoothGATT
import BluetoothHost
import BluetoothPort
import BluetoothTypes

/// A client of the daemon's port, for one command. It scans, makes links one after the other, and
/// publishes services.
///
/// The actor runs on the port's executor, on which the port calls it.
actor DaemonClient: PortObserver, CentralAdapter {
    /// The maximum number of discoveries that a scan keeps for its reader. Beyond it, the oldest is
    /// dropped.
    private static let discoveryLimit = 1_024
    /// The maximum number of values that a subscription keeps for its reader. A reader that is
    /// further behind gets an error.
    private static let valueLimit = 65_536
    /// The maximum number of changes of the state that are kept. Beyond it, the oldest is dropped.
    private static let stateLimit = 16
    /// The maximum number of tasks that wait for the end of a link, and of those that wait for a
    /// change of the bonds.
    static let waiterLimit = 64

    private struct Scan {
        var filter: AdvertisementFilter
        let feed: Discoveries.Continuation
    }

    typealias Values = AsyncThrowingStream<[UInt8], any Error>

    private struct Subscription {
        /// A number that no other subscription has had.
        let number: UInt64
        let feed: Values.Continuation
    }

    nonisolated let port: BlueZAdapter
    /// The permission for clients of the published services to pair; `nil` if they need none.
    let permission: PairingPermission?
    /// A latch that is set when a connection has made a new bond; `nil` if the daemon does not pair
    /// as it connects.
    private let hasBonded: Latch?
    /// The states of the port, for one reader at a time.
    nonisolated let states: AsyncStream<PortState>
    private let stateFeed: AsyncStream<PortState>.Continuation
    private var scans: [RequestIdentifier: Scan] = [:]
    private var connection:
        (request: RequestIdentifier, CheckedContinuation<LinkIdentifier, any Error>)?
    private var subscriptions: [AttributeHandle: Subscription] = [:]
    /// The link that was made last, while it is open.
    private var link: LinkIdentifier?
    /// The device of the link that was made last.
    private var linkedPeer: PeerIdentifier?
    /// The tasks that wait for the end of the link, by their numbers.
    private(set) var linkEnds: [UInt64: AsyncStream<PortError>.Continuation] = [:]
    /// The tasks that wait for a change of the bonds, by their numbers.
    private(set) var bondChanges: [UInt64: AsyncStream<Void>.Continuation] = [:]
    private var lastWaiter: UInt64 = 0
    /// The clients of the published services.
    var served = DaemonClients()
    /// Whether the port is ready. Until then, the daemon may not have loaded all bonds.
    private(set) var isReady = false

    /// - Parameters:
    ///   - port: The port.
    ///   - permission: The permission for clients of the published services to pair; `nil` if they
    ///     need none.
    ///   - hasBonded: With a latch, the daemon pairs as it connects, and the latch is set when that
    ///     has made a bond.
    init(
        _ port: BlueZAdapter,
        permission: PairingPermission? = nil,
        pairing hasBonded: Latch? = nil
    ) {
        self.port = port
        self.permission = permission
        self.hasBonded = hasBonded
        (states, stateFeed) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingNewest(Self.stateLimit)
        )
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        port.executor.asUnownedSerialExecutor()
    }

    /// Opens the adapter.
    func open() {
        port.attach(self)
        port.open()
    }

    nonisolated func portDid(_ event: PortEvent) {
        assumeIsolated { $0.receive(event) }
    }

    private func receive(_ event: PortEvent) {
        switch event {
        case .stateChanged(let state):
            stateFeed.yield(state)
            isReady = state == .ready
            reportBonds()
        case .advertised(let scan, let advertisement): receive(advertisement, by: scan)
        case .linkOpened(let link, let peer, isIncoming: false):
            linkedPeer = peer
            connected(.success(link))
        case .notified(_, let handle, let value): receive(Array(value), of: handle)
        case .linkClosed(let link, let error): closed(link, error)
        case .bondsChanged:
            for change in bondChanges.values { change.yield() }
            reportBonds()
        default: break
        }
        receiveServing(event)
    }

    // MARK: Scanning and connecting

    nonisolated var currentTime: Instant { port.executor.now }

    func discoveries(
        for filter: ScanFilter,
        parameters: ScanParameters,
        reportsDuplicates: Bool
    ) throws -> Discoveries {
        guard parameters.isActive else {
            throw ProgramFailure.usage(
                "the Bluetooth daemon always scans actively",
                advice: "leave --passive out, or choose another --adapter"
            )
        }
        let (stream, feed) = Discoveries.makeStream(
            bufferingPolicy: .bufferingNewest(Self.discoveryLimit)
        )
        // The scan has duplicates, because without them the port reports each device only once, and
        // not its new data.
        let scan = port.startScan(PortScan(reportsDuplicates: true)) { feed.finish(throwing: $0) }
        scans[scan] = Scan(
            filter: AdvertisementFilter(filter: filter, allowsDuplicates: reportsDuplicates),
            feed: feed
        )
        feed.onTermination = { [weak self] _ in
            guard let self else { return }
            port.executor.perform { self.assumeIsolated { $0.endScan(scan) } }
        }
        return stream
    }

    private func receive(_ advertisement: Advertisement, by scan: RequestIdentifier) {
        guard scans[scan]?.filter.admits(advertisement) == true else { return }
        scans[scan]?.feed.yield(advertisement)
    }

    private func endScan(_ scan: RequestIdentifier) {
        guard scans.removeValue(forKey: scan) != nil else { return }
        port.endScan(scan)
    }

    func link(to address: DeviceAddress) async throws -> any PeripheralLink {
        precondition(connection == nil, "one connection at a time")
        let peer = port.identifier(of: address)
        // The port does not report a link again.
        if let link, linkedPeer == peer {
            return DaemonPeer(client: self, link: link, address: address)
        }
        let isBonded = accessoryBonds().contains { $0.identity == address }
        let link = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<LinkIdentifier, any Error>) in
                // A later cancellation runs after this job, so it finds the request.
                guard !Task.isCancelled else {
                    return continuation.resume(throwing: CancellationError())
                }
                let pairs = hasBonded != nil
                let request = port.connect(to: peer, pairs: pairs) { [weak self] error in
                    self?.assumeIsolated { $0.connected(.failure(error)) }
                }
                connection = (request, continuation)
            }
        } onCancel: { [port] in
            port.executor.perform { self.assumeIsolated { $0.cancelConnecting() } }
        }
        if !isBonded, bond(of: link) != nil { hasBonded?.set() }
        return DaemonPeer(client: self, link: link, address: address)
    }

    private func cancelConnecting() {
        guard let (request, _) = connection else { return }
        port.cancelConnectionRequest(request)
        connected(.failure(CancellationError()))
    }

    private func connected(_ result: Result<LinkIdentifier, any Error>) {
        guard let (_, continuation) = connection else { return }
        connection = nil
        if case .success(let link) = result { self.link = link }
        continuation.resume(with: result)
    }

    // MARK: The link

    /// Performs a request on the link.
    func perform(_ request: PortRequest, on link: LinkIdentifier) async throws -> PortAnswer {
        try await withCheckedThrowingContinuation { continuation in
            port.begin(request, on: link) { continuation.resume(with: $0) }
        }
    }

    /// Returns the values that arrive for a handle. A second call ends the stream of the first. When
    /// the reader stops, the client unsubscribes.
    ///
    /// - Parameters:
    ///   - handle: The handle of the value.
    ///   - descriptor: The handle of the Client Characteristic Configuration descriptor.
    func values(of handle: AttributeHandle, configuredBy descriptor: AttributeHandle) -> Values {
        let (values, feed) = Values.makeStream(bufferingPolicy: .bufferingOldest(Self.valueLimit))
        let number = nextWaiter()
        let subscription = Subscription(number: number, feed: feed)
        subscriptions.updateValue(subscription, forKey: handle)?.feed.finish()
        feed.onTermination = { [weak self] reason in
            guard case .cancelled = reason, let self else { return }
            port.executor.perform {
                self.assumeIsolated { $0.unsubscribe(from: handle, descriptor, number) }
            }
        }
        return values
    }

    /// Unsubscribes, unless the subscription has ended or another one has replaced it.
    private func unsubscribe(
        from handle: AttributeHandle,
        _ descriptor: AttributeHandle,
        _ number: UInt64
    ) {
        guard let link, subscriptions[handle]?.number == number else { return }
        subscriptions[handle] = nil
        let operation = GATT.Operation.unsubscribe(valueHandle: handle, descriptor: descriptor)
        port.begin(.gatt(operation), on: link) { _ in }
    }

    private func receive(_ value: [UInt8], of handle: AttributeHandle) {
        guard case .dropped? = subscriptions[handle]?.feed.yield(value) else { return }
        subscriptions.removeValue(forKey: handle)?.feed.finish(
            throwing: HostError.notificationsOverflowed
        )
    }

    private func closed(_ link: LinkIdentifier, _ error: PortError) {
        guard self.link == link else { return }
        self.link = nil
        for end in linkEnds.values {
            end.yield(error)
            end.finish()
        }
        for subscription in subscriptions.values { subscription.feed.finish(throwing: error) }
        subscriptions = [:]
    }

    /// Waits until a link ends, and returns the reason.
    func end(of link: LinkIdentifier) async throws -> PortError {
        guard self.link == link else { return .linkEnded(.unknown) }
        guard linkEnds.count < Self.waiterLimit else { throw PortError.tooManyRequests }
        let (ends, end) = AsyncStream.makeStream(
            of: PortError.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let waiter = nextWaiter()
        linkEnds[waiter] = end
        defer { linkEnds[waiter] = nil }
        for await error in ends { return error }
        throw CancellationError()
    }

    private func nextWaiter() -> UInt64 {
        lastWaiter += 1
        return lastWaiter
    }

    // MARK: Bonds

    func accessoryBonds() -> [AccessoryBond] { port.bondedPeers.map { AccessoryBond($0) } }

    /// Returns the bond with the peer of a link.
    func bond(of link: LinkIdentifier) -> AccessoryBond? {
        port.bond(of: link).map { AccessoryBond($0) }
    }

    /// Removes a bond, and waits until the daemon has reported the removal.
    func remove(_ bond: AccessoryBond) async throws {
        guard bondChanges.count < Self.waiterLimit else { throw PortError.tooManyRequests }
        let (changes, change) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let waiter = nextWaiter()
        bondChanges[waiter] = change
        defer { bondChanges[waiter] = nil }
        port.removeBond(with: bond.identifier)
        while accessoryBonds().contains(where: { $0.identity == bond.identity }) {
            var iterator = changes.makeAsyncIterator()
            guard await iterator.next() != nil else { throw CancellationError() }
        }
    }

    /// Shuts the port down.
    nonisolated func shutDown() async {
        await port.shutDown()
    }
}
