// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An L2CAP channel to an accessory: bytes in both directions, in order and without loss while the
/// link lasts.
///
/// ```swift
/// let channel = try await accessory.openChannel(psm: 0x80)
/// try await channel.send(file)
/// while let bytes = try await channel.receive() { store(bytes) }
/// ```
///
/// Releasing the object closes the channel.
public final class ByteChannel: Sendable {
    /// The number of the channel at the accessory.
    public let psm: UInt16
    let pipe: ByteChannelPipe
    /// The central that keeps the channel's link.
    private let lifetime = Locked<CentralLifetime?>(nil)

    init(_ pipe: ByteChannelPipe, psm: UInt16) {
        self.pipe = pipe
        self.psm = psm
    }

    deinit { pipe.close() }

    func keep(_ lifetime: CentralLifetime) {
        self.lifetime.change { $0 = lifetime }
    }

    /// Sends bytes, after those that already wait. Returns when the system has accepted the last
    /// byte. If the task is canceled earlier, a part of the bytes may have been sent.
    ///
    /// - Parameter bytes: The bytes to send.
    /// - Throws: ``AccessoryError/linkEnded`` if the channel is closed, or closes meanwhile;
    ///   ``AccessoryError/tooManyWrites(limit:)`` if 256 calls wait; ``AccessoryError/cancelled``.
    public func send(_ bytes: Data) async throws(AccessoryError) {
        try await pipe.send(bytes)
    }

    /// Receives the next bytes as soon as there are any. While the app does not call this method,
    /// flow control makes the accessory wait.
    ///
    /// - Returns: The received bytes, or `nil` at the end of the stream.
    /// - Throws: ``AccessoryError/linkEnded`` if the link was lost; ``AccessoryError/cancelled``.
    public func receive() async throws(AccessoryError) -> Data? {
        try await pipe.receive()
    }

    /// Closes the channel. Bytes that were not yet sent are lost.
    public func close() { pipe.close() }
}
