// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import GRPCCore
import PandoraInterface
import Synchronization

/// The links that clients know, each with the number in its cookie.
final class Connections: Sendable {
    /// The maximum number of links. A further link displaces the oldest, whose cookie is then
    /// unknown.
    static let limit = 1_024

    private struct State {
        var links: [UInt64: Link] = [:]
        var numbers: [Link: UInt64] = [:]
        var last: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Returns the message for a link. The message of a link is the same until another link
    /// displaces the link.
    func message(for link: Link) -> Pandora_Connection {
        let number = state.withLock { state in
            if let known = state.numbers[link] { return known }
            state.last += 1
            (state.links[state.last], state.numbers[link]) = (link, state.last)
            if state.last > Self.limit,
                let oldest = state.links.removeValue(forKey: state.last - UInt64(Self.limit))
            {
                state.numbers[oldest] = nil
            }
            return state.last
        }
        return .with {
            $0.cookie.value = Data(
                (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
            )
        }
    }

    /// Returns the link of a message.
    ///
    /// - Throws: `RPCError` if the message is not from this session, or if its link was displaced.
    func link(of message: Pandora_Connection) throws -> Link {
        let bytes = message.cookie.value
        guard bytes.count == 8 else {
            throw RPCError.invalid("the cookie is not one of this server")
        }
        let number = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let link = state.withLock({ $0.links[number] }) else {
            throw RPCError(code: .notFound, message: "there is no connection with this cookie")
        }
        return link
    }
}
