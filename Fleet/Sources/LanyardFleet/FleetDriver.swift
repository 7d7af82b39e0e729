// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import Synchronization

/// The driver of the core: it writes records, sends messages, and runs the accessories.
///
/// All inputs are processed under one lock, on the thread that brings them. An input therefore
/// waits until the records of the earlier ones are on the disk, and no queue grows between them.
final class FleetDriver: Sendable {
    /// The time between two ticks of the core.
    static let tickInterval = Duration.milliseconds(250)

    /// The longest time that the end waits for the broker. The rest of the queue is sent at the next
    /// start.
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
        /// The reason for the latest refusal, which is logged once.
        var lastRefusal: String?
    }

    private let state: Mutex<State>
    private let makeConfiguration: @Sendable (String) -> AccessoryCentral.Configuration
    private let log: @Sendable (String) -> Void
    private let presence = PresenceWatch()

    /// Opens the journal in a folder, which is created if it is missing.
    init(
        core: consuming FleetCore,
        folder: String,
        configuration: @escaping @Sendable (String) -> AccessoryCentral.Configuration,
        log: @escaping @Sendable (String) -> Void
    ) throws {
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        var records: [JournalRecord] = []
        let journal = try Journal(opening: folder + "/queue.journal", records: &records)
        core.restore(records, now: .current)
        log("The queue has \(core.outbox.messages.count) messages.")
        state = Mutex(State(core: core, journal: journal))
        (makeConfiguration, self.log) = (configuration, log)
    }

    /// Runs until the task is canceled, and then ends all links and leases.
    func run(_ options: BrokerOptions, accessories: [FleetAccessory]) async throws {
        let broker = try BrokerConnection(options) { [weak self] in self?.receive($0) }
        state.withLock { $0.broker = broker }
        receive { _ in }
        broker.start()
        presence.start(accessories, configuration: makeConfiguration("presence")) {
            [weak self] id, rssi, isPresent in
            self?.receive { core in
                core.presenceChanged(id, rssi: rssi, isPresent: isPresent, now: .current)
            }
        }
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.tickInterval)
            receive { $0.tick(now: .current) }
        }
        await end()
        broker.stop()
    }

    /// Ends all links, and waits for a moment until the broker has the last messages.
    private func end() async {
        receive { $0.shutDown(now: .current) }
        await presence.stop()
        for runner in state.withLock({ Array($0.accessories.values) }) { await runner.ended() }
        let end = ContinuousClock.now + Self.drainLimit
        while ContinuousClock.now < end,
            state.withLock({ $0.wasConnected == true && !$0.core.outbox.messages.isEmpty })
        {
            // The task is canceled, so its own sleep would return at once.
            await Task { try? await Task.sleep(for: .milliseconds(20)) }.value
        }
    }

    // MARK: Inputs

    private func receive(_ event: BrokerEvent) {
        state.withLock { state in
            switch event {
            case .connected:
                if state.wasConnected != true { log("The broker is connected.") }
                state.wasConnected = true
                state.broker?.subscribe(state.core.subscriptions)
                state.core.brokerConnected(now: .current)
            case .disconnected(let reason):
                if state.wasConnected != false { log("The broker is not connected: \(reason).") }
                state.wasConnected = false
                state.core.brokerDisconnected()
            case .acknowledged(let identifier, let refusal):
                // The message would be refused again, so it is not repeated.
                if let refusal, state.lastRefusal != refusal {
                    state.lastRefusal = refusal
                    log("The broker refused a message: \(refusal) Check its access control.")
                }
                guard let number = state.numbers.removeValue(forKey: identifier) else { return }
                state.core.acknowledged(number)
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
            let configuration = makeConfiguration(id)
            state.accessories[id] = AccessoryRunner(
                accessory,
                after: before,
                configuration: configuration,
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
        }
    }
}

extension Moment {
    /// This moment.
    static var current: Moment {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Moment(
            seconds: Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9,
            timestamp: Date().timeIntervalSince1970
        )
    }
}
