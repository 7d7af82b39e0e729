// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The peripheral's end of a session of `GCMSealing`: it answers greetings, and goes on with the session
/// that it has until the central has shown that it knows a new one's keys.
struct GCMPeripheralSession: SealingSession {
    private struct Offer {
        let central: Data
        let answer: Data
        var directions: GCMDirections
    }

    /// How many greetings are remembered that the central has not followed up. Somebody may send
    /// recorded ones between the true one and what follows it, so the last alone is not enough.
    static let offerLimit = 4

    private let key: SealingKey
    private let draw: @Sendable () -> Data
    /// The session that is.
    private var directions: GCMDirections?
    /// The sessions of which one will be, once the central has used it; the last offered is the last.
    private var offers: [Offer] = []

    init(
        key: SealingKey,
        draw: @escaping @Sendable () -> Data = { RandomBytes.draw(GCMSession.randomLength) }
    ) {
        self.key = key
        self.draw = draw
    }

    /// Asks to be greeted: for a central that has greeted an end that is no more, as after a restart.
    var greeting: Data? { isReady ? nil : GCMSession.invitation }
    var isReady: Bool { directions != nil }

    mutating func seal(_ message: Data) throws(SealingError) -> Data {
        guard let sealed = try directions?.seal(message) else { throw .sessionNotReady }
        return sealed
    }

    mutating func open(_ sealed: Data) throws(SealingError) -> SealedArrival {
        switch GCMSession.kind(of: sealed) {
        case .greeting: return .answer(try receive(greeting: sealed))
        case .message: return .message(try openMessage(sealed))
        case .confirmation:
            _ = try openMessage(sealed)
            return .nothing
        case .answer, .invitation, nil: throw .refused
        }
    }

    private mutating func receive(greeting frame: Data) throws(SealingError) -> Data {
        guard let central = GCMSession.random(in: frame),
            ConstantTime.equal(frame, GCMSession.greeting(key, central: central))
        else { throw .refused }
        if let offer = offers.first(where: { $0.central == central }) { return offer.answer }
        let peripheral = draw()
        let answer = GCMSession.answer(key, central: central, peripheral: peripheral)
        let directions = GCMDirections(
            key,
            role: .peripheral,
            central: central,
            peripheral: peripheral
        )
        offers.append(Offer(central: central, answer: answer, directions: directions))
        offers = offers.suffix(Self.offerLimit)
        return answer
    }

    /// Opens what is of the session that is, or else of one that is offered, which it is then.
    private mutating func openMessage(_ frame: Data) throws(SealingError) -> Data {
        if var current = directions {
            do {
                let message = try current.open(frame)
                directions = current
                return message
            } catch {
                guard error == .refused else { throw error }
            }
        }
        for offer in offers.reversed() {
            var offered = offer.directions
            guard let message = try? offered.open(frame) else { continue }
            (directions, offers) = (offered, [])
            return message
        }
        throw .refused
    }
}
