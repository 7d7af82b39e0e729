// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A channel to an accessory: octets in both directions, in order, none of them lost while the link
/// lasts.
///
/// ```swift
/// let channel = try await accessory.openChannel(psm: 0x80)
/// try await channel.send(file)
/// while let octets = try await channel.receive() { store(octets) }
/// ```
///
/// To let go of it is to close it.
public final class ByteChannel: Sendable {
    /// The number under which the accessory has it.
    public let psm: UInt16
    let pipe: ChannelPipe
    /// The central of the link that it needs.
    private let life = Guarded<CentralLife?>(nil)

    init(_ pipe: ChannelPipe, psm: UInt16) {
        self.pipe = pipe
        self.psm = psm
    }

    deinit { pipe.close() }

    func keep(_ life: CentralLife) {
        self.life.change { $0 = life }
    }

    /// Sends octets, behind those that wait already. Returns when the system has taken the last of them.
    ///
    /// - Throws: `linkEnded` if the channel is closed before; `tooManyWrites`; `cancelled`.
    public func send(_ octets: Data) async throws(AccessoryError) {
        try await pipe.send(octets)
    }

    /// What came, as soon as there is something; nil at the end. As long as nobody asks, the
    /// accessory has to wait.
    ///
    /// - Throws: `linkEnded` if the link was lost; `cancelled`.
    public func receive() async throws(AccessoryError) -> Data? {
        try await pipe.receive()
    }

    /// Closes it. What was not sent by then is lost.
    public func close() { pipe.close() }
}
