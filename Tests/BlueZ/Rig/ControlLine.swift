// SPDX-License-Identifier: Apache-2.0

import ProcessTestSupport
import Synchronization

/// The reason why the peer in the machine did not execute a command, mostly an error of BlueZ.
struct Refusal: Error, Equatable, CustomStringConvertible {
    /// The name of the error: `org.bluez.Error.AuthenticationFailed`.
    let name: String
    /// The error's message. It is not compared.
    let text: String

    init(_ name: String, text: String = "") {
        self.name = name
        self.text = text
    }

    static func == (one: Refusal, other: Refusal) -> Bool { one.name == other.name }

    var description: String { "\(name): \(text)" }
}

/// The line that carries commands to a machine and events from it: JSON, one value per line.
///
/// An answer carries the number of its command. Events are kept until a call consumes them, so none
/// is missed between a command and the wait for its effect.
final class ControlLine: Sendable {
    private struct Watcher {
        let choose: @Sendable (JSON) -> Bool
        let continuation: CheckedContinuation<JSON, any Error>
    }

    private struct State {
        var lastIdentifier = 0
        var orders: [Int: CheckedContinuation<JSON, any Error>] = [:]
        var watchers: [(identifier: Int, watcher: Watcher)] = []
        var events: [JSON] = []
        var faults: [JSON] = []
        var isOver = false

        mutating func makeIdentifier() -> Int {
            lastIdentifier += 1
            return lastIdentifier
        }
    }

    private let process: ChildProcess
    private let state = Mutex(State())

    /// Creates a line over the standard input and output of a process.
    init(of process: ChildProcess) {
        self.process = process
        process.followLines { [weak self] line in self?.receive(line) }
    }

    /// Whether the line has ended.
    var isOver: Bool { state.withLock { $0.isOver } }

    // MARK: Commands

    /// Sends a command. Returns its result.
    ///
    /// - Throws: `Refusal` if the command failed.
    func call(
        _ order: String,
        _ details: [String: JSON] = [:],
        within limit: Duration = Limits.step
    ) async throws -> JSON {
        let identifier = state.withLock { $0.makeIdentifier() }
        let members: [String: JSON] = ["id": .number(Double(identifier)), "do": .string(order)]
        let line = try JSON.object(details.merging(members) { $1 }).line
        return try await ProcessTestSupport.within(limit, "the answer to \(order)") { [self] in
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    guard enlist(identifier, continuation) else { return }
                    // If the task was canceled before this point, `onCancel` found no command to
                    // abandon.
                    guard !Task.isCancelled else { return abandonOrder(identifier) }
                    process.write(line: line)
                }
            } onCancel: {
                abandonOrder(identifier)
            }
        }
    }

    private func enlist(
        _ identifier: Int,
        _ continuation: CheckedContinuation<JSON, any Error>
    ) -> Bool {
        let isOver = state.withLock { state in
            if !state.isOver { state.orders[identifier] = continuation }
            return state.isOver
        }
        if isOver { continuation.resume(throwing: ended) }
        return !isOver
    }

    private func abandonOrder(_ identifier: Int) {
        let order = state.withLock { $0.orders.removeValue(forKey: identifier) }
        order?.resume(throwing: CancellationError())
    }

    // MARK: Events

    /// Returns and removes the first matching event, which may have arrived earlier.
    func event(
        _ what: String,
        within limit: Duration,
        where choose: @escaping @Sendable (JSON) -> Bool
    ) async throws -> JSON {
        let identifier = state.withLock { $0.makeIdentifier() }
        return try await ProcessTestSupport.within(limit, what) { [self] in
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    watch(identifier, Watcher(choose: choose, continuation: continuation))
                    if Task.isCancelled { abandonWatcher(identifier) }
                }
            } onCancel: {
                abandonWatcher(identifier)
            }
        }
    }

    private func watch(_ identifier: Int, _ watcher: Watcher) {
        let result = state.withLock { state -> Result<JSON, any Error>? in
            if let place = state.events.firstIndex(where: watcher.choose) {
                return .success(state.events.remove(at: place))
            }
            if state.isOver { return .failure(ended) }
            state.watchers.append((identifier, watcher))
            return nil
        }
        if let result { watcher.continuation.resume(with: result) }
    }

    private func abandonWatcher(_ identifier: Int) {
        let watcher = state.withLock { state in
            state.watchers.firstIndex { $0.identifier == identifier }
                .map { state.watchers.remove(at: $0).watcher }
        }
        watcher?.continuation.resume(throwing: CancellationError())
    }

    /// Returns the unconsumed events that match. They stay.
    func pendingEvents(where choose: (JSON) -> Bool) -> [JSON] {
        state.withLock { $0.events.filter(choose) }
    }

    /// Drops all events except the faults.
    func forgetEvents() {
        state.withLock { $0.events = [] }
    }

    /// The fault events. They survive `forgetEvents()`, and no call consumes them.
    var faults: [JSON] { state.withLock { $0.faults } }

    /// Drops all events and all faults, because a scenario begins.
    func forgetEverything() {
        state.withLock { state in
            state.events = []
            state.faults = []
        }
    }

    // MARK: Received lines

    private func receive(_ line: String?) {
        guard let line else { return end() }
        guard let value = try? JSON(parsing: line) else { return }
        if let identifier = value["id"].integer {
            state.withLock { $0.orders.removeValue(forKey: identifier) }?
                .resume(with: Self.outcome(value))
        } else {
            note(value)
        }
    }

    private static func outcome(_ answer: JSON) -> Result<JSON, any Error> {
        guard let name = answer["refused"].text else { return .success(answer["done"]) }
        return .failure(Refusal(name, text: answer["text"].text ?? ""))
    }

    /// The names of events that report a known fault.
    private static let faultNames: [String?] = ["fault", "kernel_fault"]

    private func note(_ event: JSON) {
        let continuation = state.withLock { state -> CheckedContinuation<JSON, any Error>? in
            if let place = state.watchers.firstIndex(where: { $0.watcher.choose(event) }) {
                return state.watchers.remove(at: place).watcher.continuation
            }
            if Self.faultNames.contains(event["event"].text) {
                if state.faults.count < Limits.faultCount { state.faults.append(event) }
                return nil
            }
            if state.events.count == Limits.eventCount { state.events.removeFirst() }
            state.events.append(event)
            return nil
        }
        continuation?.resume(returning: event)
    }

    private func end() {
        let waiting = state.withLock { state in
            state.isOver = true
            defer {
                state.orders = [:]
                state.watchers = []
            }
            return Array(state.orders.values) + state.watchers.map(\.watcher.continuation)
        }
        for continuation in waiting { continuation.resume(throwing: ended) }
    }

    private var ended: ProcessError { .ended("the machine is off", log: process.log) }
}
