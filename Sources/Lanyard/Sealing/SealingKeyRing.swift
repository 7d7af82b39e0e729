// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The permanent keys of one side of a channel: the key that the side uses, and the other keys to
/// which the sides may rotate.
struct SealingKeyRing: Equatable, Sendable {
    /// The maximum number of accepted keys; beyond it, the oldest is dropped.
    static let limit = 8

    /// The key that the side uses.
    private(set) var current: SealingKey
    /// The other keys that the side accepts, oldest first.
    private(set) var accepted: [SealingKey] = []

    init(_ current: SealingKey, accepting others: [SealingKey] = []) {
        self.current = current
        for key in others { accept(key) }
    }

    /// All keys; the current one is the first.
    var all: [SealingKey] { [current] + accepted }

    /// Accepts another key from now on. A key that is accepted already becomes the latest.
    mutating func accept(_ key: SealingKey) {
        guard key != current else { return }
        accepted = (accepted.filter { $0 != key } + [key]).suffix(Self.limit)
    }

    /// Makes a key the current one. The former one is not accepted any longer.
    mutating func rotate(to key: SealingKey) {
        guard key != current else { return }
        accepted.removeAll { $0 == key }
        current = key
    }

    /// Returns the key with this name; `nil` if there is none.
    func key(named name: Data) -> SealingKey? {
        all.first { GCMSession.name(of: $0) == name }
    }
}

/// A session whose keys can be replaced while it lasts.
protocol RotatingSession: SealingSession {
    /// The permanent keys, which the next link also uses.
    var keys: SealingKeyRing { get set }
    /// The number of times that this side has begun to use new session keys.
    var sessionCount: Int { get }
    /// Whether this side has requested new keys, and the other side has not confirmed them.
    var isRotating: Bool { get }

    /// Requests new session keys. `greeting` then returns the frame that must be sent, and sent
    /// again if no answer arrives.
    ///
    /// - Parameter key: The permanent key from which they are derived; `nil` for the current one.
    mutating func rotate(to key: SealingKey?)

    /// Withdraws the request. The session continues with its keys.
    mutating func endRotation()
}
