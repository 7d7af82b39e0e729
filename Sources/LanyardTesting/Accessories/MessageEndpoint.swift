// SPDX-License-Identifier: Apache-2.0

import Foundation
import HCITransports
import Lanyard

/// The definition of a service that exchanges messages.
struct VirtualMessages: Sendable {
    /// The characteristic that the phone writes.
    var input: BluetoothID
    /// The characteristic that sends messages to the phone.
    var output: BluetoothID
    var options: MessageChannelOptions
    /// A closure that returns the answer to a message; `nil` for none.
    var answer: @Sendable (Data) -> Data?
}

/// The accessory's end of a message service: it joins the parts of messages, opens sealed messages,
/// and seals and frames the messages of the accessory. Each accessory has its own.
final class MessageEndpoint: Sendable {
    /// The maximum number of messages that wait for the session of a sealing; beyond it, the oldest
    /// are dropped.
    static let waitingLimit = 64

    private struct State {
        var wire: MessageWire
        /// The number of the link to which the state belongs; `nil` before the first link and after
        /// a restart.
        var link: Int?
        var waiting: [Data] = []

        /// Discards the state of an earlier link.
        mutating func begin(_ link: Int) {
            guard self.link != link else { return }
            (self.link, waiting) = (link, [])
            wire.link()
        }

        /// Returns the frame of a message; empty if the message waits or cannot be framed.
        mutating func frame(_ message: Data) -> Data {
            guard wire.isReady else {
                waiting = (waiting + [message]).suffix(MessageEndpoint.waitingLimit)
                return Data()
            }
            return (try? wire.encode(message)) ?? Data()
        }

        /// Returns the frames of the messages that waited for the session.
        mutating func flush() -> Data {
            guard wire.isReady, !waiting.isEmpty else { return Data() }
            defer { waiting = [] }
            return waiting.reduce(into: Data()) { $0 += (try? wire.encode($1)) ?? Data() }
        }
    }

    let definition: VirtualMessages
    private let state: Lock<State>

    init(_ definition: VirtualMessages) {
        self.definition = definition
        state = Lock(State(wire: MessageWire(definition.options, as: .peripheral)))
    }

    /// Takes a part of a message from the phone.
    ///
    /// - Parameter link: The number of the link.
    /// - Returns: The bytes to send.
    func receive(_ part: [UInt8], link: Int) -> [UInt8] {
        state.withLock { state in
            state.begin(link)
            var out = Data()
            for arrival in state.wire.receive(Data(part)) {
                switch arrival {
                case .message(let message):
                    if let answer = definition.answer(message) { out += state.frame(answer) }
                case .reply(let frame): out += frame
                case .report: break
                }
                out += state.flush()
            }
            return [UInt8](out)
        }
    }

    /// Returns the bytes to send for a message of the accessory; none if the message waits for the
    /// session of the sealing, or cannot be framed.
    func push(_ message: Data, link: Int) -> [UInt8] {
        state.withLock { state in
            state.begin(link)
            return [UInt8](state.frame(message))
        }
    }

    /// Discards all state, because the accessory was switched off.
    func restart() {
        state.withLock { ($0.link, $0.waiting) = (nil, []) }
    }
}

/// The message endpoints of an accessory, by service.
final class MessageEndpoints: Sendable {
    private let endpoints = Lock<[BluetoothID: MessageEndpoint]>([:])

    subscript(service: BluetoothID) -> MessageEndpoint? { endpoints.withLock { $0[service] } }

    /// Adds an endpoint, which replaces an earlier endpoint of the same service.
    func add(_ endpoint: MessageEndpoint, of service: BluetoothID) {
        endpoints.withLock { $0[service] = endpoint }
    }

    /// Discards the state of all endpoints, because the accessory was switched off.
    func restart() {
        for endpoint in endpoints.withLock({ Array($0.values) }) { endpoint.restart() }
    }
}
