// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothHost
import BluetoothRadios
import BluetoothTypes
import JSONText
import Lanyard

/// The links of the page: a session of the shell for each device, which tries to connect again when
/// its link is lost.
actor LiveLinks {
    /// The maximum number of devices.
    static let deviceLimit = 8
    /// The maximum number of attempts to connect again. Each attempt has the same time limit as a
    /// search: 10 seconds by default.
    static let attemptLimit = 360
    /// The pause after an attempt that failed before its time limit.
    static let retryDelay = Duration.seconds(1)

    /// A link that the person has requested: one that is connected, is being connected, or was
    /// lost.
    private struct Entry {
        /// The number that distinguishes this entry from other entries of the same device.
        let number: Int
        let session: ShellSession
        /// The subscriptions that are made again on the next link.
        var subscriptions: [CharacteristicReference] = []
        /// The connection that the person has asked for, until it is made or has failed.
        var connection: Task<Void, any Error>?
        /// The attempts to connect again.
        var reconnection: Task<Void, Never>?

        func cancel() {
            connection?.cancel()
            reconnection?.cancel()
        }
    }

    private let setup: ShellSetup
    private let radios: RadioGroup
    private let hub: LiveHub
    private var entries: [DeviceAddress: Entry] = [:]
    private var lastNumber = 0

    init(_ setup: ShellSetup, on radios: RadioGroup, _ hub: LiveHub) {
        self.setup = setup
        self.radios = radios
        self.hub = hub
    }

    /// Performs a command of the shell on a device. Returns the result for the page.
    func perform(_ words: [String], on device: String) async throws -> JSON {
        let address = try Self.address(device)
        let statement = try ShellStatement(words)
        guard case .perform(let operation) = statement else {
            throw ProgramFailure.usage("the page has no command '\(words.first ?? "")'")
        }
        if case .connect = operation { return try await connect(to: address) }
        guard let session = entries[address]?.session else {
            throw ProgramFailure(.notFound, "the device is not connected", advice: "connect first")
        }
        switch operation {
        case .disconnect: return try await disconnect(address)
        case .explore: return try await explore(session)
        case .read(let reference):
            note(.call, words, on: address)
            let report = try await session.operations().read(reference)
            note(.callback, "value", report, on: address)
            return report.forPage
        case .subscribe(let references, _):
            note(.call, words, on: address)
            let output = try await session.perform(operation, line: 0)
            entries[address]?.subscriptions += references
            publish("connected", of: address)
            return output.json
        case .unsubscribe(let references):
            note(.call, words, on: address)
            entries[address]?.subscriptions.removeAll { references.contains($0) }
            let output = try await session.perform(operation, line: 0)
            publish("connected", of: address)
            return output.json
        case .write, .pair, .forget, .answer, .mtu, .parameters, .rssi, .phy:
            note(.call, words, on: address)
            return try await session.perform(operation, line: 0).json
        case .scan, .connect, .status, .bonds, .info, .decode, .echo, .help:
            throw ProgramFailure.usage("the page has no command '\(words.first ?? "")'")
        }
    }

    /// Reports the signal strength of each link.
    func measure() async {
        for (address, entry) in entries {
            guard let link = try? entry.session.connection().link,
                let rssi = try? await link.readRSSI()
            else { continue }
            hub.send(
                "rssi",
                .init("device", .string(AddressText.describe(address))),
                .init("rssi", .integer(rssi))
            )
        }
    }

    /// Cancels all attempts to connect, ends all sessions, and removes all devices.
    func end() {
        for entry in entries.values {
            entry.cancel()
            entry.session.end()
        }
        entries = [:]
    }

    private static func address(_ device: String) throws(ProgramFailure) -> DeviceAddress {
        guard case .address(let value, let kind?) = try Target(device) else {
            throw .usage("the device is not an address with its type")
        }
        return DeviceAddress(value: value, kind: kind)
    }
}

// MARK: - Connections

extension LiveLinks {
    private func connect(to address: DeviceAddress) async throws -> JSON {
        let session = try session(for: address)
        if (try? session.connection()) == nil {
            let connection = entries[address]?.connection ?? connection(of: session, to: address)
            try await connection.value
        }
        return try await explore(session)
    }

    /// Begins a connection, which replaces the attempts to connect again.
    private func connection(
        of session: ShellSession,
        to address: DeviceAddress
    ) -> Task<Void, any Error> {
        let reconnection = entries[address]?.reconnection
        reconnection?.cancel()
        report("connecting", of: address)
        let connection = Task {
            await reconnection?.value
            do {
                try await establish(session, to: address)
            } catch {
                guard isPresent(session, of: address) else {
                    throw ProgramFailure(.interrupted, "the connection was canceled")
                }
                forget(address, reason: ProgramFailure(error, during: "connecting").happened)
                throw error
            }
            entries[address]?.connection = nil
            // The link may have ended already.
            if (try? session.connection()) != nil { report("connected", of: address) }
        }
        entries[address]?.connection = connection
        return connection
    }

    /// Connects. If the person has disconnected the device meanwhile, the link ends at once.
    private func establish(_ session: ShellSession, to address: DeviceAddress) async throws {
        _ = try await session.perform(.connect(target(address)), line: 0)
        guard !isPresent(session, of: address) || Task.isCancelled else { return }
        // The cancellation must not stop the disconnection.
        await Task { _ = try? await session.perform(.disconnect, line: 0) }.value
        throw CancellationError()
    }

    private func isPresent(_ session: ShellSession, of address: DeviceAddress) -> Bool {
        entries[address]?.session === session
    }

    private func disconnect(_ address: DeviceAddress) async throws -> JSON {
        guard let entry = entries[address] else { return .null }
        entry.cancel()
        entries[address] = nil
        guard (try? entry.session.connection()) != nil else {
            report("idle", of: address)
            return .null
        }
        report("disconnecting", of: address)
        // A person may connect again before the disconnection completes.
        defer { if entries[address] == nil { report("idle", of: address) } }
        return try await entry.session.perform(.disconnect, line: 0).json
    }

    /// Removes a device, and reports that there is no link.
    private func forget(_ address: DeviceAddress, reason: String) {
        entries[address]?.cancel()
        entries[address] = nil
        report("idle", of: address, reason: reason)
    }

    private func session(for address: DeviceAddress) throws(ProgramFailure) -> ShellSession {
        if let entry = entries[address] { return entry.session }
        guard entries.count < Self.deviceLimit else {
            throw .usage(
                "the page already has \(Self.deviceLimit) devices",
                advice: "disconnect one first"
            )
        }
        lastNumber += 1
        let number = lastNumber
        var printer = setup.printer
        printer.receive = { [weak self] event in
            self?.receive(event, of: address, number)
        }
        let session = setup.session(on: radios, printer: printer)
        entries[address] = Entry(number: number, session: session)
        return session
    }

    private func target(_ address: DeviceAddress) -> Target {
        .address(value: address.value, kind: address.kind)
    }

    /// Receives an event of a session, on any thread. Values keep their order.
    private nonisolated func receive(
        _ event: ShellEvent,
        of address: DeviceAddress,
        _ number: Int
    ) {
        switch event {
        case .value(let report):
            note(.callback, "value", report, on: address)
            guard case .object(let members) = report.forPage else { return }
            hub.send(
                "value",
                .init("device", .string(AddressText.describe(address))),
                .init("report", .object(members))
            )
        case .linkEnded(_, _, let reason):
            Task { await linkEnded(address, number, reason) }
        case .result, .expectation, .failed, .failedAsExpected, .finished: break
        }
    }

    private func linkEnded(_ address: DeviceAddress, _ number: Int, _ reason: String) {
        guard entries[address]?.number == number else { return }
        report("lost", of: address, reason: reason)
        entries[address]?.reconnection?.cancel()
        entries[address]?.reconnection = Task { [weak self] in await self?.reconnect(address) }
    }

    /// Connects again, and subscribes again.
    private func reconnect(_ address: DeviceAddress) async {
        guard let session = entries[address]?.session else { return }
        for _ in 0..<Self.attemptLimit {
            guard isPresent(session, of: address), !Task.isCancelled else { return }
            do {
                try await establish(session, to: address)
            } catch {
                let status = ProgramFailure(error, during: "connecting").status
                guard ![.interrupted, .adapterUnavailable].contains(status) else { break }
                if status != .timedOut { try? await Task.sleep(for: Self.retryDelay) }
                continue
            }
            report("connected", of: address)
            let wanted = entries[address]?.subscriptions ?? []
            if !wanted.isEmpty {
                _ = try? await session.perform(.subscribe(wanted, nil), line: 0)
            }
            return
        }
        guard isPresent(session, of: address), !Task.isCancelled else { return }
        forget(address, reason: "the device did not come back")
    }

    // MARK: Reports

    private func report(_ state: String, of address: DeviceAddress, reason: String? = nil) {
        let name = hub.name(of: address)
        hub.note(.state, Self.timelineStates[state] ?? state, reason, of: name)
        publish(state, of: address, reason: reason)
    }

    private func publish(_ state: String, of address: DeviceAddress, reason: String? = nil) {
        let subscriptions = entries[address]?.subscriptions.map { "\($0)" } ?? []
        hub.sendLink(
            AddressText.describe(address),
            isOver: state == "idle",
            [
                .init("state", .string(state)), .init("reason", .string(orNull: reason)),
                .init("subscriptions", .array(subscriptions.map { .string($0) })),
            ]
        )
    }

    /// The timeline's names of link states, if they differ from the page's names. The colors of the
    /// timeline depend on these names.
    private static let timelineStates = ["connected": "ready", "lost": "outOfRange"]

    private nonisolated func note(
        _ lane: FlightEvent.Lane,
        _ words: [String],
        on address: DeviceAddress
    ) {
        hub.note(lane, words.joined(separator: " "), of: hub.name(of: address))
    }

    private nonisolated func note(
        _ lane: FlightEvent.Lane,
        _ text: String,
        _ report: ValueReport,
        on address: DeviceAddress
    ) {
        let name = AssignedNumbers.name(ofCharacteristic: report.uuid) ?? "\(report.uuid)"
        hub.note(lane, "\(text) \(report.line)", name, of: hub.name(of: address))
    }
}
