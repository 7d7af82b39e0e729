// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Synchronization

/// An accessory that is served: its services are published and advertised, its values read and
/// written by clients, moved by time, and changed by a person.
final class ServeSession: Sendable {
    /// How a session deals with the world.
    struct Surroundings: Sendable {
        /// Tells what happens; throws if nobody can be told any more.
        var tell: @Sendable (ServeNews) throws -> Void
        /// Says that what a person typed is wrong, or what can be typed.
        var remark: @Sendable (String) -> Void = { _ in }
        /// Lets time pass.
        var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
        /// What a person types; nil for nothing.
        var orders: AsyncStream<String>?
        /// Whether the session ends when a person has nothing more to type.
        var endsWithOrders = false
        /// Whether each value that is sent is told.
        var isTalkative = false
    }

    private struct State {
        var board = ValueBoard()
        var outlets: [Link: LinkOutlet] = [:]
        var isAuthorizing = false
    }

    let accessory: ServedAccessory
    /// Where clients find it.
    let address: DeviceAddress
    private let surroundings: Surroundings
    private let state = Mutex(State())

    init(
        _ accessory: ServedAccessory,
        at address: DeviceAddress,
        _ surroundings: Surroundings
    ) {
        self.accessory = accessory
        self.address = address
        self.surroundings = surroundings
    }

    /// Serves until the task is cancelled, a person says `quit`, or something fails.
    func run(on host: BluetoothHost) async throws {
        let published = try await publish(on: host)
        let events = try await host.serverEvents()
        let set = try await host.advertise(accessory.hostAdvertising)
        try surroundings.tell(
            .ready(
                name: accessory.name,
                address: address,
                services: published.services.count,
                characteristics: published.services.reduce(0) { $0 + $1.characteristics.count }
            )
        )
        try await withThrowingTaskGroup { group in
            group.addTask { try await self.serve(events, published) }
            group.addTask { try await self.keepTime(on: host) }
            group.addTask { try await self.obey(host, published) }
            group.addTask {
                throw ProgramFailure(
                    .adapterUnavailable,
                    "advertising ended: \(try await set.ended())"
                )
            }
            defer { group.cancelAll() }
            try await group.next()
        }
        await set.stop()
    }

    private func publish(on host: BluetoothHost) async throws -> PublishedAccessory {
        var published: [GATT.PublishedService] = []
        for service in accessory.services {
            do throws(GATT.DefinitionError) {
                published.append(try await host.publish(service.definition))
            } catch {
                throw ProgramFailure(.badData, "\(service.uuid): \(error.complaint)")
            }
        }
        let board = ValueBoard(Array(zip(accessory.services, published)))
        state.withLock { $0.board = board }
        return PublishedAccessory(published)
    }
}

// What clients do.
extension ServeSession {
    private func serve(
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

// What is sent.
extension ServeSession {
    private func open(_ link: Link) -> LinkOutlet {
        let outlet = LinkOutlet()
        state.withLock { $0.outlets[link] = outlet }
        return outlet
    }

    private func closeOutlets() {
        let outlets = state.withLock { state in
            defer { state.outlets = [:] }
            return state.outlets.values
        }
        for outlet in outlets { outlet.close() }
    }

    private func run(
        _ outlet: LinkOutlet,
        on link: Link,
        _ published: PublishedAccessory
    ) async throws {
        try await outlet.run(on: link) { value, error in
            let attribute = published.attribute(value.handle)
            if let error {
                guard !(error is CancellationError) else { return }
                try surroundings.tell(
                    .unsent(link.address, attribute, reason: "\(error)")
                )
            } else if surroundings.isTalkative {
                try surroundings.tell(.sent(link.address, attribute, value.value))
            }
        }
    }

    private func send(
        _ value: [UInt8],
        of handle: AttributeHandle,
        to link: Link,
        _ published: PublishedAccessory
    ) throws {
        let outlet = state.withLock { $0.outlets[link] }
        let attributeValue = GATT.AttributeValue(handle: handle, value: value)
        guard let outlet, !outlet.send(attributeValue) else { return }
        let attribute = published.attribute(handle)
        try surroundings.tell(.unsent(link.address, attribute, reason: "the client is too slow"))
    }

    /// Moves what moves, and sends what is to be sent, each in its time.
    private func keepTime(on host: BluetoothHost) async throws {
        let now = host.executor.now
        var schedule = PeriodSchedule(state.withLock { $0.board.periods }, now: now)
        while let deadline = schedule.nextDeadline {
            let now = host.executor.now
            if deadline > now { try await surroundings.sleep(deadline - now) }
            for handle in schedule.takeDue(now: host.executor.now) {
                let value = state.withLock { $0.board.advance(handle) }
                for link in await host.subscribers(of: handle) {
                    // A client that has no room gets the next one.
                    _ = try? await link.tryNotify(value, of: handle)
                }
            }
        }
        await EndOfInput.never()
    }
}

// What a person does.
extension ServeSession {
    private func obey(_ host: BluetoothHost, _ published: PublishedAccessory) async throws {
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

extension HostError {
    /// Why a link ended, where that is known to have happened.
    fileprivate var reasonText: String {
        if case .disconnected(let code) = self { "\(code)" } else { "\(self)" }
    }
}
