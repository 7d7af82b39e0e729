// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The sequence of system calls that takes an adapter from the kernel. Some of them block.
///
/// If the kernel is still setting up the adapter, the sequence waits. If the kernel's own host uses
/// the adapter without links, the sequence brings it down, and brings it up again if the adapter
/// cannot be taken.
struct UserChannelOpening {
    /// The time that the kernel may take to set up an adapter, during which some adapters receive
    /// their firmware.
    static let setUpLimit = Duration.seconds(20)
    /// The maximum time of one wait for the kernel before the next check.
    static let waitLimit = Duration.milliseconds(200)
    /// The maximum number of times that an adapter is brought down, if another program brings it up
    /// again each time.
    static let bringDownLimit = 3

    private let adapter: SystemAdapterName
    private let kernel: any BluetoothKernel
    /// The closure that returns whether the opening was canceled. It is called before and after
    /// each attempt to take the adapter.
    private let isCancelled: @Sendable () -> Bool

    /// The number of the adapter that this sequence has brought down, or `nil` if it has brought
    /// down none.
    private var broughtDown: UInt16?
    private var bringDownCount = 0

    init(
        _ adapter: SystemAdapterName,
        of kernel: any BluetoothKernel,
        isCancelled: @escaping @Sendable () -> Bool
    ) {
        self.adapter = adapter
        self.kernel = kernel
        self.isCancelled = isCancelled
    }

    private var name: String { adapter.description }

    /// Takes the adapter. Called once. A canceled attempt restores the previous state.
    mutating func take() throws(TransportError) -> AdapterLease {
        let lease = try takeOrRestore()
        guard isCancelled() else { return lease }
        lease.giveBack()
        throw .cancelled
    }

    private mutating func takeOrRestore() throws(TransportError) -> AdapterLease {
        do throws(TransportError) {
            return try takeWhenReady()
        } catch {
            if let broughtDown { try? kernel.bringUp(broughtDown) }
            throw error
        }
    }

    private mutating func takeWhenReady() throws(TransportError) -> AdapterLease {
        let deadline = kernel.now + Self.setUpLimit
        // The socket is opened before the first check, so that no later change is missed.
        let announcements = try? kernel.openAnnouncements()
        while !isCancelled() {
            let index = try find()
            // The check precedes the system call, because the kernel's own check would announce the
            // adapter to daemons as removed and added.
            guard !isOff(index) else {
                throw refusal(SystemError(code: SystemError.radioOff), of: index)
            }
            if let descriptor = try attempt(index) {
                let wasUp = broughtDown == index
                return AdapterLease(descriptor, index: index, wasUp: wasUp, of: kernel)
            }
            if try isUp(index) {
                try bringDown(index)
            } else {
                guard kernel.now < deadline else {
                    throw .setUpUnfinished(name, after: Self.setUpLimit)
                }
                kernel.awaitAnnouncement(on: announcements, limit: Self.waitLimit)
            }
        }
        throw .cancelled
    }

    // MARK: Steps

    private func find() throws(TransportError) -> UInt16 {
        let index: UInt16?
        do throws(SystemError) {
            index = try adapter.index(in: kernel)
        } catch {
            throw refusal(error, of: nil)
        }
        guard let index else { throw absence }
        return index
    }

    /// Tries to take the adapter, and returns `nil` if it is up or being set up.
    private func attempt(_ index: UInt16) throws(TransportError) -> Descriptor? {
        do throws(SystemError) {
            return try kernel.openUserChannel(index)
        } catch {
            guard error.code != EBUSY else { return nil }
            throw refusal(error, of: index)
        }
    }

    private func isUp(_ index: UInt16) throws(TransportError) -> Bool {
        do throws(SystemError) {
            return try kernel.record(of: index).isUp
        } catch {
            throw refusal(error, of: index)
        }
    }

    /// Stops the kernel's own host on the adapter, unless it has links.
    private mutating func bringDown(_ index: UInt16) throws(TransportError) {
        let connections = (try? kernel.connectionCount(of: index)) ?? 0
        guard connections == 0, bringDownCount < Self.bringDownLimit else {
            let daemons = AdapterHolders(kernel.files).daemons
            throw .inUse(name, by: .kernel(connections: connections, for: daemons))
        }
        bringDownCount += 1
        do throws(SystemError) {
            try kernel.bringDown(index)
            broughtDown = index
        } catch {
            // Another program uses the adapter exclusively. The adapter is then up too, but must
            // not be brought down.
            guard error.code != EBUSY else { throw taken }
            throw refusal(error, of: index)
        }
    }

    private func isOff(_ index: UInt16) -> Bool {
        RadioSwitches(kernel.files).radioSwitch(ofAdapter: index)?.isOff ?? false
    }

    // MARK: Refusals

    private var absence: TransportError {
        let indices = (try? kernel.adapterIndices()) ?? []
        return .noSuchAdapter(name, present: indices.sorted().map { "hci\($0)" })
    }

    private func isPresent(_ index: UInt16?) -> Bool {
        guard let index, let indices = try? kernel.adapterIndices() else { return false }
        return indices.contains(index)
    }

    private func refusal(_ error: SystemError, of index: UInt16?) -> TransportError {
        switch error.code {
        // The driver also returns this error for an adapter that exists but does not start.
        case ENODEV where !isPresent(index): absence
        case EPERM, EACCES: .notPermitted(name, program: kernel.files.target(of: "/proc/self/exe"))
        case EUSERS: taken
        case SystemError.radioOff:
            .switchedOff(name, byHardware: isHardBlocked(index))
        case EAFNOSUPPORT, EPROTONOSUPPORT, ESOCKTNOSUPPORT: .bluetoothMissing(name)
        default: error.transportError("take", name: name)
        }
    }

    /// The error for an adapter that another program uses exclusively. The error lists the programs
    /// that may be the user, as far as this process may see them.
    private var taken: TransportError {
        .inUse(name, by: .processes(AdapterHolders(kernel.files).programs))
    }

    private func isHardBlocked(_ index: UInt16?) -> Bool {
        index.flatMap { RadioSwitches(kernel.files).radioSwitch(ofAdapter: $0) }?.isHardBlocked
            ?? false
    }
}
