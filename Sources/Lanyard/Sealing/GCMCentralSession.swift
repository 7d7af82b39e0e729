// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The central's end of a session of `GCMSealing`: it greets, and confirms the answer. If the peripheral asks
/// for it, it greets anew, and goes on with the session that it has until that is answered.
struct GCMCentralSession: SealingSession {
    private let key: SealingKey
    private let draw: @Sendable () -> Data
    /// That of the greeting that has no answer; nil if there is none.
    private var random: Data?
    /// Nil until the peripheral has answered.
    private var directions: GCMDirections?
    /// Those before, by which things may still arrive until the first by the new ones has.
    private var former: GCMDirections?
    /// The answer that was taken.
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
        // A greeting that was sent twice is answered twice.
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

    /// Greets again; with other octets than those that were answered.
    private mutating func invited() -> Data {
        let random = random ?? draw()
        self.random = random
        return GCMSession.greeting(key, central: random)
    }

    /// Opens what is of the session that is, or else, before anything of that has come, of the former.
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
