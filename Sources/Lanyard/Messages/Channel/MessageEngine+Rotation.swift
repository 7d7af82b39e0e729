// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

// The replacement of the session keys on an open link.
extension MessageEngine {
    /// A call that waits for new keys.
    struct Rotation {
        let number: Int
        let finish: @Sendable (Result<Void, MessageError>) -> Void
    }

    func accept(_ key: SealingKey) {
        wire.accept(key)
    }

    /// Requests new keys. The request is repeated like a greeting.
    func begin(_ rotation: Rotation, to key: SealingKey?) {
        dispatchPrecondition(condition: .onQueue(transport.queue))
        do throws(MessageError) {
            guard !hasEnded else { throw .closed }
            guard isLinked else { throw .disconnected }
            guard self.rotation == nil else { throw .sealing("another rotation is under way") }
            try wire.beginRotation(to: key)
        } catch {
            return rotation.finish(.failure(error))
        }
        self.rotation = rotation
        restartGreetings()
        pump()
    }

    func cancelRotation(_ number: Int) {
        guard rotation?.number == number else { return }
        endRotation(.cancelled)
    }

    /// Withdraws the request for new keys, if there is one.
    func endRotation(_ error: MessageError) {
        guard let rotation else { return }
        self.rotation = nil
        wire.endRotation()
        rotation.finish(.failure(error))
    }

    /// Reports new session keys if received frames have changed them, and ends the call that waits
    /// for them.
    ///
    /// - Parameter sessions: The value of `wire.sessionCount` before these frames were received.
    func keysChanged(since sessions: Int) {
        // The first session of a link is not a rotation.
        if sessions > 0, wire.sessionCount > sessions { report(.keysRotated) }
        guard let rotation, !wire.isRotating else { return }
        self.rotation = nil
        rotation.finish(.success(()))
    }
}
