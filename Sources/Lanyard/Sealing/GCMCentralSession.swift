// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The central's side of a `GCMSealing` session (``GCMSession``). It sends a greeting, and confirms
/// the answer of the peripheral. If the peripheral asks for another greeting, the central sends a
/// new one, and keeps its session until the answer arrives.
struct GCMCentralSession: RotatingSession {
    var keys: SealingKeyRing
    private(set) var sessionCount = 0
    /// Whether the app has requested new keys.
    private(set) var isRotating = false
    /// The greeting that was replaced or withdrawn before its answer arrived. The answer then has
    /// no effect.
    private var replaced: (random: Data, key: SealingKey)?
    /// The key of the unanswered greeting.
    private var greetingKey: SealingKey
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
        keys: SealingKeyRing,
        draw: @escaping @Sendable () -> Data = { RandomBytes.draw(GCMSession.randomLength) }
    ) {
        self.keys = keys
        self.draw = draw
        greetingKey = keys.current
        random = draw()
    }

    var greeting: Data? { random.map { GCMSession.greeting(greetingKey, central: $0) } }
    var isReady: Bool { directions != nil }

    mutating func seal(_ message: Data) throws(SealingError) -> Data {
        guard let sealed = try directions?.seal(message) else { throw .sessionNotReady }
        return sealed
    }

    mutating func open(_ sealed: Data) throws(SealingError) -> SealedArrival {
        switch GCMSession.kind(of: sealed) {
        case .answer: return try receive(answer: sealed)
        case .message: return .message(try openMessage(sealed))
        case .invitation: return .answer(try receive(invitation: sealed))
        case .greeting, .confirmation, nil: throw .refused
        }
    }

    private mutating func receive(answer frame: Data) throws(SealingError) -> SealedArrival {
        // The central may have sent its greeting twice. The peripheral then repeats its answer.
        if let answer, ConstantTime.equal(frame, answer) { return .nothing }
        guard let peripheral = GCMSession.random(in: frame) else { throw .refused }
        if let former = replaced,
            ConstantTime.equal(
                frame,
                GCMSession.answer(former.key, central: former.random, peripheral: peripheral)
            )
        {
            return .nothing
        }
        guard let random else { throw .refused }
        let key = greetingKey
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
        keys.rotate(to: key)
        sessionCount += 1
        isRotating = false
        return .answer(confirmation)
    }

    /// Returns a greeting with the key that the invitation names, or with the current key if it
    /// names none. If the app has requested new keys, returns the greeting of that request instead.
    private mutating func receive(invitation frame: Data) throws(SealingError) -> Data {
        let name = Data(frame.dropFirst())
        guard let key = name.isEmpty ? keys.current : keys.key(named: name) else { throw .refused }
        if !isRotating { prepareGreeting(key) }
        guard let greeting else { throw .refused }
        return greeting
    }

    /// Draws new random bytes, unless a greeting with this key is unanswered.
    private mutating func prepareGreeting(_ key: SealingKey) {
        guard random == nil || greetingKey != key else { return }
        replaceGreeting()
        (random, greetingKey) = (draw(), key)
    }

    mutating func rotate(to key: SealingKey?) {
        prepareGreeting(key ?? keys.current)
        isRotating = true
    }

    mutating func endRotation() {
        guard isRotating else { return }
        replaceGreeting()
        (random, greetingKey, isRotating) = (nil, keys.current, false)
    }

    /// Keeps a greeting that is unanswered, because its answer may still arrive.
    private mutating func replaceGreeting() {
        if let random { replaced = (random, greetingKey) }
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
