// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A transport to an adapter of this computer that is taken from the Linux kernel through its HCI
/// user channel.
///
/// ```swift
/// let transport = UserChannelTransport(index: 0)  // hci0
/// ```
///
/// While the transport is open, this process has exclusive use of the adapter. To daemons such as
/// bluetoothd, the adapter appears to be unplugged. Afterward, it is returned to the kernel, and
/// brought up if it was up before. A process that is killed leaves it down, and daemons can then
/// turn it on. Taking an adapter requires the capability CAP_NET_ADMIN, but not root. An adapter
/// with links of the kernel's own host cannot be taken.
public final class UserChannelTransport: HCITransport {
    let adapter: SystemAdapterName
    private let kernel: (any BluetoothKernel)?
    private let state = OpeningState<PacketStream>()

    init(_ adapter: SystemAdapterName, kernel: (any BluetoothKernel)? = SystemBluetooth.kernel) {
        self.adapter = adapter
        self.kernel = kernel
    }

    /// Creates a transport to the adapter with this number in the kernel: 0 is `hci0`.
    public convenience init(index: UInt16) {
        self.init(.index(index))
    }

    /// Creates a transport to the adapter with this public address, whatever its number is when the
    /// transport is opened.
    public convenience init(address: DeviceAddress) {
        self.init(.address(address))
    }

    /// The name: `hci0` or `hci:AA:BB:CC:DD:EE:FF`.
    public var name: String { adapter.description }

    /// The maximum length of a packet in bytes, which the kernel determines.
    public var longestPacket: Int? { Self.longestPacket }

    /// The maximum length for all adapters: HCI_MAX_FRAME_SIZE of Linux.
    static let longestPacket = 1028

    /// The time that the kernel may take to set up an adapter before it can be taken.
    package static var setUpLimit: Duration { UserChannelOpening.setUpLimit }

    /// Takes the adapter as soon as the kernel has set it up, within about 20 seconds.
    ///
    /// If the task is canceled, the method returns after the system calls in progress have ended
    /// and the previous state was restored.
    ///
    /// - Throws: ``TransportError`` if the adapter does not exist, is in use, is not set up in
    ///   time, or has its radio turned off, if this process may not take it, or if the task is
    ///   canceled.
    public func open(
        on executor: any HostExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void
    ) async throws(TransportError) {
        try await state.open(name, on: executor) { executor throws(TransportError) in
            guard let kernel else { throw .bluetoothMissing(name) }
            await start(try await take(from: kernel), on: executor, receive: receive)
        }
    }

    /// Takes the adapter on its own thread, because the system calls block and cannot be canceled.
    ///
    /// The thread checks for a cancellation between the attempts. The method always waits for it,
    /// because only the thread brings an adapter up again that it has brought down.
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
            throw .system(
                operation: "take \(name)",
                code: 0,
                text: "the system cannot start a thread"
            )
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
                state.setClosed(error)
                receive(.closed(error))
            }
        )
        state.setOpen(stream)
        await executor.performAndWait { stream.start() }
    }

    /// Sends complete packets at the end of the current turn of the executor's event loop, each in
    /// its own write.
    public func send(_ packets: [[UInt8]]) {
        state.opened?.send(packets)
    }

    /// Returns the adapter to the kernel. `.closed(nil)` follows when the kernel has it. The
    /// executor's thread waits for that. If another process has a copy of the descriptor, the wait
    /// takes little more than one second at most.
    public func close() {
        state.opened?.close()
    }

    /// Calls `returned` when the adapter may be available again after the transport failed.
    ///
    /// The transport must have failed because the adapter was absent, in use by a program, or not
    /// set up. The closure is called when an adapter is plugged in, or when another program
    /// releases one. If the transport specifies its adapter by a number in the kernel, other
    /// adapters are ignored.
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
        // The adapter may have another number now, which the opening determines.
        case .address: true
        }
    }

    /// Whether the adapter must become available before another attempt. The kernel also announces
    /// the adapter when this transport releases it after a failed attempt. Without this check, each
    /// of these announcements would start another attempt, without end.
    private var isReturnAwaited: Bool { state.closingError?.canSucceedOnReturn ?? false }
}

private final class Cancellation: Sendable {
    private let state = Lock(false)

    var isDone: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

extension TransportError {
    /// Whether an attempt can succeed once the adapter becomes available, which the kernel
    /// announces.
    fileprivate var canSucceedOnReturn: Bool {
        switch self {
        case .noSuchAdapter, .adapterRemoved, .setUpUnfinished, .inUse(_, by: .processes): true
        default: false
        }
    }
}
