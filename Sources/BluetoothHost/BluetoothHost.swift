// SPDX-License-Identifier: Apache-2.0

// The host: everything between a controller's bytes and an application's `await`.
//
// `HostCore` is a value that owns the machines of all layers; it is fed bytes, wishes and the time,
// and answers with an ordered list of actions. `BluetoothHost`, below, is its driver: an actor that
// lives on the thread of its adapter, feeds the core one input at a time, and performs what the core
// wants done before it takes the next. No protocol is decided here, and nothing in the core waits.
//
// A packet makes one trip: the transport reads bytes (1), the core frames them (2) and routes them
// to the machine they are for (3); the driver empties the outbox (4), and whoever waits is resumed
// on an executor of its own (5). One hop, never more; and none for a task that runs on the adapter's
// own thread (`BluetoothHost.executor`).

import BluetoothATT
import BluetoothGAP
import BluetoothTypes
import HCITransports
import Synchronization

/// A Bluetooth Low Energy host on one controller.
///
/// ```swift
/// let host = BluetoothHost(transport: TCPTransport(host: "127.0.0.1", port: 6402))
/// try await host.start()
/// for try await found in host.scan() where found.data.localName == "Thermometer" {
///     let link = try await host.connect(to: found.address)
///     for service in try await link.discoverServices() { print(service.uuid) }
///     try await link.disconnect()
///     break
/// }
/// await host.shutdown()
/// ```
///
/// A host that is started keeps itself running: a controller that hangs is reset, a transport that
/// ends is opened again, scans and waiting connections continue when the controller is back, and
/// `states` tells of it. Cancelling the task that waits for an operation cancels the operation.
///
/// Call `shutdown()` before letting go of a host, so that links end in an orderly way.
public actor BluetoothHost {
    /// Where the host runs. A task that prefers it, by
    /// `withTaskExecutorPreference(host.executor.taskExecutor)`, exchanges values with the host
    /// without changing threads: worth it for traffic of many small values.
    public nonisolated let executor: any HostExecutor

    /// The executor, if the host made it and therefore ends it.
    let ownExecutor: AdapterExecutor?
    let configuration: HostConfiguration
    /// Makes what peers are known by that are not bonded; `identifier(of:)` knows the others as well.
    package nonisolated let peerCipher: PeerCipher
    let transport: any HCITransport
    var core: HostCore
    private var timer: (any HostTimer)?
    /// Hears when a transport that could not be opened can be.
    private var watch: (any TransportWatch)?

    /// The attempt to open the transport, until it has returned.
    private var opening: Task<Void, Never>?
    /// Whether the core does not know yet that the transport is open.
    private var isOpenAwaited = false
    /// Whether the transport ended, and is to be opened again, before `opening` has returned.
    private var isReopeningWanted = false
    /// Where it keeps what has to survive it; nil from its end on.
    var store: (any HostStore)?

    private var actions: [HostAction] = []
    private var packets: [[UInt8]] = []
    private nonisolated let lastRequest = Atomic<UInt64>(0)

    typealias ScanStream = AsyncThrowingStream<Advertisement, any Error>

    var waiting: [RequestIdentifier: Waiter] = [:]
    /// Whether somebody is being told of something: what that brings about follows in its turn.
    private(set) var isPerforming = false
    var port = HostPort()
    private var scans: [RequestIdentifier: ScanStream.Continuation] = [:]
    var notifications = NotificationRouter()
    var serverEventRouter = ServerEventRouter()
    var securityEventReaders = SecurityEventReaders()
    var pairingQuestions = PairingQuestions()
    var incomingLinkReaders = IncomingLinkReaders()
    var advertisingEnds = Ends<RequestIdentifier, AdvertisingEnd>()
    private var farewells: [CheckedContinuation<Void, Never>] = []
    var linkEnds = Ends<LinkIdentifier, HostError>()
    private var broadcast = StateBroadcast()
    var logBudget = LogBudget()
    /// Why the adapter cannot be used, as the log says already.
    var loggedFailure: AdapterFailure?

    /// Runs the actor on the host's executor.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Makes a host that will reach its controller by `transport`; `start()` opens it.
    ///
    /// - Parameter executor: where to run; by default a thread of the host's own.
    public init(
        transport: any HCITransport,
        configuration: HostConfiguration = HostConfiguration(),
        executor: (any HostExecutor)? = nil
    ) {
        self.transport = transport
        if let executor {
            self.executor = executor
            ownExecutor = nil
        } else {
            let made = AdapterExecutor()
            self.executor = made
            ownExecutor = made
        }
        var configuration = configuration
        let identity = HostIdentity(of: &configuration)
        self.configuration = configuration
        store = configuration.store
        peerCipher = PeerCipher(secret: identity.secret)
        core = HostCore(configuration: configuration, identity: identity)
    }

    deinit {
        guard core.state != .closed else { return }
        // Nobody can ask for an orderly end any more. Who reads a stream must not wait for ever.
        for scan in scans.values { scan.finish(throwing: HostError.closed) }
        notifications.endAll(with: HostError.closed)
        serverEventRouter.close()
        incomingLinkReaders.close()
        securityEventReaders.close()
        pairingQuestions.withdrawAll()
        broadcast.send(.closed)
        opening?.cancel()
        // The thread ends itself: whoever let go of the host may hold a lock that it waits for.
        executor.perform { [transport, ownExecutor, waiting, watch] in
            for waiter in waiting.values { waiter.resume(with: .failure(HostError.closed)) }
            watch?.end()
            transport.close()
            ownExecutor?.shutDown()
        }
    }

    // MARK: The adapter

    /// Whether the adapter can be used now.
    public var state: AdapterState { core.state }

    /// The adapter's state now and every change of it. Ends after `closed`.
    public nonisolated var states: AsyncStream<AdapterState> {
        let (stream, continuation) = AsyncStream.makeStream(of: AdapterState.self)
        let observer = takeRequest()
        // Before the stream is anybody's: the end of one that has ended already is never told.
        continuation.onTermination = { [weak self] _ in
            self?.enter { $0.broadcast.remove(observer) }
        }
        enter { $0.broadcast.add(continuation, as: observer, current: $0.state) }
        return stream
    }

    /// Opens the transport and sets the controller up.
    ///
    /// Returns when the adapter is ready. Throws `HostError.adapter` if the first attempt fails;
    /// the host then goes on trying, so that a caller may as well watch `states`, or shut it down.
    public func start() async throws {
        openOnce()
        for await state in states {
            switch state {
            case .ready: return
            case .unavailable(let failure): throw HostError.adapter(failure)
            case .closed: throw HostError.closed
            case .starting, .resetting: continue
            }
        }
        throw CancellationError()
    }

    /// Begins to open the transport, the first time that it is called.
    func openOnce() {
        guard timer == nil, core.state != .closed else { return }
        timer = executor.makeTimer { [weak self] in
            self?.assumeIsolated { $0.timerFired() }
        }
        watch = transport.watch(on: executor) { [weak self] in
            self?.assumeIsolated { $0.transportReturned() }
        }
        openStore()
        openTransport()
    }

    /// Ends all links, closes the transport, and fails whatever still waits. For good.
    ///
    /// Returns when the adapter is closed, which takes at most a second; a task that
    /// is cancelled waits as well.
    public func shutdown() async {
        core.shutDown(now: executor.now)
        drain()
        await withCheckedContinuation { waiter in
            // Looked at in here: the actor may turn to somebody else on the way into a continuation.
            if core.state == .closed { waiter.resume() } else { farewells.append(waiter) }
        }
        opening?.cancel()
        await opening?.value
        // Behind the transport's last word, which a packet log waits for.
        await withCheckedContinuation { done in executor.perform { done.resume() } }
        ownExecutor?.shutDown()
    }

    // MARK: Scans

    func startScan(
        _ request: ScanRequest,
        id: RequestIdentifier,
        into stream: ScanStream.Continuation
    ) {
        scans[id] = stream
        core.startScan(request, id: id, now: executor.now)
        drain()
    }

    func stopScan(_ id: RequestIdentifier) {
        scans[id] = nil
        core.stopScan(id, now: executor.now)
        drain()
    }

    // MARK: The transport

    private func openTransport() {
        guard opening == nil else { return isReopeningWanted = true }
        isOpenAwaited = true
        // Weak: a host that is let go meanwhile must not live on until this returns. On the executor:
        // where time is virtual, nothing may happen at a time of its own.
        opening = Task(executorPreference: executor.taskExecutor) {
            [weak self, transport, executor] in
            var failure: TransportError?
            do throws(TransportError) {
                try await transport.open(on: executor) { [weak self] event in
                    self?.assumeIsolated { $0.receive(event) }
                }
            } catch {
                failure = error
            }
            guard let self else { return executor.perform { transport.close() } }
            await openingReturned(failure)
        }
    }

    private func openingReturned(_ failure: TransportError?) {
        opening = nil
        guard core.state != .closed else { return transport.close() }
        if let failure {
            isOpenAwaited = false
            core.transportClosed(failure.description, now: executor.now)
            drain()
        } else {
            transportOpened()
        }
        guard isReopeningWanted else { return }
        isReopeningWanted = false
        openTransport()
    }

    /// The transport is open: `open` has returned, or something arrived before it could.
    private func transportOpened() {
        guard isOpenAwaited, core.state != .closed else { return }
        isOpenAwaited = false
        if let notice = transport.notice {
            configuration.logger.notice("\(transport.name): \(notice)")
        }
        core.transportOpened(
            losesBytes: transport.losesBytes,
            longestPacket: transport.longestPacket,
            now: executor.now
        )
        drain()
    }

    // MARK: Inputs

    private func receive(_ event: TransportEvent) {
        let now = executor.now
        switch event {
        case .received(let bytes):
            transportOpened()
            core.receive(bytes)
            while core.receiveNextPacket(now: now) { performActions() }
        case .closed(let error):
            isOpenAwaited = false
            core.transportClosed(error?.description ?? "\(transport.name): closed", now: now)
        }
        drain()
    }

    private func transportReturned() {
        core.transportReturned()
        drain()
    }

    private func timerFired() {
        core.deadlinePassed(now: executor.now)
        drain()
    }

    /// An identifier that no other request, scan or observer of this host has.
    nonisolated func takeRequest() -> RequestIdentifier {
        RequestIdentifier(rawValue: lastRequest.add(1, ordering: .relaxed).newValue)
    }

    /// Starts something in the core and waits for its completion; cancelling the task cancels it.
    ///
    /// - Parameter isAlwaysTaken: whether that is done even where more waits than may.
    func perform(
        isAlwaysTaken: Bool = false,
        _ start: sending (inout HostCore, RequestIdentifier, Instant) -> Void,
        onCancel cancel: @escaping @Sendable (inout HostCore, RequestIdentifier, Instant) -> Void
    ) async throws -> HostAnswer {
        guard isAlwaysTaken || waiting.count < HostCore.requestLimit else {
            throw HostError.tooManyRequests
        }
        let id = takeRequest()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiting[id] = .task(continuation)
                start(&core, id, executor.now)
                drain()
                // A cancellation that came before found nobody; one that comes now has to queue.
                if Task.isCancelled { giveUp(id, cancel) }
            }
        } onCancel: {
            enter { $0.giveUp(id, cancel) }
        }
    }

    private func giveUp(
        _ id: RequestIdentifier,
        _ cancel: (inout HostCore, RequestIdentifier, Instant) -> Void
    ) {
        guard let waiter = waiting.removeValue(forKey: id) else { return }
        cancel(&core, id, executor.now)
        drain()
        waiter.resume(with: .failure(CancellationError()))
    }

    // MARK: Actions

    /// Performs everything the core wants done, writes what is to be written, and sets the timer.
    /// Called by whoever is being told of something, it leaves that to whoever is telling.
    func drain() {
        guard !isPerforming else { return }
        performActions()
        if !packets.isEmpty {
            transport.send(packets)
            packets.removeAll(keepingCapacity: true)
        }
        timer?.set(to: core.findNextDeadline())
    }

    /// Runs `body`, and performs everything that it brings about after it.
    func performAsOne(_ body: (isolated BluetoothHost) -> Void) {
        guard !isPerforming else { return body(self) }
        isPerforming = true
        body(self)
        isPerforming = false
        drain()
    }

    private func performActions() {
        guard !isPerforming else { return }
        isPerforming = true
        defer { isPerforming = false }
        for _ in 0..<Self.roundsPerDrainLimit {
            if core.isDrained, port.owesNothing { return }
            core.takeActions(into: &actions)
            for action in actions { perform(action) }
            actions.removeAll(keepingCapacity: true)
            for (completion, result) in port.takeOwed() { completion(result) }
        }
        // There is no end to it: others get their turn first.
        enter { $0.drain() }
    }

    /// Whether the answer to a request waits to be told.
    func isDone(_ request: RequestIdentifier) -> Bool {
        actions.contains { $0.completes(request) } || core.willTell { $0.completes(request) }
    }

    private func perform(_ action: HostAction) {
        switch action {
        case .transmit(let packet): packets.append(packet)
        case .reopenTransport: openTransport()
        case .closeTransport:
            transport.close()
            guard core.state == .closed else { break }
            watch?.end()
            // Everything was written before.
            closeStore()
        case .stateChanged(let state): stateChanged(to: state)
        case .completed(let request, let result):
            if let scan = scans.removeValue(forKey: request) {
                if case .failure(let error) = result { scan.finish(throwing: error) }
                scan.finish()
            }
            ended(request, result)
        case .advertised(let scan, let advertisement):
            scans[scan]?.yield(advertisement)
            if port.scans.contains(scan) { tell(.advertised(scan: scan, advertisement)) }
        case .linkOpened(let link, let peer, let role):
            port.linkOpened(link, peer, role)
            tell(.linkOpened(link, peer, role))
        case .mtuChanged(let link, let mtu): tell(.mtuChanged(link, mtu))
        case .incomingLink(let link, let peer):
            incomingLinkReaders.deliver(Link(host: self, identifier: link, address: peer))
        case .advertisingEnded(let set, let end):
            advertisingEnds.ended(set, end)
            tell(.advertisingEnded(set, end))
        case .notified(let link, let handle, let value):
            notifications.deliver(value, for: .init(link: link, handle: handle))
            tell(.notified(link, handle, value))
        case .servicesChanged(let link, let first, let last):
            log("link \(link.rawValue): services \(first)...\(last) changed")
            tell(.servicesChanged(link, first...last))
        case .served(let link, let news): perform(news, of: link)
        case .disconnected(let link, let reason):
            linkEnded(link, reason)
        case .recall(let link, let key): recall(key, of: link)
        case .recallDatabase(let link, let key): recallDatabase(key, of: link)
        case .save(let bytes, let key): save(bytes, as: key)
        case .remove(let key): remove(key)
        case .setAside(let key, let reason): setAside(key, because: reason)
        case .security(let event):
            securityEventReaders.deliver(event)
            tell(.security(event))
        case .pairing(let link, let news): perform(news, of: link)
        case .usesKey(let key): configuration.keyObserver?(key)
        case .log(let text): log(text)
        }
    }

    /// A request is done: whoever waits for it is told.
    private func ended(_ request: RequestIdentifier, _ result: Result<HostAnswer, any Error>) {
        port.scans.remove(request)
        if let waiter = waiting.removeValue(forKey: request) {
            waiter.resume(with: result)
        } else if case .success(let answer) = result {
            release(answer, of: request)
        }
    }

    private func stateChanged(to state: AdapterState) {
        log(state)
        broadcast.send(state)
        tell(.stateChanged(state))
        guard state == .closed else { return }
        serverEventRouter.close()
        incomingLinkReaders.close()
        securityEventReaders.close()
        for farewell in farewells { farewell.resume() }
        farewells = []
    }
}
