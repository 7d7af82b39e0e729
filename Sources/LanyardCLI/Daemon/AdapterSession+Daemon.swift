// SPDX-License-Identifier: Apache-2.0

import BlueZAdapter
import BluetoothPort
import DBus
import Foundation

// Commands that need no controller run on the system's Bluetooth daemon too.
extension AdapterSession {
    /// Runs `body` on the hosts of the adapters, or on the Bluetooth daemon, when they are ready.
    func withCentral(
        _ body: @escaping @Sendable (any CentralAdapter) async throws -> Void
    ) async throws {
        guard case .daemon(let name) = adapter else {
            return try await withRadios { try await body($0) }
        }
        try await withDaemon(name, body)
    }

    /// Runs `body` on a link to the target.
    func withAccessory(
        to target: Target,
        _ body: @escaping @Sendable (any PeripheralLink, TargetFinder.Found) async throws -> Void
    ) async throws {
        try await withCentral { central in
            let (link, found) = try await connect(to: target, on: central) {
                try await central.link(to: $0)
            }
            try await body(link, found)
        }
    }

    /// Runs `body` on the daemon when it is ready.
    private func withDaemon(
        _ adapterName: String?,
        _ body: @escaping @Sendable (DaemonClient) async throws -> Void
    ) async throws {
        try requireNoController()
        guard let bus = DBusAddress.system(in: ProcessInfo.processInfo.environment) else {
            throw ProgramFailure.usage(
                "\(DBusAddress.systemVariable) names no Unix socket",
                advice: "use unix:path=PATH"
            )
        }
        let port = BlueZAdapter(bus: bus, adapterName: adapterName, person: pairing.delegate)
        let client = DaemonClient(port)
        let end = await result {
            try await limits.run("opening \(adapter)", within: limits.opening(adapter)) {
                await client.open()
                try await Self.awaitReady(client)
            }
            try await FirstResult.of([
                { @Sendable in try await body(client) },
                { @Sendable in try await Self.awaitLoss(client) },
            ])
        }
        ProgressLine(console: console).clear()
        // In a task of its own, because the command's task may be canceled.
        let limit = closingLimit(after: end)
        _ = await Task { try? await TimeLimit.run(limit) { await client.shutDown() } }.value
        try end.get()
    }

    /// Checks that no option asks for packets, keys or bonds, which the daemon keeps.
    private func requireNoController() throws(ProgramFailure) {
        guard traceFile == nil, keyFile == nil else {
            throw .usage(
                "the Bluetooth daemon reports no packets",
                advice: "leave --trace and --export-keys out, and use btmon"
            )
        }
        if case .directory = store {
            throw .usage("the Bluetooth daemon keeps the bonds", advice: "leave --store out")
        }
    }

    private static func awaitReady(_ client: DaemonClient) async throws {
        for await state in client.states {
            switch state {
            case .ready: return
            case .starting, .resetting: break
            case .unavailable, .unsuitable, .closed: throw unavailable(state)
            }
        }
    }

    /// Throws when the daemon or its adapter is lost.
    private static func awaitLoss(_ client: DaemonClient) async throws {
        for await state in client.states where state != .ready { throw unavailable(state) }
        throw CancellationError()
    }

    private static func unavailable(_ state: PortState) -> ProgramFailure {
        guard state != .unsuitable else {
            return ProgramFailure(
                .adapterUnavailable,
                "the adapter of the Bluetooth daemon cannot be a central",
                advice: "name another one, as in --adapter bluez:hci1"
            )
        }
        return ProgramFailure(
            .adapterUnavailable,
            "the Bluetooth daemon does not run, or has no adapter that is on",
            advice: "use 'systemctl start bluetooth' and 'bluetoothctl power on'"
        )
    }
}

extension ProgramFailure {
    /// Creates the failure of a step on the daemon.
    init(_ error: PortError, during step: String) {
        switch error {
        case .linkEnded, .unavailable:
            self.init(.inputOutput, "\(step): the link ended", advice: Self.tryAgain)
        case .timedOut, .unanswered:
            self.init(.timedOut, "\(step): the Bluetooth daemon does not answer")
        case .refused(.keyMissing):
            self.init(
                .refused,
                "\(step): the accessory has lost the keys of its bond",
                advice: "use 'bluetoothctl remove' and pair again"
            )
        case .refused, .notEncrypted:
            self.init(
                .refused,
                "\(step): refused by the Bluetooth daemon or the accessory",
                advice: "'journalctl -u bluetooth' may have the reason"
            )
        case .other(let reason):
            self.init(
                .inputOutput,
                "\(step): \(TerminalText.escape(reason))",
                advice: Self.tryAgain
            )
        case .unsupported, .tooManyBonds, .tooManyRequests, .outOfSpace:
            self.init(.internalError, "\(step): \(error)", advice: "please report this")
        }
    }
}
