// SPDX-License-Identifier: Apache-2.0

/// A listener to the announcements of the kernel's management interface: an adapter is added,
/// removed, or turned on or off. It needs no privileges.
///
/// The conformance is unchecked: only the executor's thread accesses the mutable properties, which
/// the calls of `executor.loop` check.
final class AnnouncementListener: TransportWatch, @unchecked Sendable {
    /// The maximum number of messages that are read in one turn of the event loop, so that other
    /// events of the thread are not delayed.
    static let messagesPerTurnLimit = 64

    private let executor: AdapterExecutor
    private let received: @Sendable (ManagementMessage) -> Void
    private let ended: @Sendable () -> Void
    private var socket: Descriptor?

    /// Starts to listen, or returns `nil` if the socket cannot be opened.
    ///
    /// Called on the executor's thread.
    ///
    /// - Parameters:
    ///   - kernel: The kernel.
    ///   - executor: The executor on whose thread the closures are called.
    ///   - received: The receiver of the messages.
    ///   - ended: The closure to call when no further message can arrive, unless `end()` was called
    ///     first.
    init?(
        to kernel: any BluetoothKernel,
        on executor: AdapterExecutor,
        received: @escaping @Sendable (ManagementMessage) -> Void,
        ended: @escaping @Sendable () -> Void = {}
    ) {
        guard let socket = try? kernel.openAnnouncements() else { return nil }
        self.executor = executor
        self.received = received
        self.ended = ended
        self.socket = socket
        executor.loop.watch(socket, readable: true, writable: false, self)
    }

    func end() {
        let loop = executor.loop
        guard let socket else { return }
        self.socket = nil
        loop.unwatch(socket)
    }

    /// Ends the listener because no further message can arrive, and reports this to the owner.
    private func finish() {
        guard socket != nil else { return }
        end()
        ended()
    }
}

extension AnnouncementListener: DescriptorHandler {
    func descriptorReady(readable: Bool, writable: Bool) {
        var messagesLeft = Self.messagesPerTurnLimit
        while messagesLeft > 0, readOnce() { messagesLeft -= 1 }
    }

    func loopEnded() {
        finish()
    }

    /// Reads one message, and returns whether there was one. The receiver may end the listener.
    private func readOnce() -> Bool {
        guard let socket else { return false }
        do throws(SystemError) {
            let bytes = try executor.loop.read(socket)
            guard !bytes.isEmpty else {
                finish()
                return false
            }
            if let message = ManagementMessage(bytes[...]) { received(message) }
            return true
        } catch {
            if !error.isTemporary { finish() }
            return false
        }
    }
}
