// SPDX-License-Identifier: Apache-2.0

import HCITransports

/// The adapters of a computer, those of the kernel's and the serial ports that may lead to others, as
/// they are listed.
struct AdapterList: Sendable {
    /// Where the facts come from.
    struct Sources: Sendable {
        var adapters: @Sendable () -> [SystemAdapter] = { SystemAdapters.list() }
        var serialPorts: @Sendable () -> [Surroundings.SerialPort] = { SystemReader().serialPorts }
        var changes: @Sendable () -> AsyncStream<Void> = { SystemAdapters.changes() }
        /// Opens an adapter and asks it what it is.
        var ask: @Sendable (SystemAdapter) async -> AdapterAnswer
    }

    let sources: Sources
    let isJSON: Bool
    let console: Console

    /// Prints what there is; if `asks`, with what those say that nobody uses.
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
            if adapters.isEmpty { console.remark(Self.emptiness) }
        }
    }

    /// Prints what changes, a line each, for as long as the kernel tells of it; first what there is.
    func watch() async throws {
        var known: [SystemAdapter] = []
        for await _ in sources.changes() {
            let adapters = sources.adapters()
            for change in AdapterChange.all(from: known, to: adapters) {
                try console.print(isJSON ? change.json.compact : change.line)
            }
            known = adapters
        }
        try Task.checkCancellation()
        throw ProgramFailure(
            .adapterUnavailable,
            "the kernel does not tell of adapters",
            advice: "'lanyard doctor' says why"
        )
    }

    private func lines(
        _ adapters: [SystemAdapter],
        _ ports: [Surroundings.SerialPort],
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
        _ ports: [Surroundings.SerialPort],
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
        ])
    }

    /// How wide text is where there is no terminal.
    private static let plainColumns = 100

    private static let emptiness = """
        lanyard: the system has no adapters; 'lanyard doctor' says what is missing, and --adapter \
        virtual needs none\n
        """
}
