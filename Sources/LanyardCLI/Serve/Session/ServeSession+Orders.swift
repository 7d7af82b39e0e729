// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

// What a person does.
extension ServeSession {
    /// Does what is typed, until a person says `quit`, or for ever.
    func obey(_ host: BluetoothHost, _ published: PublishedAccessory) async throws {
        guard let orders = surroundings.orders else { return await EndOfInput.never() }
        for await line in orders where !line.allSatisfy(\.isWhitespace) {
            do throws(ProgramFailure) {
                let order = try ServeOrder(line)
                if order == .quit { return }
                try await carryOut(order, host, published)
            } catch {
                guard error.status != .outputClosed else { throw error }
                surroundings.remark(error.line + "\n")
            }
        }
        if !surroundings.endsWithOrders { await EndOfInput.never() }
    }

    private func carryOut(
        _ order: ServeOrder,
        _ host: BluetoothHost,
        _ published: PublishedAccessory
    ) async throws(ProgramFailure) {
        switch order {
        case .set(let reference, let bytes): try set(bytes, of: published.find(reference))
        case .notify(let reference, let bytes):
            let attribute = try published.find(reference)
            if let bytes { try set(bytes, of: attribute) }
            try await notify(attribute, host, published)
        case .authorize(let isAuthorizing):
            state.withLock { $0.isAuthorizing = isAuthorizing }
            for link in await host.links { try? await link.authorize(isAuthorizing) }
        case .help: surroundings.remark(ServeOrder.explanation + "\n")
        case .quit: break
        }
    }

    private func set(_ bytes: [UInt8], of attribute: ServedAttribute) throws(ProgramFailure) {
        if let complaint = state.withLock({ $0.board.set(bytes, of: attribute.handle) }) {
            throw .usage(complaint)
        }
        try tellPerson(.set(attribute, bytes))
    }

    private func notify(
        _ attribute: ServedAttribute,
        _ host: BluetoothHost,
        _ published: PublishedAccessory
    ) async throws(ProgramFailure) {
        let links = await host.subscribers(of: attribute.handle)
        guard !links.isEmpty else {
            throw ProgramFailure(.notFound, "nobody has subscribed to \(attribute.text)")
        }
        let value = state.withLock { $0.board.value(of: attribute.handle) } ?? []
        do {
            for link in links { try send(value, of: attribute.handle, to: link, published) }
        } catch {
            throw ProgramFailure(error, during: "sending \(attribute.text)")
        }
    }

    private func tellPerson(_ news: ServeNews) throws(ProgramFailure) {
        do {
            try surroundings.tell(news)
        } catch {
            throw ProgramFailure(error, during: "printing")
        }
    }
}
