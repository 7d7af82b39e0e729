// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothHost
import BluetoothRadios
import BluetoothTypes
import JSONText
import Lanyard

/// The links of the page: a session of the shell for each device, which connects again when its
/// link is lost.
actor LiveLinks {
    /// The maximum number of devices.
    static let deviceLimit = 8
    /// The maximum number of attempts to connect again. Each has the limit of a search, 10 seconds
    /// by default.
    static let attemptLimit = 360
    /// The time before the next attempt after one that failed at once.
    static let retryDelay = Duration.seconds(1)

    private struct Entry {
        let session: ShellSession
        /// The subscriptions that are made again on the next link.
        var subscriptions: [CharacteristicReference] = []
        var reconnection: Task<Void, Never>?
        /// Whether the person wants the link.
        var isWanted = false
    }

    private let setup: ShellSetup
    private let radios: RadioGroup
    private let hub: LiveHub
    private var entries: [DeviceAddress: Entry] = [:]

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

    /// Ends all attempts to connect.
    func end() {
        for entry in entries.values {
            entry.reconnection?.cancel()
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
        guard (try? session.connection()) == nil else { return try await explore(session) }
        entries[address]?.reconnection?.cancel()
        entries[address]?.isWanted = true
        report("connecting", of: address)
        do {
            _ = try await session.perform(.connect(target(address)), line: 0)
            report("connected", of: address)
            return try await explore(session)
        } catch {
            // An exploration that failed leaves the link.
            if (try? session.connection()) == nil {
                entries[address]?.isWanted = false
                report(
                    "idle",
                    of: address,
                    reason: ProgramFailure(error, during: "connecting").happened
                )
            }
            throw error
        }
    }

    private func disconnect(_ address: DeviceAddress) async throws -> JSON {
        entries[address]?.reconnection?.cancel()
        entries[address]?.isWanted = false
        entries[address]?.subscriptions = []
        defer {
            entries[address] = nil
            report("idle", of: address)
        }
        guard let session = entries[address]?.session, (try? session.connection()) != nil else {
            return .null
        }
        report("disconnecting", of: address)
        return try await session.perform(.disconnect, line: 0).json
    }

    private func session(for address: DeviceAddress) throws(ProgramFailure) -> ShellSession {
        if let entry = entries[address] { return entry.session }
        guard entries.count < Self.deviceLimit else {
            throw .usage(
                "\(Self.deviceLimit) devices are connected",
                advice: "disconnect one first"
            )
        }
        var printer = setup.printer
        printer.receive = { [weak self] event in
            self?.receive(event, of: address)
        }
        let session = setup.session(on: radios, printer: printer)
        entries[address] = Entry(session: session)
        return session
    }

    private func target(_ address: DeviceAddress) -> Target {
        .address(value: address.value, kind: address.kind)
    }

    /// Receives an event of a session, on any thread. Values keep their order.
    private nonisolated func receive(_ event: ShellEvent, of address: DeviceAddress) {
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
            Task { await linkEnded(address, reason) }
        case .result, .expectation, .failed, .failedAsExpected, .finished: break
        }
    }

    private func linkEnded(_ address: DeviceAddress, _ reason: String) {
        guard entries[address]?.isWanted == true else {
            return report("idle", of: address, reason: reason)
        }
        report("lost", of: address, reason: reason)
        entries[address]?.reconnection?.cancel()
        entries[address]?.reconnection = Task { [weak self] in await self?.reconnect(address) }
    }

    /// Connects again, and subscribes again.
    private func reconnect(_ address: DeviceAddress) async {
        for _ in 0..<Self.attemptLimit {
            guard let session = entries[address]?.session, !Task.isCancelled else { return }
            do {
                _ = try await session.perform(.connect(target(address)), line: 0)
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
        guard !Task.isCancelled else { return }
        entries[address]?.isWanted = false
        report("idle", of: address, reason: "the device did not come back")
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

    /// The states of the time line, which has colors for them, by the states of links.
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
