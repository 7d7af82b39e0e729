// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Synchronization

/// An adapter of this computer, taken from the Linux kernel: its HCI user channel.
///
/// ```swift
/// let transport = UserChannelTransport(index: 0)  // hci0
/// ```
///
/// While it is open, the adapter is this process' alone: for daemons such as bluetoothd it is as if it had
/// been unplugged. Afterwards the kernel has it back, and up if it was up before; but a
/// process that is killed leaves it down, for daemons to switch on again. Taking it wants the
/// capability CAP_NET_ADMIN, not root. An adapter on which the kernel's own host has links is in use.
public final class UserChannelTransport: HCITransport {
    private enum State {
        /// Whether somebody else has to do something before it can be opened again.
        case closed(isReturnAwaited: Bool)
        case opening
        case open(PacketStream)
    }

    let adapter: SystemAdapterName
    private let kernel: (any BluetoothKernel)?
    private let state = Mutex(State.closed(isReturnAwaited: false))

    init(_ adapter: SystemAdapterName, kernel: (any BluetoothKernel)? = SystemBluetooth.kernel) {
        self.adapter = adapter
        self.kernel = kernel
    }

    /// The adapter to which the kernel gives this number now: 0 is `hci0`.
    public convenience init(index: UInt16) {
        self.init(.index(index))
    }

    /// The adapter with this public address, whatever its number is when the transport is opened.
    public convenience init(address: DeviceAddress) {
        self.init(.address(address))
    }

    /// `hci0` or `hci:AA:BB:CC:DD:EE:FF`.
    public var name: String { adapter.description }

    /// No longer than the kernel's own.
    public var longestPacket: Int? { Self.longestPacket }

    /// The same for every adapter: HCI_MAX_FRAME_SIZE of Linux.
    static let longestPacket = 1028

    /// How long the kernel may take to set an adapter up before it can be taken.
    package static var setUpLimit: Duration { UserChannelOpening.setUpLimit }

    /// Takes the adapter, as soon as the kernel has set it up; within some twenty seconds.
    ///
    /// Cancelling the task gives up before the kernel's next call, and returns when all is as it was.
    ///
    /// Fails if there is none such, somebody else has it, its radio is switched off, or this process may
    /// not take it.
    public func open(
        on executor: any HostExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async throws(TransportError) {
        guard let executor = executor as? AdapterExecutor else { throw .unsuitableExecutor(name) }
        guard let kernel else { throw .bluetoothMissing(name) }
        try beginOpening()
        do throws(TransportError) {
            let lease = try await take(from: kernel)
            await start(lease, on: executor, receive: receive)
        } catch {
            state.withLock { $0 = .closed(isReturnAwaited: error.isEndedByOthers) }
            throw error
        }
    }

    private func beginOpening() throws(TransportError) {
        let isFirst = state.withLock { state in
            guard case .closed = state else { return false }
            state = .opening
            return true
        }
        guard isFirst else { throw .alreadyOpen(name) }
    }

    /// The kernel's calls wait, and cannot be called off: they have a thread of their own. It looks for a
    /// cancellation between them, and is waited for: nobody else would bring up again what it brought down.
    private func take(
        from kernel: any BluetoothKernel
    ) async throws(TransportError) -> AdapterLease {
        let answer = FirstAnswer<Result<AdapterLease, TransportError>>()
        let cancellation = Cancellation()
        let thread = SystemThread { [adapter] in
            var opening = UserChannelOpening(adapter, of: kernel) { cancellation.isDone }
            do throws(TransportError) {
                answer.give(.success(try opening.take()))
            } catch {
                answer.give(.failure(error))
            }
        }
        guard let thread else {
            throw .system(operation: "take \(name)", code: 0, text: "no thread to wait on")
        }
        thread.detach()
        let outcome = await withTaskCancellationHandler {
            await answer.value
        } onCancel: {
            cancellation.isDone = true
        }
        return try outcome.get()
    }

    private func start(
        _ lease: AdapterLease,
        on executor: AdapterExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async {
        let stream = PacketStream(
            lease,
            name: name,
            executor: executor,
            receive: receive,
            ended: { [self] error in
                let isReturnAwaited = error?.isEndedByOthers ?? false
                state.withLock { $0 = .closed(isReturnAwaited: isReturnAwaited) }
                receive(.closed(error))
            }
        )
        state.withLock { $0 = .open(stream) }
        await withCheckedContinuation { continuation in
            executor.perform {
                stream.start()
                continuation.resume()
            }
        }
    }

    /// Sends whole packets at the end of the thread's turn, each by itself.
    public func send(_ packets: [[UInt8]]) {
        stream?.send(packets)
    }

    /// Gives the adapter back to the kernel; `.closed(nil)` follows when it has it. The executor's thread waits
    /// for that; for a copy of the descriptor that another process has, a second at most.
    public func close() {
        stream?.close()
    }

    /// Calls `returned` when the adapter was plugged in, or another program has let go of it.
    public func watch(
        on executor: any HostExecutor,
        returned: @escaping @Sendable () -> Void
    ) -> (any TransportWatch)? {
        guard let executor = executor as? AdapterExecutor, let kernel else { return nil }
        return AnnouncementListener(to: kernel, on: executor) { [weak self] message in
            guard let self, message.announcesAdapter, mayBeOurs(message.index), isReturnAwaited
            else { return }
            returned()
        }
    }

    private func mayBeOurs(_ index: UInt16) -> Bool {
        switch adapter {
        case .index(let ours): index == ours
        // Its number may be another one now; opening finds out.
        case .address: true
        }
    }

    /// An attempt of our own that fails after it has taken the adapter is announced, too: to begin the
    /// next one then would be to go round in circles.
    private var isReturnAwaited: Bool {
        state.withLock { state in
            guard case .closed(let isReturnAwaited) = state else { return false }
            return isReturnAwaited
        }
    }

    private var stream: PacketStream? {
        state.withLock { state in
            guard case .open(let stream) = state else { return nil }
            return stream
        }
    }
}

/// Whether something has been called off.
private final class Cancellation: Sendable {
    private let state = Atomic(false)

    var isDone: Bool {
        get { state.load(ordering: .relaxed) }
        set { state.store(newValue, ordering: .relaxed) }
    }
}

extension TransportError {
    /// Whether somebody else can end it, and the kernel announces when they have.
    fileprivate var isEndedByOthers: Bool {
        switch self {
        case .noSuchAdapter, .adapterRemoved, .setUpUnfinished, .inUse(_, by: .processes): true
        default: false
        }
    }
}
