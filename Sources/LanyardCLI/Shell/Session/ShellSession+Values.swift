// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothHost
import BluetoothPort
import BluetoothTypes
import Foundation
import JSONText
import Synchronization

// Values of the connected device.
extension ShellSession {
    func operations() throws(ProgramFailure) -> CharacteristicOperations {
        CharacteristicOperations(accessory: try connection().link, limits: limits)
    }

    func explore() async throws -> ShellOutput {
        let connection = try connection()
        let progress = ProgressLine(console: environment.printer.console)
        let explorer = Explorer(
            accessory: connection.link,
            limits: limits,
            progress: { progress.show($0) }
        )
        defer { progress.clear() }
        let exploration = try await explorer.explore(advertisedName: connection.name)
        return ShellOutput(exploration.tree.text, exploration.json)
    }

    func read(_ reference: CharacteristicReference) async throws -> ShellOutput {
        ShellOutput(try await operations().read(reference))
    }

    func write(
        _ bytes: [UInt8],
        to reference: CharacteristicReference,
        withResponse: Bool
    ) async throws -> ShellOutput {
        let report = try await operations().write(
            bytes,
            to: reference,
            withResponse: withResponse
        )
        return ShellOutput(report.line, report.json)
    }
}

// MARK: - Subscriptions

extension ShellSession {
    /// Subscribes to characteristics. Their values are printed as they arrive.
    func subscribe(
        to references: [CharacteristicReference],
        _ kind: GATT.SubscriptionKind?
    ) async throws -> ShellOutput {
        let link = try connection().link
        let found = try await operations().findEach(of: references)
        let handles = found.map(\.1.valueHandle.rawValue)
        let count = state.withLock { Set($0.subscriptions.keys).union(handles).count }
        guard count <= CharacteristicSubscriptions.limit else {
            throw ProgramFailure.usage(
                "there would be \(count) subscriptions",
                advice: "use at most \(CharacteristicSubscriptions.limit)"
            )
        }
        var names: [String] = []
        for (reference, characteristic) in found {
            let values = try await operations()
                .subscribe(to: characteristic, named: reference, kind: kind)
            let handle = characteristic.valueHandle.rawValue
            names.append("\(Self.name(of: characteristic.uuid)) #\(handle)")
            let task = receive(values, of: characteristic, on: link)
            let earlier = change { state in
                let earlier = state.subscriptions[handle]?.task
                state.subscriptions[handle] = Subscription(
                    reference: reference,
                    uuid: characteristic.uuid,
                    task: task
                )
                return earlier
            }
            earlier?.cancel()
        }
        return ShellOutput(
            "Subscribed to \(names.joined(separator: ", ")).",
            .object([.init("subscribed", .array(names.map { .string($0) }))])
        )
    }

    /// Prints the values as they arrive, until the task is canceled or the link ends.
    private func receive(
        _ values: ArrivingValues,
        of characteristic: GATT.Characteristic,
        on link: any PeripheralLink
    ) -> Task<Void, Never> {
        Task {
            do {
                for try await bytes in values {
                    arrived(ValueReport(address: link.address, characteristic, bytes))
                }
            } catch HostError.disconnected, PortError.linkEnded {
                // The end of the link is an event of its own.
            } catch {
                let name = Self.name(of: characteristic.uuid)
                let failure = ProgramFailure(error, during: "waiting for values of \(name)")
                guard failure != .interrupted else { return }
                environment.printer.console.remark(failure.line + "\n")
            }
        }
    }

    private func arrived(_ report: ValueReport) {
        // If the output is closed, the next result ends the shell.
        try? environment.printer.report(.value(report))
        change { state in
            if state.arrived.count >= Self.arrivedLimit { state.arrived.removeFirst() }
            state.arrived.append(report)
        }
    }

    /// Ends the subscriptions to these characteristics; all subscriptions if the list is empty.
    func unsubscribe(from references: [CharacteristicReference]) async throws -> ShellOutput {
        _ = try connection()
        let ended = try change { state throws(ProgramFailure) in
            var ended = references.isEmpty ? state.subscriptions : [:]
            for reference in references {
                let found = state.subscriptions.filter { reference.matches($0.value, at: $0.key) }
                guard !found.isEmpty else { throw .noSubscription(reference) }
                ended.merge(found) { first, _ in first }
            }
            for handle in ended.keys { state.subscriptions[handle] = nil }
            return ended
        }
        for subscription in ended.values { subscription.task.cancel() }
        for subscription in ended.values { await subscription.task.value }
        let names = ended.sorted { $0.key < $1.key }.map {
            "\(Self.name(of: $0.value.uuid)) #\($0.key)"
        }
        return ShellOutput(
            names.isEmpty
                ? "There are no subscriptions."
                : "Unsubscribed from \(names.joined(separator: ", ")).",
            .object([.init("unsubscribed", .array(names.map { .string($0) }))])
        )
    }
}

extension CharacteristicReference {
    /// Returns whether the subscription is to this characteristic.
    fileprivate func matches(_ subscription: ShellSession.Subscription, at handle: UInt16) -> Bool {
        if subscription.reference == self { return true }
        switch identity {
        case .valueHandle(let wanted): return wanted == handle
        case .uuid(let uuid): return service == nil && uuid == subscription.uuid
        }
    }
}

extension ProgramFailure {
    static func noSubscription(_ reference: CharacteristicReference?) -> ProgramFailure {
        ProgramFailure(
            .notFound,
            "there is no subscription" + (reference.map { " to \($0)" } ?? ""),
            advice: "use 'subscribe CHARACTERISTIC'"
        )
    }
}

// MARK: - Waiting

extension ShellSession {
    /// Waits for the event. Returns the result for expectations; `nil` if the event has none.
    func wait(for condition: WaitCondition) async throws -> ScriptSubject? {
        switch condition {
        case .time(let duration):
            try await TimeLimit.wait(duration)
            return nil
        case .disconnected:
            try await first { $0.connection == nil ? () : nil }
            return nil
        case .device(let target): return try await waitForDevice(target)
        case .notification(let reference, let expectation):
            while true {
                let report = try await nextValue(of: reference)
                let subject = ShellOutput(report).subject
                guard let expectation else { return subject }
                if try expectation.comparison(with: subject).isMet { return subject }
            }
        }
    }

    /// Takes the oldest value that arrived, or waits for the next one.
    private func nextValue(of reference: CharacteristicReference?) async throws -> ValueReport {
        try await first { state throws(ProgramFailure) in
            let handles = Set(
                state.subscriptions.filter { entry in
                    reference.map { $0.matches(entry.value, at: entry.key) } ?? true
                }.keys
            )
            if let index = state.arrived.firstIndex(where: { handles.contains($0.valueHandle) }) {
                return state.arrived.remove(at: index)
            }
            guard handles.isEmpty else { return nil }
            throw .noSubscription(reference)
        }
    }

    private func waitForDevice(_ target: Target) async throws -> ScriptSubject {
        // The caller applies the limit of the line, so the search has no limit of its own.
        let bonds = await central.accessoryBonds()
        let finder = TargetFinder(limits: .unlimited, takesFirst: true, bonds: bonds) {
            [central] in try await central.discoveries()
        }
        let found = try await finder.find(target)
        let name = found.name.map { TerminalText.escape($0) + " " } ?? ""
        return ScriptSubject(text: name + AddressText.describe(found.address))
    }
}
