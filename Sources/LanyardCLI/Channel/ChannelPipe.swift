// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

/// Joins a channel with standard input and output, octet for octet, in both directions.
struct ChannelPipe: Sendable {
    /// What the pipe needs of a channel.
    protocol Channel: Sendable {
        /// The longest SDU that the peer takes, in octets.
        var sendLimit: Int { get async throws }
        func send(_ sdu: [UInt8]) async throws
        func receive() async throws -> [UInt8]?
        func close() async
    }

    /// The most octets that are read at once.
    private static let pieceLimit = 65_536

    let channel: any Channel
    /// At most so many octets of the input; nil at its end.
    let read: @Sendable (Int) async throws -> [UInt8]?
    let write: @Sendable ([UInt8]) async throws -> Void
    /// Whether to go on receiving until the peer closes the channel when the input has ended.
    let outlivesInput: Bool

    /// Runs until the input has ended and all of it has arrived, or the peer closes the channel.
    func run() async throws {
        do {
            try await FirstResult.of([
                { @Sendable in try await sendInput() },
                { @Sendable in try await writeOutput() },
            ])
        } catch {
            await channel.close()
            throw ProgramFailure(error, during: "moving data")
        }
    }

    private func sendInput() async throws {
        do {
            let limit = try await channel.sendLimit
            while let piece = try await read(min(limit, Self.pieceLimit)) {
                try await channel.send(piece)
            }
        } catch L2CAP.Failure.closedByPeer {
            // The output ends it, when it has written what came before.
            return await EndOfInput.never()
        }
        guard !outlivesInput else { return await EndOfInput.never() }
        await channel.close()
    }

    /// Returns when the peer has closed the channel. If this side does, `sendInput` knows better
    /// when it is over.
    private func writeOutput() async throws {
        while let sdu = try await channel.receive() { try await write(sdu) }
        do {
            _ = try await channel.sendLimit
        } catch L2CAP.Failure.closed {
            await EndOfInput.never()
        } catch {}
    }
}

extension L2CAPChannel: ChannelPipe.Channel {
    var sendLimit: Int {
        get async throws { try await properties.sendMTU }
    }
}
