// SPDX-License-Identifier: Apache-2.0

import BluetoothL2CAP

/// Names one listener for as long as the host lives: numbers are listened for again.
package struct ListenerKey: Hashable, Sendable {
    package let spsm: L2CAP.SPSM
    let serial: UInt64
}

/// Who listens for channels, and which were opened that nobody has accepted yet.
struct ListenerTable: Sendable {
    /// How many listeners a host can have.
    static let limit = 256

    /// One listener.
    struct Listener: Sendable {
        let key: ListenerKey
        let terms: ListenerTerms
        /// How many channels may wait to be accepted; another is refused.
        let backlogLimit: Int
        var backlog: [ChannelNumber] = []
        /// Who waits for a channel.
        var acceptor: RequestIdentifier?
    }

    private var listeners: [L2CAP.SPSM: Listener] = [:]
    private var lastSerial: UInt64 = 0

    subscript(spsm: L2CAP.SPSM) -> Listener? {
        get { listeners[spsm] }
        _modify { yield &listeners[spsm] }
    }

    /// The listener with this key, if it is still there.
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

    /// A number that nobody listens for, of those that a host may give out.
    var freeNumber: L2CAP.SPSM? {
        L2CAP.SPSM.dynamicRange.lazy.map { L2CAP.SPSM(rawValue: $0) }
            .first { listeners[$0] == nil }
    }

    /// On what terms channels are given now.
    var terms: [L2CAP.SPSM: ListenerTerms] {
        listeners.mapValues { listener in
            var terms = listener.terms
            terms.room = max(0, listener.backlogLimit - listener.backlog.count)
            return terms
        }
    }

    /// All that wait for a channel.
    var acceptors: [RequestIdentifier] { listeners.values.compactMap(\.acceptor) }

    mutating func removeAll() {
        listeners = [:]
    }
}
