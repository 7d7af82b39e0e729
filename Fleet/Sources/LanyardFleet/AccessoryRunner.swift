// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import Tracing

/// An accessory of which this host holds the lease, with a central of its own.
///
/// A central connects to the accessories that it remembers as soon as it exists. The runner
/// therefore creates the central when the host holds the lease, and shuts it down afterward.
final class AccessoryRunner: Sendable {
    /// The time between attempts to pair an accessory.
    static let retryInterval = Duration.seconds(5)

    private let task: Task<Void, Never>
    private let accessory: Promise
    private let id: String
    private let tracer: any Tracer

    /// The accessory and its central; `nil` until the central has found the accessory, and after
    /// the runner has released it.
    private actor Promise {
        private(set) var pair: (AccessoryCentral, Accessory)?
        func fulfill(_ pair: (AccessoryCentral, Accessory)?) { self.pair = pair }

        var slots: FleetQuantities.Slots {
            guard let slots = pair?.0.connectionSlots else { return .init() }
            return .init(inUse: slots.holders.count, waiting: slots.waiting.count)
        }
    }

    /// Creates a runner, which begins when the earlier runner of the accessory has ended.
    init(
        _ fleetAccessory: FleetAccessory,
        after before: AccessoryRunner?,
        configuration: AccessoryCentral.Configuration,
        tracer: any Tracer,
        report: @escaping @Sendable ((inout FleetCore) -> Void) -> Void,
        log: @escaping @Sendable (String) -> Void
    ) {
        let promise = Promise()
        accessory = promise
        (id, self.tracer) = (fleetAccessory.id, tracer)
        task = Task {
            await before?.task.value
            guard !Task.isCancelled else { return }
            let central = AccessoryCentral(
                for: [fleetAccessory.description],
                configuration: configuration
            )
            if let accessory = await Self.find(fleetAccessory, central, log) {
                await promise.fulfill((central, accessory))
                await Self.follow(fleetAccessory, accessory, tracer, report)
                // `shutDown` does not wait for the end of the link, and the program may exit next.
                // This task is canceled, so another task waits for the end.
                await Task { try? await accessory.disconnect() }.value
            }
            await promise.fulfill(nil)
            await central.shutDown()
        }
    }

    /// Requests the end of the link, without waiting for it.
    func stop() { task.cancel() }

    /// Waits until the link has ended.
    func ended() async { await task.value }

    private static func find(
        _ fleetAccessory: FleetAccessory,
        _ central: AccessoryCentral,
        _ log: @Sendable (String) -> Void
    ) async -> Accessory? {
        var last: AccessoryError?
        while !Task.isCancelled {
            do throws(AccessoryError) {
                return try await central.accessory(fleetAccessory.description)
            } catch {
                if error != last, error != .cancelled { log("\(fleetAccessory.id): \(error)") }
                last = error
            }
            try? await Task.sleep(for: retryInterval)
        }
        return nil
    }

    /// Reports the states and values of an accessory until the task is canceled.
    private static func follow(
        _ fleetAccessory: FleetAccessory,
        _ accessory: Accessory,
        _ tracer: any Tracer,
        _ report: @escaping @Sendable ((inout FleetCore) -> Void) -> Void
    ) async {
        let id = fleetAccessory.id
        await withDiscardingTaskGroup { group in
            for characteristic in fleetAccessory.characteristics {
                let path = characteristic.path
                guard let values = try? accessory.values(of: path.characteristic) else { continue }
                group.addTask {
                    for await value in values {
                        report { $0.valueReceived(id, path, value, now: .current) }
                    }
                }
            }
            var spans = AccessorySpans(of: id, tracer: tracer)
            for await change in accessory.changes {
                spans.changed(change)
                report { $0.changed(id, change, now: .current) }
            }
            spans.end()
            group.cancelAll()
        }
    }

    /// The connection slots of this accessory's central.
    var slots: FleetQuantities.Slots { get async { await accessory.slots } }

    // MARK: Commands

    /// Executes a command. A read or a write has a span with the name of the operation.
    func execute(_ operation: FleetCommand.Operation) async -> Result<Data?, FleetProblem> {
        let name: String
        switch operation {
        case .read: name = "read"
        case .write: name = "write"
        default: return await perform(operation)
        }
        let span = tracer.startSpan(name, context: .topLevel)
        span.attributes["accessory"] = id
        defer { span.end() }
        let result = await perform(operation)
        if case .failure(let problem) = result {
            span.setStatus(SpanStatus(code: .error, message: problem.title))
        }
        return result
    }

    private func perform(
        _ operation: FleetCommand.Operation
    ) async -> Result<Data?, FleetProblem> {
        guard let (central, accessory) = await accessory.pair else {
            return .failure(FleetProblem(.notConnected, of: operation))
        }
        do throws(AccessoryError) {
            switch operation {
            case .connect:
                accessory.connect()
                try await accessory.untilReady()
                return .success(nil)
            case .disconnect:
                try await accessory.disconnect()
                return .success(nil)
            case .read(let path):
                return .success(try await accessory.read(path.characteristic))
            case .write(let path, let value):
                try await accessory.write(value, to: path.characteristic)
                return .success(nil)
            case .forget:
                try await central.forget(accessory)
                return .success(nil)
            case .subscribe, .unsubscribe: return .success(nil)
            }
        } catch {
            return .failure(FleetProblem(error, of: operation))
        }
    }
}
