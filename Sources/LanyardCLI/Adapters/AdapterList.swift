// SPDX-License-Identifier: Apache-2.0

import HCITransports
import JSONText
import VirtualAdapters

/// The list of a computer's adapters: the adapters of the kernel, and the serial ports to which
/// other controllers may be connected.
struct AdapterList: Sendable {
    /// The functions that read the state of the system. Tests replace them.
    struct Sources: Sendable {
        var adapters: @Sendable () -> [SystemAdapter] = { SystemAdapters.list() }
        /// Whether this process may take adapters; `nil` if that is unknown.
        var mayTake: @Sendable () -> Bool? = { SystemAdapters.mayTake }
        var serialPorts: @Sendable () -> [SystemState.SerialPort] = { SystemReader().serialPorts }
        var changes: @Sendable () -> AsyncStream<Void> = { SystemAdapters.changes() }
        /// Opens an adapter and reads its capabilities.
        var ask: @Sendable (SystemAdapter) async -> AdapterAnswer
    }

    let sources: Sources
    let isJSON: Bool
    let console: Console

    /// Prints the adapters and the serial ports. With `asks`, also opens each free adapter and
    /// prints its capabilities or the reason why it cannot be opened.
    func show(asks: Bool) async throws {
        let adapters = sources.adapters()
        var answers: [UInt16: AdapterAnswer] = [:]
        if asks {
            for adapter in adapters where adapter.state == .down && adapter.mayBeTaken {
                answers[adapter.index] = await sources.ask(adapter)
            }
        }
        let ports = sources.serialPorts()
        if isJSON {
            try console.print(json(adapters, ports, answers).indented)
        } else {
            for line in lines(adapters, ports, answers) { try console.print(line) }
            if case .daemon? = ofApplications(adapters) { console.remark(Self.daemonNotice) }
            if adapters.isEmpty { console.remark(Self.noAdaptersNotice) }
        }
    }

    /// Prints the adapters, and then a line for each change, for as long as the kernel reports
    /// changes.
    func watch() async throws {
        var known: [SystemAdapter] = []
        for await _ in sources.changes() {
            let adapters = sources.adapters()
            for change in AdapterChange.all(from: known, to: adapters) {
                try console.print(isJSON ? change.json.timed().compact : change.line)
            }
            known = adapters
        }
        try Task.checkCancellation()
        throw ProgramFailure(
            .adapterUnavailable,
            "the kernel does not report changes of adapters",
            advice: "see 'lanyard doctor'"
        )
    }

    /// Returns the adapter that apps use by default.
    private func ofApplications(_ adapters: [SystemAdapter]) -> AdapterChoice? {
        AdapterChoice.ofApplications(adapters, mayTake: sources.mayTake() != false)
    }

    private func lines(
        _ adapters: [SystemAdapter],
        _ ports: [SystemState.SerialPort],
        _ answers: [UInt16: AdapterAnswer]
    ) -> [String] {
        let rows = AdapterText.table(adapters.map(AdapterText.cells))
        let columns = console.isOutputTerminal ? console.size().columns : Self.plainColumns
        let listed = zip(adapters, rows).flatMap { adapter, row in
            [row] + (answers[adapter.index]?.lines(columns: columns) ?? [])
        }
        let lines = ports.map { port in
            [
                "serial:" + TerminalText.escape(port.path),
                "a serial port" + (port.product.map { " (\(TerminalText.escape($0)))" } ?? ""),
            ]
        }
        return listed + AdapterText.table(lines)
    }

    private func json(
        _ adapters: [SystemAdapter],
        _ ports: [SystemState.SerialPort],
        _ answers: [UInt16: AdapterAnswer]
    ) -> JSON {
        let preferred = SystemAdapter.preferred(of: adapters)
        return .object([
            .init("adapters", .array(adapters.map { AdapterText.json($0, answers[$0.index]) })),
            .init(
                "serialPorts",
                .array(
                    ports.map { port in
                        .object([
                            .init("adapter", .string("serial:" + port.path)),
                            .init("product", .string(orNull: port.product)),
                        ])
                    }
                )
            ),
            .init("preferred", .string(orNull: preferred?.specification.description)),
            .init("applications", .string(orNull: ofApplications(adapters)?.description)),
        ])
    }

    /// The width of text where there is no terminal.
    private static let plainColumns = 100

    private static let daemonNotice = """
        lanyard: programs on CoreBluetooth and Lanyard use the Bluetooth daemon by default (bluez); \
        see 'lanyard doctor' for the reason\n
        """

    private static let noAdaptersNotice = """
        lanyard: the system has no adapters; see 'lanyard doctor' for the reason; --adapter \
        virtual needs none\n
        """
}

/// A difference between two lists of the adapters.
enum AdapterChange: Equatable, Sendable {
    case came(SystemAdapter)
    case changed(SystemAdapter)
    case gone(SystemAdapter)

    /// Returns all changes, in the order of the adapters' numbers. A number that another adapter
    /// has taken counts as a removal and an addition.
    static func all(from old: [SystemAdapter], to new: [SystemAdapter]) -> [AdapterChange] {
        let old = Dictionary(old.map { ($0.index, $0) }, uniquingKeysWith: { $1 })
        let new = Dictionary(new.map { ($0.index, $0) }, uniquingKeysWith: { $1 })
        return Set(old.keys).union(new.keys).sorted().flatMap { index -> [AdapterChange] in
            switch (old[index], new[index]) {
            case (let old?, let new?) where old == new: []
            case (let old?, let new?) where isSame(old, new): [.changed(new)]
            case (let old?, let new?): [.gone(old), .came(new)]
            case (let old?, nil): [.gone(old)]
            case (nil, let new?): [.came(new)]
            case (nil, nil): []
            }
        }
    }

    /// Returns whether both are the same adapter, in any state. An adapter gets its address while
    /// the kernel sets it up, so a missing address does not make it another adapter.
    private static func isSame(_ old: SystemAdapter, _ new: SystemAdapter) -> Bool {
        guard let oldAddress = old.address, let newAddress = new.address else { return true }
        return oldAddress == newAddress
    }

    /// The change on one line, for example `hci1 came: 00:AA:01:01:00:24, USB, free`.
    var line: String {
        switch self {
        case .came(let adapter):
            let cells = AdapterText.cells(adapter)
            return "\(adapter.name) came: " + cells.dropFirst().joined(separator: ", ")
        case .changed(let adapter): return "\(adapter.name) is \(AdapterText.status(adapter))"
        case .gone(let adapter): return "\(adapter.name) is gone"
        }
    }

    var json: JSON {
        switch self {
        case .came(let adapter): Self.json("came", adapter)
        case .changed(let adapter): Self.json("changed", adapter)
        case .gone(let adapter): Self.json("gone", adapter)
        }
    }

    private static func json(_ event: String, _ adapter: SystemAdapter) -> JSON {
        .object([
            .init("event", .string(event)), .init("adapter", AdapterText.json(adapter)),
        ])
    }
}
