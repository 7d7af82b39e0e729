// SPDX-License-Identifier: Apache-2.0

/// The adapters of this computer according to the Linux kernel, and none on other systems. The
/// queries change nothing and require no permission. Without permission, however, the programs that
/// use an adapter may not be visible.
package enum SystemAdapters {
    /// Returns all adapters in the order of their numbers.
    package static func list() -> [SystemAdapter] {
        SystemBluetooth.kernel.map(list) ?? []
    }

    /// Returns the adapter to use if the user specifies none, or `nil` if none is available.
    package static func preferred() -> AdapterSpecification? {
        SystemAdapter.preferred(of: list())?.specification
    }

    /// Whether this process has CAP_NET_ADMIN, and so may take adapters from the kernel; `nil` if
    /// that is unknown.
    package static var mayTake: Bool? {
        SystemBluetooth.kernel?.files.text(of: "/proc/self/status").flatMap { mayTake(status: $0) }
    }

    /// Returns whether a process may take adapters according to the text of its /proc/PID/status,
    /// or `nil` if the text contains no capabilities. Root has the capability too, unless it was
    /// dropped.
    package static func mayTake(status: String) -> Bool? {
        let line = status.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
        guard let digits = line?.split(whereSeparator: { $0 == "\t" || $0 == " " }).last,
            let capabilities = UInt64(digits, radix: 16)
        else { return nil }
        return capabilities >> netAdmin & 1 == 1
    }

    /// The bit of CAP_NET_ADMIN in a set of capabilities.
    private static let netAdmin: UInt64 = 12

    static func list(of kernel: any BluetoothKernel) -> [SystemAdapter] {
        let indices = (try? kernel.adapterIndices()) ?? []
        guard !indices.isEmpty else { return [] }
        var survey = Survey(kernel)
        return indices.sorted().compactMap { survey.adapter($0) }
    }

    /// Returns a stream with an element whenever the list may have changed: at first, and when an
    /// adapter is added, removed, or turned on or off. The stream ends if the kernel does not
    /// announce changes, or stops announcing them.
    package static func changes() -> AsyncStream<Void> {
        changes(of: SystemBluetooth.kernel)
    }

    static func changes(of kernel: (any BluetoothKernel)?) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        guard let kernel else {
            continuation.finish()
            return stream
        }
        let executor = AdapterExecutor()
        // On the executor's own thread, `shutDown()` does not wait for the end of the thread.
        continuation.onTermination = { _ in executor.perform { executor.shutDown() } }
        executor.perform {
            let listener = AnnouncementListener(
                to: kernel,
                on: executor,
                received: { if $0.changesAdapters { continuation.yield() } },
                ended: { continuation.finish() }
            )
            continuation.yield()
            if listener == nil { continuation.finish() }
        }
        return stream
    }
}

/// The queries that are made once for all adapters.
private struct Survey {
    private let kernel: any BluetoothKernel
    /// The adapters that the kernel offers to daemons, or `nil` if it does not list them.
    private let managed: Set<UInt16>?
    /// The daemons and the programs with HCI sockets. They are determined only if an adapter is in
    /// use, because that requires a search of the open files of all processes.
    private lazy var daemons = AdapterHolders(kernel.files).daemons
    private lazy var programs = AdapterHolders(kernel.files).programs
    private let switches: RadioSwitches

    init(_ kernel: any BluetoothKernel) {
        self.kernel = kernel
        managed = try? kernel.managedIndices()
        switches = RadioSwitches(kernel.files)
    }

    /// Returns the adapter, or `nil` if it was removed in the meantime.
    mutating func adapter(_ index: UInt16) -> SystemAdapter? {
        guard let record = try? kernel.record(of: index) else { return nil }
        let state = state(of: index, record)
        return SystemAdapter(
            index: index,
            address: record.address,
            bus: record.bus,
            product: product(of: index),
            supportsLowEnergy: record.supportsLowEnergy,
            state: state,
            radioSwitch: switches.radioSwitch(ofAdapter: index),
            holders: holders(in: state),
            connections: state == .up ? (try? kernel.connectionCount(of: index)) ?? 0 : 0
        )
    }

    /// Returns the state of an adapter. The management interface lists neither an adapter that a
    /// program uses exclusively nor one that is being set up. Of these two, only the first is up.
    private func state(of index: UInt16, _ record: SystemAdapterRecord) -> SystemAdapter.State {
        let isManaged = managed?.contains(index) ?? !record.isStarting
        return switch (record.isUp, isManaged) {
        case (true, true): .up
        case (true, false): .taken
        case (false, true): .down
        case (false, false): .settingUp
        }
    }

    private mutating func holders(in state: SystemAdapter.State) -> [SystemProcess] {
        switch state {
        case .up: daemons
        case .taken: programs
        case .down, .settingUp: []
        }
    }

    /// Returns the product name of the device to which the adapter belongs. USB devices have a file
    /// with it.
    private func product(of index: UInt16) -> String? {
        let text = kernel.files.text(of: "/sys/class/bluetooth/hci\(index)/device/../product")
        return text.map { String($0.prefix { $0 != "\n" }) }
    }
}
