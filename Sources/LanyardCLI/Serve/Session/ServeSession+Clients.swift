// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

// Requests of clients.
extension ServeSession {
    /// Answers clients and reports their requests until the task is canceled.
    func serve(
        _ events: some AsyncSequence<ServingEvent, Never> & Sendable,
        on adapter: some PeripheralAdapter,
        _ published: ServedTable
    ) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            defer { closeQueues() }
            for await event in events {
                if case .connected(let link) = event {
                    let queue = open(link)
                    group.addTask { try await self.run(queue, on: link, published) }
                }
                try await receive(event, on: adapter, published)
            }
            try Task.checkCancellation()
            throw ProgramFailure(
                .inputOutput,
                "clients send requests faster than the command prints them",
                advice: "read the output faster"
            )
        }
    }

    /// Reports changes of bonds until the task is canceled.
    func reportBonds(
        _ events: some AsyncSequence<ServeEvent, Never> & Sendable
    ) async throws {
        for await event in events { try environment.report(event) }
        await EndOfInput.never()
    }

    private func receive(
        _ event: ServingEvent,
        on adapter: some PeripheralAdapter,
        _ published: ServedTable
    ) async throws {
        switch event {
        case .connected(let link):
            try environment.report(.connected(link.address))
            if state.withLock({ $0.isAuthorizing }) { try await adapter.authorizeClients(true) }
        case .disconnected(let link, let reason):
            state.withLock { $0.queues.removeValue(forKey: link.identifier) }?.close()
            try environment.report(.disconnected(link.address, reason: reason))
        case .read(let link, let handle, let offset, let answer):
            let result = state.withLock { $0.values.read(handle, offset: offset) }
            answer(result)
            let attribute = published.attribute(handle)
            try environment.report(.read(link.address, attribute, offset: offset, .init(result)))
        case .write(let link, let entries, let answer):
            try write(entries, of: link, published, answer)
        case .written(let link, let entries):
            for entry in entries { try report(entry, of: link, .value(entry.value), published) }
        case .subscribed(let link, let handle, let kind):
            try environment.report(.subscribed(link.address, published.attribute(handle), kind))
        case .serviceRefused(let uuid, let reason):
            let reason = TerminalText.escape(reason)
            throw ProgramFailure(.refused, "the adapter refused the service \(uuid): \(reason)")
        }
    }

    private func write(
        _ entries: [GATT.WriteEntry],
        of link: any CentralLink,
        _ published: ServedTable,
        _ answer: @Sendable (ServedValues.Refusal?) -> Void
    ) throws {
        let refusal: ServedValues.Refusal?
        switch state.withLock({ $0.values.write(entries) }) {
        case .success(let echoes):
            answer(nil)
            refusal = nil
            for echo in echoes { try send(echo.value, of: echo.handle, to: link, published) }
        case .failure(let failure):
            answer(failure)
            refusal = failure
        }
        for entry in entries {
            let outcome = refusal.map { ServeEvent.Outcome.refused($0.code) } ?? .value(entry.value)
            try report(entry, of: link, outcome, published)
        }
    }

    private func report(
        _ entry: GATT.WriteEntry,
        of link: any CentralLink,
        _ outcome: ServeEvent.Outcome,
        _ published: ServedTable
    ) throws {
        let attribute = published.attribute(entry.handle)
        try environment.report(.written(link.address, attribute, offset: entry.offset, outcome))
    }
}

extension ServeEvent.Outcome {
    fileprivate init(_ result: Result<[UInt8], ATT.ErrorCode>) {
        switch result {
        case .success(let bytes): self = .value(bytes)
        case .failure(let code): self = .refused(code)
        }
    }
}
