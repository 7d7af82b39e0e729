// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The peripheral's side of a `GCMSealing` session (``GCMSession``). It answers greetings. It keeps
/// its session until the central has proved that it knows the keys of a new session.
struct GCMPeripheralSession: RotatingSession {
    private struct Offer {
        let key: SealingKey
        let central: Data
        let answer: Data
        var directions: GCMDirections
    }

    /// The maximum number of greetings that the central has not yet confirmed. An attacker may
    /// replay recorded greetings between a genuine one and its confirmation, so the last greeting
    /// alone is not enough.
    static let offerLimit = 4

    var keys: SealingKeyRing
    private(set) var sessionCount = 0
    /// The name of the key in the invitation for new keys; empty for the current key, and `nil` if
    /// the app has requested none.
    private var requested: Data?
    private let draw: @Sendable () -> Data
    /// The current session.
    private var directions: GCMDirections?
    /// The offered sessions, oldest first. One of them becomes current when the central uses it.
    private var offers: [Offer] = []

    init(
        keys: SealingKeyRing,
        draw: @escaping @Sendable () -> Data = { RandomBytes.draw(GCMSession.randomLength) }
    ) {
        self.keys = keys
        self.draw = draw
    }

    /// An invitation, which asks the central for a greeting. There are two reasons to send one.
    /// Without a session, the central may have greeted an earlier process of this side. With a
    /// session, the app has requested new keys. `nil` if the session is ready and the app has
    /// requested none.
    var greeting: Data? {
        isReady ? requested.map { GCMSession.invitation + $0 } : GCMSession.invitation
    }
    var isRotating: Bool { requested != nil }
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
            let key = keys.all.first(where: { key in
                ConstantTime.equal(frame, GCMSession.greeting(key, central: central))
            })
        else { throw .refused }
        if let offer = offers.first(where: { $0.central == central && $0.key == key }) {
            return offer.answer
        }
        let peripheral = draw()
        let answer = GCMSession.answer(key, central: central, peripheral: peripheral)
        let directions = GCMDirections(
            key,
            role: .peripheral,
            central: central,
            peripheral: peripheral
        )
        offers.append(
            Offer(key: key, central: central, answer: answer, directions: directions)
        )
        offers = offers.suffix(Self.offerLimit)
        return answer
    }

    /// Handles the first use of an offered session.
    private mutating func confirmed(_ key: SealingKey) {
        sessionCount += 1
        keys.rotate(to: key)
        guard let name = requested, name.isEmpty || name == GCMSession.name(of: key) else { return }
        requested = nil
    }

    mutating func rotate(to key: SealingKey?) {
        requested = key.map { $0 == keys.current ? Data() : GCMSession.name(of: $0) } ?? Data()
        if let key { keys.accept(key) }
    }

    mutating func endRotation() { requested = nil }

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
            confirmed(offer.key)
            return message
        }
        throw .refused
    }
}
