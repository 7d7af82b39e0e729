// SPDX-License-Identifier: Apache-2.0

import BlueZAdapter
import BluetoothPort
import DBus
import Foundation

// Sessions of commands that run on the system's Bluetooth daemon too.
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

    /// Runs `body` on the host of the one adapter, or on the Bluetooth daemon, when it is ready to
    /// serve an accessory.
    func withPeripheral(
        _ body: @escaping @Sendable (any PeripheralAdapter) async throws -> Void
    ) async throws {
        guard case .daemon(let name) = adapter else {
            return try await withHost { try await body($0) }
        }
        guard identity?.address == nil else {
            throw ProgramFailure.usage(
                "the Bluetooth daemon serves at the address of its adapter",
                advice: "leave --address out"
            )
        }
        guard airAddresses.isEmpty else { throw ProgramFailure.noAirToJoin }
        try await withDaemon(name, body)
    }

    /// Runs `body` on a link to the target.
    func withAccessory(
        to target: Target,
        _ body: @escaping @Sendable (any PeripheralLink, TargetFinder.Found) async throws -> Void
    ) async throws {
        try await withCentral { central in
            let pairs = if case .daemon = adapter { pairing.pairsAsItConnects } else { false }
            let (link, found) = try await connect(to: target, on: central, pairs: pairs) {
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
        let port = BlueZAdapter(
            bus: bus,
            adapterName: adapterName,
            pairingDelegate: pairing.delegate
        )
        let client = DaemonClient(
            port,
            permission: pairing.delegate?.permission,
            pairing: pairing.pairsAsItConnects ? pairing.hasBonded : nil
        )
        let end = await result {
            await client.open()
            try await awaitReady(client)
            if pairing.acceptsPairing { await client.openPairingWindow(for: pairing.window) }
            try await FirstResult.of([
                { @Sendable in try await body(client) },
                { @Sendable in
                    try await follow(client, untilReady: false)
                    throw CancellationError()
                },
            ])
        }
        ProgressLine(console: console).clear()
        // In a task of its own, because the command's task may be canceled.
        let limit = closingLimit(after: end)
        _ = await Task { try? await TimeLimit.run(limit) { await client.shutDown() } }.value
        try end.get()
    }

    /// Checks that no option names a file for packets or keys, because the daemon reports no
    /// packets, and that no option names a directory for bonds, because the daemon keeps them.
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

    /// Waits until the adapter is ready. With `onAdapterLoss`, the wait has no time limit.
    private func awaitReady(_ client: DaemonClient) async throws {
        guard onAdapterLoss == nil else { return try await follow(client, untilReady: true) }
        try await limits.run("opening \(adapter)", within: limits.opening(adapter)) {
            try await follow(client, untilReady: true)
        }
    }

    /// Follows the states of the port. With `untilReady`, returns when the adapter is ready. Throws
    /// when the daemon or its adapter is lost. With `onAdapterLoss`, reports the loss and the
    /// return instead, unless the adapter lacks a feature or the port was shut down.
    private func follow(_ client: DaemonClient, untilReady: Bool) async throws {
        var isLost = false
        for await state in client.states {
            switch state {
            case .ready:
                if isLost { try onAdapterLoss?(nil) }
                if untilReady { return }
                isLost = false
            case .starting where untilReady, .resetting where untilReady: break
            case .unsuitable, .closed: throw Self.unavailable(state)
            case .starting, .resetting, .unavailable:
                let failure = Self.unavailable(state)
                guard let onAdapterLoss else { throw failure }
                if !isLost { try onAdapterLoss(.transport(failure.happened)) }
                isLost = true
            }
        }
        try Task.checkCancellation()
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
            self.init(
                .inputOutput,
                "\(step): the link ended, or the adapter is not available",
                advice: Self.tryAgain
            )
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
        case .unsupported:
            self.init(
                .adapterUnavailable,
                "\(step): the Bluetooth daemon or its adapter does not support it",
                advice: "use another --adapter; docs/BLUEZ.md lists what is not supported"
            )
        case .tooManyBonds, .tooManyRequests, .outOfSpace:
            self.init(.internalError, "\(step): \(error)", advice: "please report this")
        }
    }
}
