// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The peripheral's end of a session of `GCMSealing`: it answers greetings, and goes on with the session
/// that it has until the central has shown that it knows the new one's keys.
struct GCMPeripheralSession: SealingSession {
    private struct Offer {
        let central: Data
        let answer: Data
        var directions: GCMDirections
    }

    private let key: SealingKey
    private let draw: @Sendable () -> Data
    /// The session that is.
    private var directions: GCMDirections?
    /// The session that will be, once the central has used it.
    private var offer: Offer?

    init(
        key: SealingKey,
        draw: @escaping @Sendable () -> Data = { RandomBytes.draw(GCMSession.randomLength) }
    ) {
        self.key = key
        self.draw = draw
    }

    var greeting: Data? { nil }
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
        case .answer, nil: throw .refused
        }
    }

    private mutating func receive(greeting frame: Data) throws(SealingError) -> Data {
        guard let central = GCMSession.random(in: frame),
            ConstantTime.equal(frame, GCMSession.greeting(key, central: central))
        else { throw .refused }
        if let offer, offer.central == central { return offer.answer }
        let peripheral = draw()
        let answer = GCMSession.answer(key, central: central, peripheral: peripheral)
        offer = Offer(
            central: central,
            answer: answer,
            directions: GCMDirections(
                key,
                role: .peripheral,
                central: central,
                peripheral: peripheral
            )
        )
        return answer
    }

    /// Opens what is of the session that is, or else of the one that is offered.
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
        guard let message = try offer?.directions.open(frame) else { throw .refused }
        directions = offer?.directions
        offer = nil
        return message
    }
}
