// SPDX-License-Identifier: Apache-2.0

// The host, which connects a controller's bytes with an application's asynchronous calls.
//
// `HostCore` is a value that owns the state machines of all layers. It takes bytes, requests and
// the time, and returns an ordered list of actions. `BluetoothHost`, below, is its driver: an actor
// that runs on the thread of its adapter, gives the core one input at a time, and performs the
// core's actions before it gives the core the next input. The driver makes no protocol decisions,
// and the core never waits.
//
// A packet takes one path. The transport reads bytes (1). The core splits them into packets (2) and
// routes each to its state machine (3). The driver performs the resulting actions (4), and the
// awaiting task resumes on its own executor (5). That is one change of threads, and none for a task
// that runs on the adapter's thread (`BluetoothHost.executor`).

// Re-exports the modules whose types are part of the host's API: addresses and UUIDs,
// advertisements, services, channels, and error codes. An application needs to import
// `BluetoothHost` only.
@_exported import BluetoothATT
@_exported import BluetoothGAP
@_exported import BluetoothGATT
@_exported import BluetoothHCI
@_exported import BluetoothL2CAP
@_exported import BluetoothSMP
@_exported import BluetoothTypes
import HCITransports

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
/// A started host recovers from failures: it resets a controller that does not respond, reopens a
/// transport that ended, and continues scans and pending connections when the controller is back.
/// `states` reports this. Canceling the task that awaits an operation cancels the operation.
///
/// A host lives as long as the application holds a reference to it, to one of its ``Link`` or
/// ``AdvertisingSet`` values, or to one of the streams ``scan(for:parameters:reportsDuplicates:)``,
/// ``Link/subscribe(to:kind:)``, ``incomingLinks`` and ``serverEvents()``. The streams ``states``
/// and ``securityEvents()`` do not keep the host alive, and end with it. Call `shutdown()` before
/// you release the last reference, so that the host disconnects its links.
public actor BluetoothHost {
    /// The executor that the host runs on.
    ///
    /// A task that prefers it, with `withTaskExecutorPreference(host.executor.taskExecutor)`,
    /// exchanges values with the host without a change of threads. That is useful for many small
    /// values.
    public nonisolated let executor: any HostExecutor

    /// The executor, if it has a thread.
    private nonisolated let thread: AdapterExecutor?

    /// Whether the caller runs on the host's thread. A task on that thread may use the host without
    /// a suspension, because the host runs one unit of work at a time.
    nonisolated var isOnOwnThread: Bool { thread?.isCurrent ?? false }

    /// The executor, if the host created it and therefore shuts it down.
    let ownExecutor: AdapterExecutor?
    let configuration: HostConfiguration
    /// Derives the identifiers of peers that are not bonded. `identifier(of:)` returns the
    /// identifiers of all peers.
    package nonisolated let peerCipher: PeerCipher
    let transport: any HCITransport
    var core: HostCore
    private var timer: (any HostTimer)?
    /// Reports when a transport that could not be opened is available again.
    private var watch: (any TransportWatch)?

    /// The task that opens the transport, until it has returned.
    private var opening: Task<Void, Never>?
    /// Whether the core has not been informed yet that the transport is open.
    private var isOpenAwaited = false
    /// Whether the transport ended before `opening` returned, and must be opened again.
    private var isReopeningWanted = false
    /// The store for state that outlasts the host; `nil` after shutdown.
    var store: (any HostStore)?

    private var actions: [HostAction] = []
    private var packets: [[UInt8]] = []
    private nonisolated let lastRequest = Lock<UInt64>(0)

    typealias ScanStream = AsyncThrowingStream<Advertisement, any Error>

    var waiting: [RequestIdentifier: Waiter] = [:]
    /// Whether actions or callbacks are running. Actions that they cause follow afterward.
    private(set) var isPerforming = false
    var port = HostPort()
    private var scans: [RequestIdentifier: ScanStream.Continuation] = [:]
    var notifications = NotificationRouter()
    var serverEventRouter = ServerEventRouter()
    var securityEventReaders = StreamReaders<SecurityEvent>(unreadLimit: securityEventLimit)
    var pairingQuestions = PairingQuestions()
    var incomingLinkReaders = StreamReaders<Link>()
    var parameterReaders: [LinkIdentifier: StreamReaders<ConnectionParameters>] = [:]
    var advertisingEnds = Ends<RequestIdentifier, AdvertisingEnd>()
    private var shutdownWaiters: [CheckedContinuation<Void, Never>] = []
    var linkEnds = Ends<LinkIdentifier, HostError>()
    private var stateReaders = StreamReaders<AdapterState>()
    var logBudget = LogBudget()
    /// The failure of the adapter that was logged last; `nil` after recovery.
    var loggedFailure: AdapterFailure?

    /// The host's executor, as the actor's serial executor.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Creates a host. `start()` opens the transport.
    ///
    /// - Parameters:
    ///   - transport: The connection to the controller.
    ///   - configuration: The configuration of the host.
    ///   - executor: The executor that the host runs on; by default a new thread.
    public init(
        transport: any HCITransport,
        configuration: HostConfiguration = HostConfiguration(),
        executor: (any HostExecutor)? = nil
    ) {
        self.transport = transport
        if let executor {
            self.executor = executor
            thread = executor as? AdapterExecutor
            ownExecutor = nil
        } else {
            let made = AdapterExecutor()
            self.executor = made
            thread = made
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
        // A graceful shutdown is no longer possible. The streams of `states` and `securityEvents()`
        // end here. All other streams keep the host alive, so none is open.
        securityEventReaders.close()
        pairingQuestions.withdrawAll()
        stateReaders.deliver(.closed)
        stateReaders.close()
        opening?.cancel()
        // The thread ends itself, because the caller that released the host may hold a lock that
        // the thread waits for.
        executor.perform { [transport, ownExecutor, waiting, watch] in
            for waiter in waiting.values { waiter.resume(with: .failure(HostError.closed)) }
            watch?.end()
            transport.close()
            ownExecutor?.shutDown()
        }
    }

    // MARK: The adapter

    /// The state of the adapter.
    public var state: AdapterState { core.state }

    /// The current state of the adapter, and every change of it. The stream ends after `closed`.
    ///
    /// A reader that is more than ``stateLimit`` states behind misses the oldest.
    public nonisolated var states: AsyncStream<AdapterState> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: AdapterState.self,
            bufferingPolicy: .bufferingNewest(Self.stateLimit)
        )
        let observer = takeRequest()
        // The handler is set before the stream is returned, because a stream that has already ended
        // does not call it.
        continuation.onTermination = { [weak self] _ in
            self?.enter { $0.stateReaders.remove(observer) }
        }
        enter { host in
            continuation.yield(host.state)
            guard host.state != .closed else { return continuation.finish() }
            host.stateReaders.add(continuation, as: observer)
        }
        return stream
    }

    /// The maximum number of states that a stream of ``states`` keeps for its reader.
    public static let stateLimit = 64

    /// Opens the transport and sets up the controller.
    ///
    /// Returns when the adapter is ready. If the first attempt fails, the method throws and the
    /// host keeps trying. The application can then observe `states` or shut the host down.
    ///
    /// - Throws: ``HostError/adapter(_:)`` if the first attempt fails, ``HostError/closed`` if the
    ///   host is shut down, and `CancellationError` if the task is canceled.
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

    /// Opens the transport on the first call. Later calls do nothing.
    func openOnce() {
        guard timer == nil, core.state != .closed else { return }
        timer = executor.makeTimer { [weak self] in
            self?.assumeIsolated { $0.timerFired() }
        }
        watch = transport.watch(on: executor) { [weak self] in
            self?.assumeIsolated { $0.transportReturned() }
        }
        if configuration.acceptsPairing, let window = configuration.pairingWindow {
            core.openPairingWindow(for: window, now: executor.now)
        }
        openStore()
        openTransport()
    }

    /// Disconnects all links, stops scans, connection requests and advertising, closes the
    /// transport, and fails all pending requests. The host cannot be started again.
    ///
    /// Returns when the adapter is closed, after at most a second, also if the task is canceled.
    public func shutdown() async {
        core.shutDown(now: executor.now)
        drain()
        await withCheckedContinuation { waiter in
            // The closure checks the state itself, because the actor may run other tasks before the
            // closure starts.
            if core.state == .closed { waiter.resume() } else { shutdownWaiters.append(waiter) }
        }
        opening?.cancel()
        await opening?.value
        // This closure runs after the transport's last event, for which a packet log waits.
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
        // The reference is weak, because opening must not keep a released host alive. The task runs
        // on the executor, because with virtual time no code may run outside of it.
        opening = Task(preferring: executor) {
            [weak self, transport, executor] in
            var failure: TransportError?
            do throws(TransportError) {
                try await transport.open(on: executor) { [weak self] event in self?.take(event) }
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

    /// Informs the core that the transport is open: `open` has returned, or bytes arrived before it
    /// returned.
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

    func receive(_ event: TransportEvent) {
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

    /// Returns an identifier that no other request, scan or observer of this host has.
    nonisolated func takeRequest() -> RequestIdentifier {
        let number = lastRequest.withLock { last in
            last += 1
            return last
        }
        return RequestIdentifier(rawValue: number)
    }

    /// Starts a request in the core and waits for its completion. Canceling the task cancels the
    /// request.
    ///
    /// - Parameters:
    ///   - isAlwaysTaken: Whether the limit of pending requests does not apply.
    ///   - start: Starts the request.
    ///   - cancel: Cancels the request.
    /// - Returns: The core's answer.
    /// - Throws: The core's error, `HostError.tooManyRequests`, or `CancellationError`.
    func perform(
        isAlwaysTaken: Bool = false,
        _ start: sending (inout HostCore, RequestIdentifier, Instant) -> Void,
        onCancel cancel: @escaping @Sendable (inout HostCore, RequestIdentifier, Instant) -> Void
    ) async throws -> HostAnswer {
        let id = takeRequest()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                begin(id, isAlwaysTaken: isAlwaysTaken, start, cancel, continuation)
            }
        } onCancel: {
            enter { $0.giveUp(id, cancel) }
        }
    }

    /// Starts a request in the core. Its completion resumes the continuation.
    func begin(
        _ id: RequestIdentifier,
        isAlwaysTaken: Bool,
        _ start: (inout HostCore, RequestIdentifier, Instant) -> Void,
        _ cancel: (inout HostCore, RequestIdentifier, Instant) -> Void,
        _ continuation: CheckedContinuation<HostAnswer, any Error>
    ) {
        guard isAlwaysTaken || waiting.count < HostCore.requestLimit else {
            return continuation.resume(throwing: HostError.tooManyRequests)
        }
        waiting[id] = .task(continuation)
        start(&core, id, executor.now)
        drain()
        // An earlier cancellation found no waiter. A later one is queued behind this.
        if Task.isCancelled { giveUp(id, cancel) }
    }

    func giveUp(
        _ id: RequestIdentifier,
        _ cancel: (inout HostCore, RequestIdentifier, Instant) -> Void
    ) {
        guard let waiter = waiting.removeValue(forKey: id) else { return }
        cancel(&core, id, executor.now)
        drain()
        waiter.resume(with: .failure(CancellationError()))
    }

    // MARK: Actions

    /// Performs all actions of the core, sends the packets, and sets the timer. A call from within
    /// a callback returns at once, because the outer call does all of this.
    func drain() {
        guard !isPerforming else { return }
        performActions()
        sendPackets()
        notifications.wakeReaders()
        timer?.set(to: core.readNextDeadline())
    }

    private func sendPackets() {
        guard !packets.isEmpty else { return }
        transport.send(packets)
        core.reclaim(&packets)
    }

    /// Performs all actions of an input that changed no deadline, and sends the packets.
    func drainPackets() {
        guard !isPerforming else { return }
        performActions()
        sendPackets()
        notifications.wakeReaders()
    }

    /// Runs `body`, and afterward performs all actions that it caused.
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
            if core.isDrained, port.hasNoPendingResults { return }
            core.takeActions(into: &actions)
            for action in actions { perform(action) }
            actions.removeAll(keepingCapacity: true)
            for (completion, result) in port.takePendingResults() { completion(result) }
        }
        // Completions continue to cause actions, so other work of the executor runs first.
        enter { $0.drain() }
    }

    /// Returns whether the request has an answer that its waiter has not received yet.
    func isDone(_ request: RequestIdentifier) -> Bool {
        actions.contains { $0.completes(request) } || core.willEmit { $0.completes(request) }
    }

    private func perform(_ action: HostAction) {
        switch action {
        case .transmit(let packet): packets.append(packet)
        case .reopenTransport: openTransport()
        case .closeTransport:
            transport.close()
            guard core.state == .closed else { break }
            watch?.end()
            // Earlier actions have written everything.
            closeStore()
        case .event(let event): perform(event)
        case .completed(let request, let result):
            if let scan = scans.removeValue(forKey: request) {
                if case .failure(let error) = result { scan.finish(throwing: error) }
                scan.finish()
            }
            ended(request, result)
        case .recall(let link, let key): recall(key, of: link)
        case .recallDatabase(let link, let key): recallDatabase(key, of: link)
        case .save(let bytes, let key): save(bytes, as: key)
        case .remove(let key): remove(key)
        case .setAside(let key, let reason): setAside(key, because: reason)
        case .pairing(let link, let event): perform(event, of: link)
        case .usesKey(let key): configuration.keyObserver?(key)
        case .log(let text): log(text)
        }
    }

    /// Resumes the waiter of a request. If the request was canceled, its answer is undone.
    private func ended(_ request: RequestIdentifier, _ result: Result<HostAnswer, any Error>) {
        port.scans.remove(request)
        if let waiter = waiting.removeValue(forKey: request) {
            waiter.resume(with: result)
        } else if case .success(let answer) = result {
            release(answer, of: request)
        }
    }

    /// Delivers an event to the streams of the API and to the port's observer.
    private func perform(_ event: HostEvent) {
        switch event {
        case .stateChanged(let state):
            log(state)
            stateReaders.deliver(state)
            if state == .closed { stateReaders.close() }
        case .advertised(let scan, let advertisement):
            scans[scan]?.yield(advertisement)
            guard port.scans.contains(scan) else { return }
        case .linkOpened(let link, let peer, let role): linkOpened(link, peer, role)
        case .mtuChanged: break
        case .parametersChanged(let link, let parameters):
            parameterReaders[link]?.deliver(parameters)
        case .advertisingEnded(let set, let end): advertisingEnds.ended(set, end)
        case .notified(let link, let handle, let value):
            notifications.deliver(value, for: .init(link: link, handle: handle))
        case .servicesChanged(let link, let ranges, _):
            log("link \(link.rawValue): services \(ranges) changed")
        case .databaseOutdated(let link):
            log("link \(link.rawValue): the services changed before they could be indicated")
        case .served(let link, let event):
            guard deliver(event, of: link) else { return }
        case .disconnected(let link, let reason):
            guard linkEnded(link, reason) else { return }
        case .security(let event): securityEventReaders.deliver(event)
        }
        port.observer?.hostDid(event)
        if case .stateChanged(.closed) = event { closeStreams() }
    }

    private func closeStreams() {
        serverEventRouter.close()
        incomingLinkReaders.close()
        securityEventReaders.close()
        for waiter in shutdownWaiters { waiter.resume() }
        shutdownWaiters = []
    }
}
