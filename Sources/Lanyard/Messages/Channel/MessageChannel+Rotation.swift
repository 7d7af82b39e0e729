// SPDX-License-Identifier: Apache-2.0

import Foundation

extension MessageChannel {
    // MARK: Replacing keys

    /// Permits the other side to rotate to another permanent key, on this link and on later ones.
    /// The channel keeps the eight latest permitted keys, including those of
    /// ``GCMSealing/init(key:accepting:)``.
    ///
    /// - Parameter key: The key.
    /// - Throws: ``MessageError/sealing(_:)`` if the channel is not sealed with ``GCMSealing``.
    public func acceptKey(_ key: SealingKey) throws(MessageError) {
        guard engine.options.sealing is GCMSealing else {
            throw .sealing(SealingError.cannotRotate.description)
        }
        engine.perform { $0.accept(key) }
    }

    /// Replaces the keys of the session while the link lasts. Messages continue in both directions,
    /// and none is lost. Either side can begin.
    ///
    /// ```swift
    /// try gateway.acceptKey(next)  // at the other side, first
    /// try await channel.rotateKeys(to: next)
    /// ```
    ///
    /// Without a key, both sides derive new session keys from their permanent key. With a key, they
    /// derive the session keys from that key. It replaces the permanent key, even on later links,
    /// and the former permanent key is refused. Store a new key at both sides before you rotate to
    /// it, because the channel does not store it.
    ///
    /// The call returns when both sides have agreed on the new keys. If it throws, the channel
    /// continues with the former keys. If the peripheral called the method, however, a late answer
    /// of the central still changes the keys of both sides. ``MessageChannelEvent/keysRotated``
    /// reports the rotation at both sides.
    ///
    /// - Parameter key: The new permanent key, which the other side accepts already (see
    ///   ``acceptKey(_:)``); `nil` for the current one.
    /// - Throws: ``MessageError/sealing(_:)`` if the channel is not sealed with ``GCMSealing``, if
    ///   its session has not begun, if another rotation of this side is under way, or if the other
    ///   side does not answer within ten seconds, for example because it does not accept the key;
    ///   ``MessageError/disconnected`` without a link or if it ends; ``MessageError/closed``;
    ///   ``MessageError/cancelled``.
    public func rotateKeys(to key: SealingKey? = nil) async throws(MessageError) {
        let number = engine.newNumber()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = Task.isCancelled
                let rotation = MessageEngine.Rotation(number: number) {
                    continuation.resume(returning: $0)
                }
                engine.perform { engine in
                    guard !isCancelled else { return rotation.finish(.failure(.cancelled)) }
                    engine.begin(rotation, to: key)
                }
                // If the task was canceled before `perform`, the cancellation handler found no
                // rotation.
                if !isCancelled, Task.isCancelled { engine.perform { $0.cancelRotation(number) } }
            }
        } onCancel: {
            engine.perform { $0.cancelRotation(number) }
        }
        try result.get()
    }
}
