// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import JSONText

// The beginning and the end of the link.
extension ShellSession {
    func connect(to target: Target?) async throws -> ShellOutput {
        let (earlier, last) = state.withLock { ($0.connection, $0.lastTarget) }
        if let earlier {
            throw ProgramFailure.usage(
                "\(Self.describe(earlier)) is connected",
                advice: "use 'disconnect' first"
            )
        }
        guard let target = target ?? last else {
            throw ProgramFailure.usage(
                "there is no device to connect to again",
                advice: "use 'connect TARGET'"
            )
        }
        // A question about a lost bond belongs to this connection, not to an earlier pairing.
        environment.dialogue.reset()
        let (link, found) = try await environment.adapter.connect(to: target, on: central) {
            [central] in try await central.link(to: $0)
        }
        let bond = try? await link.bond
        let connection = change { state in
            state.lastConnection += 1
            let connection = Connection(
                number: state.lastConnection,
                link: link,
                name: found.name ?? bond?.name
            )
            state.connection = connection
            state.lastTarget = target
            state.characteristics = []
            state.arrived = []
            if let name = connection.name { state.remember(name) }
            return connection
        }
        watchEnd(of: connection)
        let mtu = try await limits.run("reading the MTU") { try await link.mtu }
        return ShellOutput(
            "Connected to \(Self.describe(connection)), MTU \(mtu).",
            .object(Self.members(of: connection) + [.init("mtu", .integer(mtu))])
        )
    }

    func disconnect() async throws -> ShellOutput {
        let connection = try connection()
        change { $0.ending = connection.number }
        // After a failure, the link may still be open, and its later end is an event.
        defer { change { $0.ending = nil } }
        try await limits.run("disconnecting") { try await connection.link.disconnect() }
        forget(connection)
        return ShellOutput(
            "Disconnected from \(Self.describe(connection)).",
            .object(Self.members(of: connection))
        )
    }

    /// Ends the session: the end of the link is no longer reported.
    func end() {
        if let connection = state.withLock({ $0.connection }) { forget(connection) }
    }

    /// Returns the name and the address of the device, safe to print.
    static func describe(_ connection: Connection) -> String {
        let address = AddressText.describe(connection.link.address)
        return connection.name.map { "\(TerminalText.escape($0)) (\(address))" } ?? address
    }

    /// Returns the members of JSON objects about the device.
    static func members(of connection: Connection) -> [JSON.Member] {
        [
            .init("address", .string(connection.link.address.description)),
            .init("addressType", .string(AddressText.name(of: connection.link.address.kind))),
            .init("name", .string(orNull: connection.name)),
        ]
    }

    private func watchEnd(of connection: Connection) {
        Task {
            guard let reason = try? await connection.link.endReason(), forget(connection)
            else { return }
            try? environment.printer.report(
                .linkEnded(
                    connection.link.address,
                    name: connection.name,
                    reason: reason
                )
            )
            environment.promptChanged(await presentStatus().prompt)
        }
    }

    /// Removes the link, its subscriptions and its characteristics. Returns whether it was the
    /// current link, and the shell was not ending it.
    @discardableResult
    private func forget(_ connection: Connection) -> Bool {
        let (isReported, tasks) = change { state in
            guard state.connection?.number == connection.number else {
                return (false, [Task<Void, Never>]())
            }
            let tasks = state.subscriptions.values.map(\.task)
            state.connection = nil
            state.subscriptions = [:]
            state.characteristics = []
            return (state.ending != connection.number, tasks)
        }
        for task in tasks { task.cancel() }
        return isReported
    }
}

extension ShellSession.State {
    /// Remembers the name of a device for completion.
    mutating func remember(_ name: String) {
        if names.count < ShellSession.nameLimit, !name.isEmpty {
            names.insert(TerminalText.escape(name))
        }
    }
}

// MARK: - State

extension ShellSession {
    /// The state that the prompt shows.
    struct Status: Equatable, Sendable {
        let adapter: String
        /// The name or the address of the connected device, safe to print; `nil` without a link.
        var device: String?
        /// The protection of the link; `nil` if the adapter does not report it.
        var security: LinkSecurity? = LinkSecurity.none

        /// The prompt. On a narrow terminal, parts of it are left out.
        var prompt: LinePrompt {
            guard let device else { return LinePrompt(forms: ["\(adapter)> ", "> "]) }
            let name = TerminalColumns.truncate(device, to: Self.deviceColumns)
            let short = TerminalColumns.truncate(device, to: Self.shortDeviceColumns)
            let protection = security?.isAuthenticated == true ? "authenticated" : "encrypted"
            let state = security?.isEncrypted == true ? " [\(protection)]" : ""
            return LinePrompt(forms: [
                "\(adapter) \(name)\(state)> ", "\(name)\(state)> ", "\(name)> ", "\(short)> ",
            ])
        }

        /// The protection in words.
        var protection: String {
            guard let security else { return "its protection is not reported" }
            guard security.isEncrypted else { return "not encrypted" }
            return security.isAuthenticated ? "encrypted, authenticated" : "encrypted"
        }

        /// The columns for the name of the device.
        private static let deviceColumns = 24
        private static let shortDeviceColumns = 12
    }

    func presentStatus() async -> Status {
        let adapter = TerminalText.escape("\(environment.adapter.adapter)")
        guard let connection = state.withLock({ $0.connection }) else {
            return Status(adapter: adapter)
        }
        let address = AddressText.describe(connection.link.address)
        return Status(
            adapter: adapter,
            device: connection.name.map { TerminalText.escape($0) } ?? address,
            security: await Self.protection(of: connection.link)
        )
    }

    private static func protection(of link: any PeripheralLink) async -> LinkSecurity? {
        do {
            return try await link.protection
        } catch {
            // The link has ended.
            return LinkSecurity.none
        }
    }

    func status() async throws -> ShellOutput {
        let status = await presentStatus()
        let connection = state.withLock { $0.connection }
        let mtu = try? await connection?.link.mtu
        let subscribed = state.withLock { $0.subscriptions.sorted { $0.key < $1.key } }
            .map { "\(Self.name(of: $0.value.uuid)) #\($0.key)" }
        var lines = ["adapter: \(status.adapter)", "device: none"]
        if let connection {
            lines[1] =
                "device: \(Self.describe(connection)), \(status.protection)"
                + (mtu.map { ", MTU \($0)" } ?? "")
            let list = subscribed.isEmpty ? "none" : subscribed.joined(separator: ", ")
            lines.append("subscriptions: \(list)")
        }
        let device = connection.map { connection in
            JSON.object(
                Self.members(of: connection) + [
                    .init("mtu", .integer(orNull: mtu)),
                    .init("encrypted", status.security.map { .bool($0.isEncrypted) } ?? .null),
                    .init(
                        "authenticated",
                        status.security.map { .bool($0.isAuthenticated) } ?? .null
                    ),
                    .init("subscriptions", .array(subscribed.map { .string($0) })),
                ]
            )
        }
        return ShellOutput(
            lines.joined(separator: "\n"),
            .object([
                .init("adapter", .string(status.adapter)), .init("device", device ?? .null),
            ])
        )
    }

    /// Returns the name of a characteristic, or its UUID.
    static func name(of uuid: BluetoothUUID) -> String {
        AssignedNumbers.name(ofCharacteristic: uuid) ?? uuid.description
    }
}
