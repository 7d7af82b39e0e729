// SPDX-License-Identifier: Apache-2.0

import BluetoothL2CAP
import BluetoothTypes

/// The identifier of a listener, unique for the lifetime of the host. The serial number tells apart
/// listeners that use the same SPSM one after another.
package struct ListenerKey: Hashable, Sendable {
    package let spsm: L2CAP.SPSM
    let serial: UInt64
}

/// The listeners for channels, and the channels that the application has not accepted yet.
struct ListenerTable: Sendable {
    /// The maximum number of listeners of a host.
    static let limit = 256

    struct Listener: Sendable {
        let key: ListenerKey
        let terms: ListenerTerms
        /// The maximum number of channels that wait to be accepted. Further channels are refused.
        let backlogLimit: Int
        var backlog: [ChannelNumber] = []
        /// The request that awaits a channel.
        var acceptor: RequestIdentifier?
    }

    private var listeners: [L2CAP.SPSM: Listener] = [:]
    private var lastSerial: UInt64 = 0

    subscript(spsm: L2CAP.SPSM) -> Listener? {
        get { listeners[spsm] }
        _modify { yield &listeners[spsm] }
    }

    /// The listener with this key, or `nil` if it has ended.
    subscript(key: ListenerKey) -> Listener? {
        listeners[key.spsm].flatMap { $0.key == key ? $0 : nil }
    }

    mutating func add(
        _ spsm: L2CAP.SPSM,
        _ terms: ListenerTerms,
        backlogLimit: Int
    ) -> ListenerKey {
        lastSerial += 1
        let key = ListenerKey(spsm: spsm, serial: lastSerial)
        listeners[spsm] = Listener(key: key, terms: terms, backlogLimit: backlogLimit)
        return key
    }

    var isFull: Bool { listeners.count >= Self.limit }

    /// An SPSM without a listener, from the range that a host may choose from.
    var freeNumber: L2CAP.SPSM? {
        L2CAP.SPSM.dynamicRange.lazy.map { L2CAP.SPSM(rawValue: $0) }
            .first { listeners[$0] == nil }
    }

    /// The terms of the listeners. Their `freeChannelCount` is the number of channels that still
    /// fit into the backlog.
    var terms: [L2CAP.SPSM: ListenerTerms] {
        listeners.mapValues { listener in
            var terms = listener.terms
            terms.freeChannelCount = max(0, listener.backlogLimit - listener.backlog.count)
            return terms
        }
    }

    /// The requests that await a channel.
    var acceptors: [RequestIdentifier] { listeners.values.compactMap(\.acceptor) }

    /// Removes the channels that meet a condition from all backlogs.
    mutating func forget(where isForgotten: (ChannelNumber) -> Bool) {
        for spsm in listeners.keys { listeners[spsm]?.backlog.removeAll(where: isForgotten) }
    }

    mutating func removeAll() {
        listeners = [:]
    }
}
