// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The central's end of a session of `GCMSealing`: it greets, and confirms the answer.
struct GCMCentralSession: SealingSession {
    private let key: SealingKey
    private let random: Data
    /// Nil until the peripheral has answered.
    private var directions: GCMDirections?
    /// The answer that was taken.
    private var answer: Data?

    init(key: SealingKey, random: Data = RandomBytes.draw(GCMSession.randomLength)) {
        self.key = key
        self.random = random
    }

    var greeting: Data? { isReady ? nil : GCMSession.greeting(key, central: random) }
    var isReady: Bool { directions != nil }

    mutating func seal(_ message: Data) throws(SealingError) -> Data {
        guard let sealed = try directions?.seal(message) else { throw .sessionNotReady }
        return sealed
    }

    mutating func open(_ sealed: Data) throws(SealingError) -> SealedArrival {
        switch GCMSession.kind(of: sealed) {
        case .answer: return try receive(answer: sealed)
        case .message:
            guard let message = try directions?.open(sealed) else { throw .refused }
            return .message(message)
        case .greeting, .confirmation, nil: throw .refused
        }
    }

    private mutating func receive(answer frame: Data) throws(SealingError) -> SealedArrival {
        // A greeting that was sent twice is answered twice.
        if let answer, ConstantTime.equal(frame, answer) { return .nothing }
        guard !isReady, let peripheral = GCMSession.random(in: frame) else { throw .refused }
        let expected = GCMSession.answer(key, central: random, peripheral: peripheral)
        guard ConstantTime.equal(frame, expected) else { throw .refused }
        var directions = GCMDirections(
            key,
            role: .central,
            central: random,
            peripheral: peripheral
        )
        let confirmation = try directions.seal(Data(), as: .confirmation)
        self.directions = directions
        answer = expected
        return .answer(confirmation)
    }
}
