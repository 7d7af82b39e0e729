// SPDX-License-Identifier: Apache-2.0

import BluetoothRadios
import CoreBluetooth
import Foundation
import Lanyard
import ServiceLifecycle
import Synchronization
import Tracing

/// The driver of the core: it writes records, sends messages, and runs the accessories.
///
/// The driver processes each input under one lock, on the thread that brings the input. That thread
/// waits until the records of earlier inputs are on the disk, so no queue of inputs grows.
final class FleetDriver: Service {
    /// The time between two ticks of the core.
    static let tickInterval = Duration.milliseconds(250)
    /// The number of ticks after which the states of the radios are read again.
    static let ticksPerReport = 4

    /// The longest time for which the shutdown waits for the broker's acknowledgments. Messages
    /// that are then still in the queue are sent after the next start.
    static let drainLimit = Duration.seconds(2)

    private struct State: ~Copyable {
        var core: FleetCore
        var journal: Journal
        var broker: BrokerConnection?
        /// The numbers of messages by the identifiers that the library gave them.
        var numbers: [Int32: UInt64] = [:]
        var accessories: [String: AccessoryRunner] = [:]
        var requests: [AcceptedCommand.Key: Task<Void, Never>] = [:]
        var wasConnected: Bool?
        var slots = FleetQuantities.Slots()
        /// The reasons for which there is no connection to the broker, each of which is logged once.
        var losses: Set<String> = []
        /// The reason for the latest refusal, which is logged once.
        var lastRefusal: String?
    }

    /// The metrics and the spans of a host.
    struct Telemetry: Sendable {
        var metrics: FleetMetrics
        var tracer: any Tracer
    }

    private let state: Mutex<State>
    private let settings: FleetSettings
    private let brokerOptions: BrokerOptions
    private let accessories: [FleetAccessory]
    private let telemetry: Telemetry
    private let log: @Sendable (String) -> Void
    private let presence = PresenceWatch()

    /// Opens the journal in the folder of the settings, which is created if it is missing.
    ///
    /// - Throws: `JournalError` if the journal cannot be used, or the error of Foundation if the
    ///   folder cannot be created.
    init(
        _ settings: FleetSettings,
        _ description: FleetDescription,
        telemetry: Telemetry,
        log: @escaping @Sendable (String) -> Void
    ) throws {
        try FileManager.default.createDirectory(
            atPath: settings.state,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let topics = FleetTopics(prefix: settings.prefix, host: settings.name)
        var core = FleetCore(topics: topics, description: description)
        var records: [JournalRecord] = []
        let journal = try Journal(opening: settings.state + "/queue.journal", records: &records)
        if journal.removedCount > 0 {
            log(
                "The last \(journal.removedCount) bytes of \(journal.path) were incomplete or damaged, "
                    + "and were removed."
            )
        }
        core.restore(records, now: .current)
        log("The queue has \(core.outbox.messages.count) messages.")
        state = Mutex(State(core: core, journal: journal))
        (self.settings, self.telemetry, self.log) = (settings, telemetry, log)
        accessories = description.accessories
        brokerOptions = BrokerOptions(settings, will: (topics.hostStatus, FleetCore.offline))
    }

    private func configuration(_ name: String) -> AccessoryCentral.Configuration {
        var configuration = AccessoryCentral.Configuration(name: "fleet-\(name)")
        let file = URL(fileURLWithPath: "\(settings.state)/accessory-\(name).json")
        configuration.store = FileAccessoryStore(file)
        if let adapter = settings.adapter { configuration.adapter = CBAdapter(adapter) }
        return configuration
    }

    /// Runs until the graceful shutdown or the cancellation. Then gives up all leases, ends all
    /// links, and waits until the broker has the queue, for `drainLimit` at most.
    ///
    /// - Throws: `BrokerError` if an option for the broker cannot be used.
    func run() async throws {
        let broker = try BrokerConnection(brokerOptions) { [weak self] in self?.receive($0) }
        state.withLock { $0.broker = broker }
        receive { _ in }
        broker.start()
        presence.start(accessories, configuration: configuration("presence")) {
            [weak self] id, rssi, isPresent in
            self?.receive { core in
                core.presenceChanged(id, rssi: rssi, isPresent: isPresent, now: .current)
            }
        }
        await cancelWhenGracefulShutdown { await self.tick() }
        await end()
        broker.stop()
    }

    private func tick() async {
        var number = 0
        while !Task.isCancelled {
            if number.isMultiple(of: Self.ticksPerReport) { await reportRadios() }
            number += 1
            receive { $0.tick(now: .current) }
            try? await Task.sleep(for: Self.tickInterval)
        }
    }

    /// Reports the states of the radios to the core, and the use of the connection slots to the
    /// metrics.
    private func reportRadios() async {
        var slots = FleetQuantities.Slots()
        for runner in state.withLock({ Array($0.accessories.values) }) {
            let part = await runner.slots
            slots.inUse += part.inUse
            slots.waiting += part.waiting
        }
        state.withLock { $0.slots = slots }
        guard let adapter = settings.adapter.map({ CBAdapter($0) }) ?? CBAdapter.default else {
            return
        }
        if let report = await adapter.radioReport {
            receive { core in
                let radios = report.radios.map { radio in
                    FleetRadio(
                        name: radio.name,
                        isUsable: radio.isUsable,
                        linkCount: radio.linkCount,
                        slotLimit: radio.slotLimit
                    )
                }
                core.radiosReported(radios, moveCount: report.moveCount)
            }
        } else {
            let radio = FleetRadio(
                name: adapter.description,
                isUsable: presence.isAvailable,
                linkCount: slots.inUse
            )
            receive { $0.radiosReported([radio]) }
        }
    }

    private func end() async {
        receive { $0.shutDown(now: .current) }
        await presence.stop()
        for runner in state.withLock({ Array($0.accessories.values) }) { await runner.ended() }
        let end = ContinuousClock.now + Self.drainLimit
        while ContinuousClock.now < end,
            state.withLock({ $0.wasConnected == true && !$0.core.outbox.messages.isEmpty })
        {
            // A canceled task does not sleep. This task may be canceled, so another task sleeps.
            await Task { try? await Task.sleep(for: .milliseconds(20)) }.value
        }
        receive { $0.publishEnd() }
    }

    // MARK: Inputs

    private func receive(_ event: BrokerEvent) {
        state.withLock { state in
            switch event {
            case .connected:
                if state.wasConnected != true { log("The broker is connected.") }
                state.wasConnected = true
                state.losses = []
                state.broker?.subscribe(state.core.subscriptions)
                state.core.brokerConnected(now: .current)
            case .disconnected(let reason):
                if state.losses.insert(reason).inserted {
                    log("The broker is not connected: \(reason).")
                }
                state.wasConnected = false
                state.core.brokerDisconnected()
            case .acknowledged(let identifier, let refusal):
                // The message would be refused again, so it is not repeated.
                if let refusal, state.lastRefusal != refusal {
                    state.lastRefusal = refusal
                    log("The broker refused a message: \(refusal). Check its access control.")
                }
                guard let number = state.numbers.removeValue(forKey: identifier) else { return }
                state.core.acknowledged(number)
            case .subscriptionRefused(let refusal) where state.lastRefusal != refusal:
                state.lastRefusal = refusal
                log("The broker refused a subscription: \(refusal). Check its access control.")
            case .subscriptionRefused: return
            case .received(let message): state.core.received(message, now: .current)
            }
            perform(&state)
        }
    }

    /// Gives the core an input, and performs its actions.
    func receive(_ input: (inout FleetCore) -> Void) {
        state.withLock { state in
            input(&state.core)
            perform(&state)
        }
    }

    // MARK: Actions

    private func perform(_ state: inout State) {
        let actions = state.core.takeActions()
        let records = actions.compactMap { action in
            if case .persist(let record) = action { record } else { nil }
        }
        do {
            try state.journal.append(records)
            if state.journal.needsCompaction { try state.journal.compact(to: state.core.journal) }
        } catch {
            // The actions depend on the records, so they must not be performed. After a restart,
            // only the current input is lost.
            log("The queue failed. \(error)")
            exit(74)  // EX_IOERR
        }
        for action in actions { perform(action, &state) }
        var quantities = state.core.quantities
        quantities.slots = state.slots
        telemetry.metrics.set(quantities)
    }

    private func perform(_ action: FleetAction, _ state: inout State) {
        switch action {
        case .persist: break
        case .publish(let message, let number):
            guard let identifier = state.broker?.publish(message) else {
                log("The MQTT library refused a message for \(message.topic).")
                if let number { state.core.acknowledged(number) }
                return
            }
            if let number { state.numbers[identifier] = number }
        case .take(let id):
            guard let accessory = state.core.tracked[id]?.accessory else { return }
            let before = state.accessories[id]
            state.accessories[id] = AccessoryRunner(
                accessory,
                after: before,
                configuration: configuration(id),
                tracer: telemetry.tracer,
                report: { [weak self] input in self?.receive(input) },
                log: log
            )
        case .release(let id): state.accessories[id]?.stop()
        case .perform(let key, let operation):
            guard let runner = state.accessories[key.accessory] else { return }
            state.requests[key] = Task { [weak self] in
                let result = await runner.execute(operation)
                self?.receive { $0.finished(key, operation, result, now: .current) }
                self?.state.withLock { _ = $0.requests.removeValue(forKey: key) }
            }
        case .cancel(let key): state.requests.removeValue(forKey: key)?.cancel()
        case .log(let text): log(text)
        case .measure(let measurement): telemetry.metrics.count(measurement)
        }
    }
}

extension ClockReading {
    static var current: ClockReading {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return ClockReading(
            seconds: Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9,
            timestamp: Date().timeIntervalSince1970
        )
    }
}
