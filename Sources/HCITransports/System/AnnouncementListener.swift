// SPDX-License-Identifier: Apache-2.0

/// Hears of adapters that come and go, from the kernel's management. Any process may listen.
///
/// Unchecked: what varies is touched on the executor's thread only, as the calls of `executor.loop` check.
final class AnnouncementListener: TransportWatch, @unchecked Sendable {
    /// How many messages are read before others of the thread get their turn.
    static let messagesPerTurnLimit = 64

    private let executor: AdapterExecutor
    private let heard: @Sendable (ManagementMessage) -> Void
    private let ended: @Sendable () -> Void
    private var socket: Descriptor?

    /// Begins to listen; nil if the kernel does not tell. On the executor's thread, where `heard` is
    /// called as well, and `ended` when there is nothing more to hear, unless `end()` was called first.
    init?(
        to kernel: any BluetoothKernel,
        on executor: AdapterExecutor,
        heard: @escaping @Sendable (ManagementMessage) -> Void,
        ended: @escaping @Sendable () -> Void = {}
    ) {
        guard let socket = try? kernel.openAnnouncements() else { return nil }
        self.executor = executor
        self.heard = heard
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

    /// Ends by itself.
    private func cease() {
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
        cease()
    }

    /// Whether there was something. Whoever hears of it may end the listening.
    private func readOnce() -> Bool {
        guard let socket else { return false }
        do throws(SystemError) {
            let bytes = try executor.loop.read(socket)
            guard !bytes.isEmpty else {
                cease()
                return false
            }
            if let message = ManagementMessage(bytes[...]) { heard(message) }
            return true
        } catch {
            if !error.isTemporary { cease() }
            return false
        }
    }
}
