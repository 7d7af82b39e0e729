// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

// What clients do.
extension ServeSession {
    /// Answers clients, and tells what they do, until the task is cancelled.
    func serve(
        _ events: AsyncStream<ServerEvent>,
        _ published: PublishedAccessory
    ) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            defer { closeOutlets() }
            for await event in events {
                if case .connected(let link) = event {
                    let outlet = open(link)
                    group.addTask { try await self.run(outlet, on: link, published) }
                }
                try await receive(event, published)
            }
            try Task.checkCancellation()
            throw ProgramFailure(.inputOutput, "clients ask faster than their requests are told")
        }
    }

    /// Tells what becomes of bonds, until the task is cancelled.
    func tellOfBonds(_ events: AsyncStream<SecurityEvent>) async throws {
        for await event in events {
            if let news = event.news { try surroundings.tell(news) }
        }
        await EndOfInput.never()
    }

    private func receive(_ event: ServerEvent, _ published: PublishedAccessory) async throws {
        switch event {
        case .connected(let link):
            try surroundings.tell(.connected(link.address))
            if state.withLock({ $0.isAuthorizing }) { try? await link.authorize() }
        case .disconnected(let link, let reason):
            state.withLock { $0.outlets.removeValue(forKey: link) }?.close()
            try surroundings.tell(.disconnected(link.address, reason: reason.reasonText))
        case .read(let request): try answer(request, published)
        case .write(let request): try answer(request, published)
        case .written(let link, let entries):
            for entry in entries { try tell(entry, of: link, .value(entry.value), published) }
        case .subscribed(let link, let handle, let kind):
            try surroundings.tell(.subscribed(link.address, published.attribute(handle), kind))
        case .readyToNotify: break
        }
    }

    private func answer(_ request: ReadRequest, _ published: PublishedAccessory) throws {
        let value = state.withLock { $0.board.read(request.handle, offset: request.offset) }
        let outcome: ServeNews.Outcome
        switch value {
        case .success(let bytes):
            request.respond(with: bytes)
            outcome = .value(bytes)
        case .failure(let code):
            request.refuse(code)
            outcome = .refused(code)
        }
        let attribute = published.attribute(request.handle)
        try surroundings.tell(
            .read(request.link.address, attribute, offset: request.offset, outcome)
        )
    }

    private func answer(_ request: WriteRequest, _ published: PublishedAccessory) throws {
        let result = state.withLock { $0.board.write(request.entries) }
        let refusal: ATT.ErrorCode?
        switch result {
        case .success(let echoes):
            request.accept()
            refusal = nil
            for echo in echoes {
                try send(echo.value, of: echo.handle, to: request.link, published)
            }
        case .failure(let code):
            request.refuse(code)
            refusal = code
        }
        for entry in request.entries {
            let outcome = refusal.map { ServeNews.Outcome.refused($0) } ?? .value(entry.value)
            try tell(entry, of: request.link, outcome, published)
        }
    }

    private func tell(
        _ entry: GATT.WriteEntry,
        of link: Link,
        _ outcome: ServeNews.Outcome,
        _ published: PublishedAccessory
    ) throws {
        let attribute = published.attribute(entry.handle)
        try surroundings.tell(.written(link.address, attribute, offset: entry.offset, outcome))
    }
}

extension HostError {
    /// Why a link ended, where that is known to have happened.
    fileprivate var reasonText: String {
        if case .disconnected(let code) = self { "\(code)" } else { "\(self)" }
    }
}
