// SPDX-License-Identifier: Apache-2.0

/// The adapters of this computer, as the Linux kernel tells of them; none elsewhere. To ask changes
/// nothing, and needs no permission; but not everybody may see who has what.
package enum SystemAdapters {
    /// All of them, in the order of their numbers.
    package static func list() -> [SystemAdapter] {
        SystemBluetooth.kernel.map(list) ?? []
    }

    /// The one to use where nobody says which; nil if there is none that may be taken.
    package static func preferred() -> AdapterSpecification? {
        SystemAdapter.preferred(of: list())?.specification
    }

    static func list(of kernel: any BluetoothKernel) -> [SystemAdapter] {
        let indices = (try? kernel.adapterIndices()) ?? []
        guard !indices.isEmpty else { return [] }
        var survey = Survey(kernel)
        return indices.sorted().compactMap { survey.adapter($0) }
    }

    /// Something to hear of in every list that may have changed: at once, and when an adapter comes, goes,
    /// or is switched on or off. Ends where the kernel does not tell, or
    /// tells no more.
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
        // Off its thread, which cannot wait for its own end.
        continuation.onTermination = { _ in executor.perform { executor.shutDown() } }
        executor.perform {
            let listener = AnnouncementListener(
                to: kernel,
                on: executor,
                heard: { if $0.changesAdapters { continuation.yield() } },
                ended: { continuation.finish() }
            )
            continuation.yield()
            if listener == nil { continuation.finish() }
        }
        return stream
    }
}

/// What is asked once for all adapters.
private struct Survey {
    private let kernel: any BluetoothKernel
    /// Nil if the kernel does not tell.
    private let managed: Set<UInt16>?
    /// Looked for only if somebody has an adapter: that is to look at all that all processes have open.
    private lazy var daemons = AdapterHolders(kernel.files).daemons
    private lazy var programs = AdapterHolders(kernel.files).programs
    private let switches: RadioSwitches

    init(_ kernel: any BluetoothKernel) {
        self.kernel = kernel
        managed = try? kernel.managedIndices()
        switches = RadioSwitches(kernel.files)
    }

    /// Nil if it has gone since.
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
            radioSwitch: switches.of(adapter: index),
            holders: holders(in: state),
            connections: state == .up ? (try? kernel.connectionCount(of: index)) ?? 0 : 0
        )
    }

    /// One that a program has, and one that is being set up, are hidden from daemons. What is being set up
    /// does not count as up.
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

    /// What the device says of itself to whose interface the adapter belongs: USB's have such a file.
    private func product(of index: UInt16) -> String? {
        let text = kernel.files.text(of: "/sys/class/bluetooth/hci\(index)/device/../product")
        return text.map { String($0.prefix { $0 != "\n" }) }
    }
}
