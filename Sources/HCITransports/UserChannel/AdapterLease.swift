// SPDX-License-Identifier: Apache-2.0

/// An adapter of the kernel's that is ours for a while, and what has to be done when it is not any more.
///
/// The kernel takes an adapter back down: its own host, and with it a daemon such as bluetoothd, gets it
/// as if it had just been plugged in. If it was up before, it is brought up again.
///
/// Unchecked: used by one thread at a time. The one that takes the adapter hands the lease over before
/// the executor's thread uses it, and keeps nothing.
final class AdapterLease: @unchecked Sendable {
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

    /// Gives the adapter back; waits until the kernel has it. Nobody else may hold the descriptor.
    ///
    /// - Parameter isGone: whether it was unplugged. What has its number now is another one.
    func giveBack(isGone: Bool = false) {
        guard descriptor != nil else { return }
        descriptor = nil
        // Somebody may have been faster, or may have switched it off: neither is ours to mend.
        if wasUp, !isGone { try? kernel.bringUp(index) }
    }
}
