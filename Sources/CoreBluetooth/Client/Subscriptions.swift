// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT

/// Which managers want which values of one peripheral unasked. The peripheral is told when the first of
/// them comes, and when the last one goes.
struct Subscriptions: Sendable {
    private struct Entry: Sendable {
        let characteristic: GATT.Characteristic
        let descriptor: AttributeHandle
        var sessions: [SessionIdentifier]
        /// Whether the peripheral has agreed.
        var isInForce = false
    }

    private var entries: [AttributeHandle: Entry] = [:]

    /// Who is to have a value that arrived. A peripheral may send the first before it has said that it
    /// agrees.
    func receivers(of value: AttributeHandle) -> [SessionIdentifier] {
        entries[value]?.sessions ?? []
    }

    /// Whether the peripheral sends the value.
    func isInForce(_ value: AttributeHandle) -> Bool { entries[value]?.isInForce == true }

    func contains(_ session: SessionIdentifier, _ value: AttributeHandle) -> Bool {
        entries[value]?.isInForce == true && receivers(of: value).contains(session)
    }

    /// Where the peripheral was told of it; nil if it was not.
    func descriptor(of value: AttributeHandle) -> AttributeHandle? { entries[value]?.descriptor }

    func isWanted(_ value: AttributeHandle) -> Bool { entries[value]?.sessions.isEmpty == false }

    /// The peripheral is about to be asked.
    mutating func begin(_ characteristic: GATT.Characteristic, by descriptor: AttributeHandle) {
        let value = characteristic.valueHandle
        guard entries[value] == nil else { return }
        entries[value] = Entry(
            characteristic: characteristic,
            descriptor: descriptor,
            sessions: []
        )
    }

    mutating func add(_ session: SessionIdentifier, to value: AttributeHandle) {
        guard entries[value]?.sessions.contains(session) == false else { return }
        entries[value]?.sessions.append(session)
    }

    mutating func agreed(_ value: AttributeHandle) {
        entries[value]?.isInForce = true
    }

    mutating func remove(_ session: SessionIdentifier, from value: AttributeHandle) {
        entries[value]?.sessions.removeAll { $0 == session }
    }

    /// A manager does not use the link any more. What nobody wants then.
    mutating func remove(_ session: SessionIdentifier) -> [GATT.Characteristic] {
        var unwanted: [GATT.Characteristic] = []
        for (value, entry) in entries.sorted(by: { $0.key < $1.key })
        where entry.sessions.contains(session) {
            remove(session, from: value)
            if !isWanted(value) { unwanted.append(entry.characteristic) }
        }
        return unwanted
    }

    /// The peripheral sends the value no more.
    mutating func end(_ value: AttributeHandle) {
        entries[value] = nil
    }

    /// What was in these ranges is no more.
    mutating func end(in ranges: [ClosedRange<AttributeHandle>]) {
        entries = entries.filter { value, _ in !ranges.contains { $0.contains(value) } }
    }
}

extension GATT.Characteristic {
    /// How its value can be had unasked: notified where there is a choice; nil if it cannot.
    var subscriptionKind: GATT.SubscriptionKind? {
        if properties.contains(.notify) { return .notification }
        return properties.contains(.indicate) ? .indication : nil
    }
}
