// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

// Requests of clients.
extension ServeSession {
    /// Answers clients and reports their requests until the task is canceled.
    func serve(
        _ events: AsyncStream<ServerEvent>,
        _ published: ServedTable
    ) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            defer { closeQueues() }
            for await event in events {
                if case .connected(let link) = event {
                    let queue = open(link)
                    group.addTask { try await self.run(queue, on: link, published) }
                }
                try await receive(event, published)
            }
            try Task.checkCancellation()
            throw ProgramFailure(.inputOutput, "clients send requests faster than they are printed")
        }
    }

    /// Reports changes of bonds until the task is canceled.
    func reportBonds(_ events: AsyncStream<SecurityEvent>) async throws {
        for await event in events {
            if let change = event.serveEvent { try environment.report(change) }
        }
        await EndOfInput.never()
    }

    private func receive(_ event: ServerEvent, _ published: ServedTable) async throws {
        switch event {
        case .connected(let link):
            try environment.report(.connected(link.address))
            if state.withLock({ $0.isAuthorizing }) { try? await link.authorize() }
        case .disconnected(let link, let reason):
            state.withLock { $0.queues.removeValue(forKey: link) }?.close()
            try environment.report(.disconnected(link.address, reason: reason.reasonText))
        case .read(let request): try answer(request, published)
        case .write(let request): try answer(request, published)
        case .written(let link, let entries):
            for entry in entries { try report(entry, of: link, .value(entry.value), published) }
        case .subscribed(let link, let handle, let kind):
            try environment.report(.subscribed(link.address, published.attribute(handle), kind))
        case .readyToNotify: break
        }
    }

    private func answer(_ request: ReadRequest, _ published: ServedTable) throws {
        let value = state.withLock { $0.values.read(request.handle, offset: request.offset) }
        let outcome: ServeEvent.Outcome
        switch value {
        case .success(let bytes):
            request.respond(with: bytes)
            outcome = .value(bytes)
        case .failure(let code):
            request.refuse(code)
            outcome = .refused(code)
        }
        let attribute = published.attribute(request.handle)
        try environment.report(
            .read(request.link.address, attribute, offset: request.offset, outcome)
        )
    }

    private func answer(_ request: WriteRequest, _ published: ServedTable) throws {
        let result = state.withLock { $0.values.write(request.entries) }
        let refusal: ATT.ErrorCode?
        switch result {
        case .success(let echoes):
            request.accept()
            refusal = nil
            for echo in echoes {
                try send(echo.value, of: echo.handle, to: request.link, published)
            }
        case .failure(let failure):
            request.refuse(failure.code, at: failure.handle)
            refusal = failure.code
        }
        for entry in request.entries {
            let outcome = refusal.map { ServeEvent.Outcome.refused($0) } ?? .value(entry.value)
            try report(entry, of: request.link, outcome, published)
        }
    }

    private func report(
        _ entry: GATT.WriteEntry,
        of link: Link,
        _ outcome: ServeEvent.Outcome,
        _ published: ServedTable
    ) throws {
        let attribute = published.attribute(entry.handle)
        try environment.report(.written(link.address, attribute, offset: entry.offset, outcome))
    }
}
