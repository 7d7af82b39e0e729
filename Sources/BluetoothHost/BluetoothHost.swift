// SPDX-License-Identifier: Apache-2.0

// The host, which connects a controller's bytes with an application's asynchronous calls.
//
// `HostCore` is a value that owns the state machines of all layers. It takes bytes, requests and
// the time, and returns an ordered list of actions. `BluetoothHost`, below, is its driver: an actor
// that runs on the executor of its transport, gives the core one input at a time, and performs the
// core's actions before it gives the core the next input. The driver makes no protocol decisions,
// and the core never waits.
//
// The transport reads bytes. The core splits them into packets and routes each to its state
// machine. The driver performs the resulting actions, and the awaiting task resumes on its own
// executor. That is one change of threads, and none for a task that runs on the host's thread
// (`BluetoothHost.executor`).

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
/// `states` reports this.
///
/// A host exists as long as the application holds a reference to it, to one of its ``Link``,
/// ``AdvertisingSet`` or ``L2CAPChannel`` values, to a ``ChannelListener``, or to a stream of it.
/// Only the streams ``states`` and ``securityEvents()`` do not keep the host alive, and end with
/// it. Call `shutdown()` before you release the last reference, so that the host disconnects its
/// links.
public actor BluetoothHost {
    /// The executor that the host runs on.
    ///
    /// A task that prefers it, with `withTaskExecutorPreference(host.executor.taskExecutor)`,
    /// exchanges values with the host without a change of threads.
    public nonisolated let executor: any HostExecutor

    /// The executor, if it is an `AdapterExecutor`, which has a thread of its own.
    private nonisolated let thread: AdapterExecutor?

    /// Whether the caller runs on the host's thread. A task on that thread may use the host without
    /// a suspension, because the host runs one unit of work at a time.
    nonisolated var isOnOwnThread: Bool { thread?.isCurrent ?? false }

    /// The executor, if the host created it and therefore shuts it down.
    let ownExecutor: AdapterExecutor?
    let configuration: HostConfiguration
    /// The cipher that derives the identifiers of peers that are not bonded.
    package nonisolated let peerCipher: PeerCipher
    let transport: any HCITransport

    // The accesses to the properties with `@exclusivity(unchecked)` never overlap, because the
    // accessed values have no reference to the host, and call no code outside of the package. The
    // checks of overlaps would be a tenth of the cost of a packet.
    @exclusivity(unchecked)
    var core: HostCore
    @exclusivity(unchecked)
    var port = HostPort()
    /// Empty arrays whose storage is used for the next actions.
    @exclusivity(unchecked)
    var unusedActions: [HostAction] = []
    @exclusivity(unchecked)
    var unusedReversedActions: [HostAction] = []
    @exclusivity(unchecked)
    var packets: [[UInt8]] = []

    @exclusivity(unchecked)
    var timer: (any HostTimer)?
    /// The deadline of `timer`.
    @exclusivity(unchecked)
    var timerDeadline: Instant?
    /// The watch that reports when a transport that could not be opened is available again.
    var watch: (any TransportWatch)?

    /// The task that opens the transport, until it has returned.
    var opening: Task<Void, Never>?
    /// Whether the core has yet to be informed that the transport is open.
    var isOpenAwaited = false
    /// Whether the transport ended before `opening` returned, and must be opened again.
    var isReopeningWanted = false
    /// The store for state that outlasts the host; `nil` after shutdown.
    var store: (any HostStore)?

    private nonisolated let lastRequest = Lock<UInt64>(0)

    typealias ScanStream = AsyncThrowingStream<Advertisement, any Error>

    @exclusivity(unchecked)
    var waiting: [RequestIdentifier: Waiter] = [:]
    /// Whether actions or callbacks are running. Actions that they cause follow afterward.
    @exclusivity(unchecked)
    var isPerforming = false
    /// Whether values, or events of the server, were delivered whose readers are not woken yet.
    @exclusivity(unchecked)
    var areValuesDelivered = false
    @exclusivity(unchecked)
    var areServerEventsDelivered = false
    @exclusivity(unchecked)
    var scans: [RequestIdentifier: ScanStream.Continuation] = [:]
    var notifications = NotificationRouter()
    var serverEventRouter = ServerEventRouter()
    var securityEventReaders = StreamReaders<SecurityEvent>(unreadLimit: securityEventLimit)
    var pairingQuestions = PairingQuestions()
    var incomingLinkReaders = StreamReaders<Link>()
    var parameterReaders: [LinkIdentifier: StreamReaders<ConnectionParameters>] = [:]
    var advertisingEnds = EndWaiters<RequestIdentifier, AdvertisingEnd>()
    var shutdownWaiters: [CheckedContinuation<Void, Never>] = []
    var linkEnds = EndWaiters<LinkIdentifier, HostError>()
    var stateReaders = StreamReaders<AdapterState>()
    var logRateLimit = LogRateLimit()
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
        // The executor shuts itself down on its own thread. This thread does not wait for that,
        // because it may hold a lock that the executor's thread waits for.
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
            self?.execute { $0.stateReaders.remove(observer) }
        }
        execute { host in
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
        timerDeadline = nil
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
    /// Returns when the adapter is closed, even if the task is canceled. The host waits at most a
    /// second for the end of links, scans and advertising.
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
        // The executor runs this closure after the transport's last event, at which a packet log
        // writes its last packets.
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
    ///   - isAlwaysTaken: Whether the host accepts the request even if `HostCore.requestLimit`
    ///     requests are pending.
    ///   - start: The closure that starts the request.
    ///   - cancel: The closure that cancels the request.
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
            execute { $0.giveUp(id, cancel) }
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
        // If the task was canceled before the request was in `waiting`, `giveUp` did nothing, so it
        // is called again here. A later cancellation runs after this method.
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
}
