// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The exclusive use of an adapter of the kernel, and its return to the kernel.
///
/// After the return, the adapter is available to the kernel's own host, and to a daemon such as
/// bluetoothd, as if it had just been plugged in. If it was up before, it is brought up again.
///
/// The conformance is unchecked: one thread at a time uses the object. The thread that takes the
/// adapter passes the lease to the executor's thread and keeps no reference.
final class AdapterLease: @unchecked Sendable {
    /// The time that the adapter may stay taken after the descriptor was closed. A child process
    /// that is being started has a copy of the descriptor until it executes its program.
    static let descriptorCopyLimit = Duration.seconds(1)

    /// The number of the adapter in the kernel.
    let index: UInt16
    /// Whether the kernel's host must be brought up after the return.
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

    /// Returns the adapter to the kernel, and waits until the kernel has it. If copies of the
    /// descriptor exist, the wait ends soon after `descriptorCopyLimit`. No other object of this
    /// process may hold the descriptor.
    ///
    /// - Parameter isGone: Whether the adapter was unplugged. Its number may then belong to another
    ///   adapter.
    func giveBack(isGone: Bool = false) {
        guard descriptor != nil else { return }
        descriptor = nil
        guard !isGone else { return }
        awaitReturn()
        // Another program may have brought the adapter up already, or a switch may have turned its
        // radio off. Both errors are ignored.
        if wasUp { try? kernel.bringUp(index) }
    }

    /// Waits until no program uses the adapter, because it must not be brought up earlier. Linux
    /// refuses to bring up an adapter that is in use. If the use is about to end, Linux may bring
    /// the adapter up for the previous program instead of its own host.
    private func awaitReturn() {
        let deadline = kernel.now + Self.descriptorCopyLimit
        // The socket is opened before the first check, so that no later change is missed.
        let announcements = try? kernel.openAnnouncements()
        while isTaken, kernel.now < deadline {
            kernel.awaitAnnouncement(on: announcements, limit: UserChannelOpening.waitLimit)
        }
    }

    /// Whether a program uses the adapter exclusively, according to the kernel.
    private var isTaken: Bool {
        guard let managed = try? kernel.managedIndices() else { return false }
        return !managed.contains(index)
    }
}
