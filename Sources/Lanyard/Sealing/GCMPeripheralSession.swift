// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The peripheral's side of a `GCMSealing` session: it answers greetings, and keeps its session
/// until the central has proved that it knows the keys of a new one.
struct GCMPeripheralSession: SealingSession {
    private struct Offer {
        let central: Data
        let answer: Data
        var directions: GCMDirections
    }

    /// The maximum number of greetings that the central has not yet confirmed. An attacker may
    /// replay recorded greetings between a genuine one and its confirmation, so the last greeting
    /// alone is not enough.
    static let offerLimit = 4

    private let key: SealingKey
    private let draw: @Sendable () -> Data
    /// The current session.
    private var directions: GCMDirections?
    /// The offered sessions, oldest first. One of them becomes current when the central uses it.
    private var offers: [Offer] = []

    init(
        key: SealingKey,
        draw: @escaping @Sendable () -> Data = { RandomBytes.draw(GCMSession.randomLength) }
    ) {
        self.key = key
        self.draw = draw
    }

    /// A request for a greeting, for a central whose greeting went to an earlier instance, as after
    /// a restart.
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

    /// Opens a message of the current session, or of an offered one, which then becomes current.
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
