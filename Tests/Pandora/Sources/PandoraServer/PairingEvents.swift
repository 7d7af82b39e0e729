// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import GRPCCore
import PandoraInterface
import Synchronization

/// The pairing delegate that passes questions to the client of `OnPairing`, and returns the
/// client's answers.
///
/// Without a client, the device consents to pairings and confirms numbers, as the interface
/// requires, and enters no passkey.
final class PairingEvents: PairingDelegate {
    /// The result of a pairing.
    typealias Ending = Result<LinkSecurity, any Error>

    /// The maximum number of events that wait for a client. A further event displaces the oldest.
    static let eventLimit = 64

    private typealias Waiter = CheckedContinuation<Pandora_PairingEventAnswer?, Never>

    private struct State {
        var client: AsyncStream<Pandora_PairingEvent>.Continuation?
        var questions: [(event: Pandora_PairingEvent, waiter: Waiter)] = []
        var observers: [UInt64: (Link, AsyncStream<Ending>.Continuation)] = [:]
        var lastObserver: UInt64 = 0
        var isClosed = false
    }

    private let connections: Connections
    private let state = Mutex(State())

    init(_ connections: Connections) {
        self.connections = connections
    }

    // MARK: - The client

    /// Begins the stream of events. The stream ends with the session.
    ///
    /// - Throws: `RPCError` if there is a client already, and `HostError.closed` after the session.
    func open() throws -> AsyncStream<Pandora_PairingEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Pandora_PairingEvent.self,
            bufferingPolicy: .bufferingNewest(Self.eventLimit)
        )
        try state.withLock { state in
            guard state.client == nil else {
                throw RPCError(code: .aborted, message: "another client has the pairing events")
            }
            guard !state.isClosed else { throw HostError.closed }
            state.client = continuation
        }
        return stream
    }

    /// Ends the stream of events. The open questions get the answers of a device without a client.
    func leave() {
        let questions = state.withLock { state in
            state.client?.finish()
            state.client = nil
            defer { state.questions = [] }
            return state.questions
        }
        for question in questions { question.waiter.resume(returning: nil) }
    }

    /// Takes the client's answer. An answer to a question that is not open has no effect.
    func take(_ answer: Pandora_PairingEventAnswer) {
        resume(answer.event, with: answer)
    }

    /// Ends the stream of events and the streams of endings, at the end of the session.
    func close() {
        leave()
        let observers = state.withLock { state in
            state.isClosed = true
            defer { state.observers = [:] }
            return state.observers.values.map(\.1)
        }
        for observer in observers { observer.finish() }
    }

    // MARK: - Endings

    /// Returns a stream of the ends of pairings on a link from now on.
    func endings(on link: Link) -> AsyncStream<Ending> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Ending.self,
            bufferingPolicy: .bufferingNewest(Self.eventLimit)
        )
        let number: UInt64? = state.withLock { state in
            guard !state.isClosed else { return nil }
            state.lastObserver += 1
            state.observers[state.lastObserver] = (link, continuation)
            return state.lastObserver
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.observers.removeValue(forKey: number) }
        }
        return stream
    }

    func pairingEnded(on link: Link, with result: Ending) async {
        let observers = state.withLock { state in
            state.observers.values.filter { $0.0 == link }.map(\.1)
        }
        for observer in observers { observer.yield(result) }
    }

    // MARK: - Questions

    func consents(to pairing: PairingRequest) async -> Bool {
        await ask(pairing) { $0.justWorks = .init() }.map(\.confirm) ?? !hasClient
    }

    func confirms(_ digits: PairingDigits, of pairing: PairingRequest) async -> Bool {
        await ask(pairing) { $0.numericComparison = digits.value }.map(\.confirm) ?? !hasClient
    }

    func show(_ digits: PairingDigits, of pairing: PairingRequest) async {
        let event = event(of: pairing) { $0.passkeyEntryNotification = digits.value }
        state.withLock { _ = $0.client?.yield(event) }
    }

    func enterDigits(for pairing: PairingRequest, _ entry: DigitEntry) async -> PairingDigits? {
        let answer = await ask(pairing) { $0.passkeyEntryRequest = .init() }
        guard case .passkey(let passkey)? = answer?.answer else { return nil }
        return PairingDigits(passkey)
    }

    private var hasClient: Bool { state.withLock { $0.client != nil } }

    private func event(
        of pairing: PairingRequest,
        _ fill: (inout Pandora_PairingEvent) -> Void
    ) -> Pandora_PairingEvent {
        .with {
            if let link = pairing.link { $0.connection = connections.message(for: link) }
            fill(&$0)
        }
    }

    /// Asks the client. Returns `nil` if there is no client, or if the question ends without an
    /// answer.
    private func ask(
        _ pairing: PairingRequest,
        _ fill: (inout Pandora_PairingEvent) -> Void
    ) async -> Pandora_PairingEventAnswer? {
        let event = event(of: pairing, fill)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let isAsked = state.withLock { state in
                    guard let client = state.client, !Task.isCancelled else { return false }
                    state.questions.append((event, waiter))
                    client.yield(event)
                    return true
                }
                if !isAsked { waiter.resume(returning: nil) }
            }
        } onCancel: {
            resume(event, with: nil)
        }
    }

    private func resume(
        _ event: Pandora_PairingEvent,
        with answer: Pandora_PairingEventAnswer?
    ) {
        let waiter = state.withLock { state in
            state.questions.firstIndex { $0.event == event }
                .map { state.questions.remove(at: $0).waiter }
        }
        waiter?.resume(returning: answer)
    }
}
