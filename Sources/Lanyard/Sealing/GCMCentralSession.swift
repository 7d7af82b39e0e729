// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The central's side of a `GCMSealing` session: it greets, and confirms the answer. If the
/// peripheral asks for a greeting, the central sends a new greeting, and keeps its session until
/// the answer arrives.
struct GCMCentralSession: SealingSession {
    private let key: SealingKey
    private let draw: @Sendable () -> Data
    /// The random bytes of the unanswered greeting; `nil` if there is none.
    private var random: Data?
    /// The keys and counters of the session; `nil` until the peripheral has answered.
    private var directions: GCMDirections?
    /// The former session. Its messages may still arrive, until the first message of the new
    /// session.
    private var former: GCMDirections?
    /// The accepted answer.
    private var answer: Data?

    init(
        key: SealingKey,
        draw: @escaping @Sendable () -> Data = { RandomBytes.draw(GCMSession.randomLength) }
    ) {
        self.key = key
        self.draw = draw
        random = draw()
    }

    var greeting: Data? { random.map { GCMSession.greeting(key, central: $0) } }
    var isReady: Bool { directions != nil }

    mutating func seal(_ message: Data) throws(SealingError) -> Data {
        guard let sealed = try directions?.seal(message) else { throw .sessionNotReady }
        return sealed
    }

    mutating func open(_ sealed: Data) throws(SealingError) -> SealedArrival {
        switch GCMSession.kind(of: sealed) {
        case .answer: return try receive(answer: sealed)
        case .message: return .message(try openMessage(sealed))
        case .invitation where sealed == GCMSession.invitation: return .answer(invited())
        case .greeting, .confirmation, .invitation, nil: throw .refused
        }
    }

    private mutating func receive(answer frame: Data) throws(SealingError) -> SealedArrival {
        // A repeated greeting receives a repeated answer.
        if let answer, ConstantTime.equal(frame, answer) { return .nothing }
        guard let random, let peripheral = GCMSession.random(in: frame) else { throw .refused }
        let expected = GCMSession.answer(key, central: random, peripheral: peripheral)
        guard ConstantTime.equal(frame, expected) else { throw .refused }
        var directions = GCMDirections(
            key,
            role: .central,
            central: random,
            peripheral: peripheral
        )
        let confirmation = try directions.seal(Data(), as: .confirmation)
        former = self.directions
        (self.directions, self.random, answer) = (directions, nil, expected)
        return .answer(confirmation)
    }

    /// Greets again, with new random bytes if the last greeting was answered.
    private mutating func invited() -> Data {
        let random = random ?? draw()
        self.random = random
        return GCMSession.greeting(key, central: random)
    }

    /// Opens a message of the current session or, before the first message of it, of the former
    /// session.
    private mutating func openMessage(_ frame: Data) throws(SealingError) -> Data {
        guard var current = directions else { throw .refused }
        do {
            let message = try current.open(frame)
            (directions, former) = (current, nil)
            return message
        } catch {
            guard error == .refused, let message = try former?.open(frame) else { throw error }
            return message
        }
    }
}
