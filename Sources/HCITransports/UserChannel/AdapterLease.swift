// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

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

    /// Gives the adapter back; waits until the kernel has it, but for copies of the descriptor no longer
    /// than `copiesLimit`. Nothing else of this process may hold the descriptor.
    ///
    /// - Parameter isGone: whether it was unplugged. What has its number now is another one.
    func giveBack(isGone: Bool = false) {
        guard descriptor != nil else { return }
        descriptor = nil
        guard !isGone else { return }
        awaitReturn()
        // Somebody may have been faster, or may have switched it off: neither is ours to mend.
        if wasUp { try? kernel.bringUp(index) }
    }

    /// Waits until no program has it. Before that, it must not be brought up: Linux refuses, or, where it is
    /// just about to take it back, starts it for the program that had it.
    private func awaitReturn() {
        let deadline = kernel.now + Self.copiesLimit
        // Before the first look: what happens after that is told.
        let announcements = try? kernel.openAnnouncements()
        while isTaken, kernel.now < deadline {
            kernel.awaitAnnouncement(on: announcements, limit: UserChannelOpening.patience)
        }
    }

    /// Whether a program has it for itself, as far as the kernel says.
    private var isTaken: Bool {
        guard let managed = try? kernel.managedIndices() else { return false }
        return !managed.contains(index)
    }
}
