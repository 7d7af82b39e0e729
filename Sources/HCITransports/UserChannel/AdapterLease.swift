// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An adapter of the kernel's that is ours for a while, and what has to be done when it is not any more.
///
/// The kernel takes an adapter back down: its own host, and with it a daemon such as bluetoothd, gets it
/// as if it had just been plugged in. If it was up before, it is brought up again.
///
/// Unchecked: used by one thread at a time. The one that takes the adapter hands the lease over before
/// the executor's thread uses it, and keeps nothing.
final class AdapterLease: @unchecked Sendable {
    /// How long the adapter may stay taken once the descriptor is closed: a process that is just being
    /// started has a copy of it, until it runs its own program.
    static let copiesLimit = Duration.seconds(1)

    /// The number that the kernel has for the adapter.
    let index: UInt16
    /// Whether the kernel's host is to have it running after us.
    let wasUp: Bool
    private let kernel: any BluetoothKernel
    private(set) var descriptor: Descriptor?

    init(_ descriptor: Descriptor, index: UInt16, wasUp: Bool, of kernel: any BluetoothKernel) {
        self.descriptor = descriptor
        self.index = index
        self.wasUp = wasUp
        self.kernel = kernel
    }

    deinit {
        giveBack()
    }

    /// Gives the adapter back; waits until the kernel has it. Nothing else of this process may hold the
    /// descriptor.
    ///
    /// - Parameter isGone: whether it was unplugged. What has its number now is another one.
    func giveBack(isGone: Bool = false) {
        guard descriptor != nil else { return }
        descriptor = nil
        if wasUp, !isGone { bringUp() }
    }

    /// Brings it up as soon as the kernel has it, but waits for that no longer than `copiesLimit`.
    private func bringUp() {
        let deadline = kernel.now + Self.copiesLimit
        // Before the first look: what happens after that is told.
        let announcements = try? kernel.openAnnouncements()
        while true {
            let isStillTaken = self.isStillTaken
            // Somebody may have been faster, or may have switched it off: neither is ours to mend.
            guard isUpAlready(), isStillTaken, kernel.now < deadline else { return }
            kernel.awaitAnnouncement(on: announcements, limit: UserChannelOpening.patience)
        }
    }

    /// Whether a program has it for itself, as far as the kernel says.
    private var isStillTaken: Bool {
        guard let managed = try? kernel.managedIndices() else { return false }
        return !managed.contains(index)
    }

    /// Tries to bring it up. Whether it was up before, for the kernel or for a program: it says the same
    /// of both.
    private func isUpAlready() -> Bool {
        do throws(SystemError) {
            try kernel.bringUp(index)
            return false
        } catch {
            return error.code == EALREADY
        }
    }
}
