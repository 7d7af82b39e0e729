// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// How an adapter is taken from the kernel: a sequence of calls, some of which wait.
///
/// An adapter that the kernel is still setting up is waited for. One that its own host runs is brought
/// down for us, unless it has links; and up again if that was in vain.
struct UserChannelOpening {
    /// How long the kernel may take to set an adapter up: some get their firmware then.
    static let setUpLimit = Duration.seconds(20)
    /// How long one wait for the kernel lasts at most, before it is asked again.
    static let patience = Duration.milliseconds(200)
    /// How often an adapter is brought down, if each time somebody brings it up again.
    static let takingLimit = 3

    private let adapter: SystemAdapterName
    private let kernel: any BluetoothKernel
    /// Asked before every step.
    private let isCancelled: @Sendable () -> Bool

    /// The adapter that was up before we brought it down.
    private var broughtDown: UInt16?
    private var bringingsDown = 0

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

    /// Takes the adapter. Called once. What is called off meanwhile is as it was before.
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
        // Before the first look: what happens after that is told.
        let announcements = try? kernel.openAnnouncements()
        while !isCancelled() {
            let index = try find()
            // Before the kernel finds out, and tells daemons of an adapter that goes and comes back.
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
                kernel.awaitAnnouncement(on: announcements, limit: Self.patience)
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

    /// Tries to take it; nil if the kernel uses it itself.
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

    /// Ends the kernel's own host on it, unless that has links.
    private mutating func bringDown(_ index: UInt16) throws(TransportError) {
        let connections = (try? kernel.connectionCount(of: index)) ?? 0
        guard connections == 0, bringingsDown < Self.takingLimit else {
            let daemons = AdapterHolders(kernel.files).daemons
            throw .inUse(name, by: .kernel(connections: connections, for: daemons))
        }
        bringingsDown += 1
        do throws(SystemError) {
            try kernel.bringDown(index)
            broughtDown = index
        } catch {
            // Another program has it for itself: that makes it up, too, but not for us to bring down.
            guard error.code != EBUSY else { throw taken }
            throw refusal(error, of: index)
        }
    }

    private func isOff(_ index: UInt16) -> Bool {
        RadioSwitches(kernel.files).of(adapter: index)?.isOff ?? false
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

    /// What the refusal of a call means for whoever wants the adapter.
    private func refusal(_ error: SystemError, of index: UInt16?) -> TransportError {
        switch error.code {
        // The driver says so as well, of one that is there but does not start.
        case ENODEV where !isPresent(index): absence
        case EPERM, EACCES: .notPermitted(name, program: kernel.files.target(of: "/proc/self/exe"))
        case EUSERS: taken
        case SystemError.radioOff:
            .switchedOff(name, byHardware: isOffByHardware(index))
        case EAFNOSUPPORT, EPROTONOSUPPORT, ESOCKTNOSUPPORT: .bluetoothMissing(name)
        default: error.transportError("take", name: name)
        }
    }

    /// A program has it, one that this process can see or not.
    private var taken: TransportError {
        .inUse(name, by: .processes(AdapterHolders(kernel.files).programs))
    }

    private func isOffByHardware(_ index: UInt16?) -> Bool {
        index.flatMap { RadioSwitches(kernel.files).of(adapter: $0) }?.isOffByHardware ?? false
    }
}
