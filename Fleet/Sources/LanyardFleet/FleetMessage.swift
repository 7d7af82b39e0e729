// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Lanyard

/// A message for the broker.
struct FleetMessage: Hashable, Sendable {
    /// The importance of a message when the queue is full.
    enum Kind: UInt8, Sendable {
        /// A value, a state or a discovery message. The queue may drop it.
        case event = 0
        /// An answer to a command. The queue never drops it.
        case answer = 1
    }

    var kind = Kind.event
    var topic: String
    var payload: String
    var isRetained = false
    /// The correlation data of the command that the message answers.
    var correlation: [UInt8]?

    /// The number of bytes that count toward the bound of the queue.
    var size: Int { topic.utf8.count + payload.utf8.count + (correlation?.count ?? 0) }
}

/// A message from the broker.
struct ReceivedMessage: Hashable, Sendable {
    var topic: String
    var payload: [UInt8]
    var isRetained = false
    /// The remaining message expiry interval in seconds; `nil` if the message has none.
    var expiry: Double?
    var responseTopic: String?
    var correlation: [UInt8]?
}

/// A reading of two clocks: the time for deadlines, in seconds of a clock that never goes back, and
/// the wall clock for timestamps, in seconds since 1970.
struct ClockReading: Sendable {
    var seconds: Double
    var timestamp: Double
}

extension JSON {
    /// Returns an object without the members that are `nil`.
    static func compacting(_ members: KeyValuePairs<String, JSON?>) -> JSON {
        .object(members.compactMap { key, value in value.map { Member(key, $0) } })
    }
}

extension BluetoothID {
    /// The UUID in its 128-bit form and in lower case, as in NIPC.
    var nipc: String {
        switch text.utf8.count {
        case 4: "0000\(text)-0000-1000-8000-00805f9b34fb".lowercased()
        case 8: "\(text)-0000-1000-8000-00805f9b34fb".lowercased()
        default: text.lowercased()
        }
    }
}

extension AccessoryState {
    /// The word for the state in messages.
    var word: String {
        switch self {
        case .ready: "ready"
        case .outOfRange: "out-of-range"
        case .idle: "idle"
        case .poweredOff, .waitingForBluetooth, .unauthorized, .unsupported: "no-bluetooth"
        case .scanning: "scanning"
        case .disconnecting: "disconnecting"
        case .restoring, .connecting, .discoveringServices, .discoveringCharacteristics,
            .subscribing, .connected:
            "connecting"
        }
    }
}
