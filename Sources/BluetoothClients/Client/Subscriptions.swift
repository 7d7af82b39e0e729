// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// The managers' subscriptions to the values of one peripheral. The peripheral gets a request when
/// the first manager subscribes to a value, and when the last one unsubscribes.
struct Subscriptions: Sendable {
    private struct Entry: Sendable {
        let characteristic: GATT.Characteristic
        let descriptor: AttributeHandle
        var sessions: [SessionIdentifier]
        /// Whether the peripheral confirmed the subscription.
        var isInForce = false
    }

    private var entries: [AttributeHandle: Entry] = [:]

    /// Returns the managers that get a value. The peripheral may send the first value before it
    /// confirms the subscription.
    func receivers(of value: AttributeHandle) -> [SessionIdentifier] {
        entries[value]?.sessions ?? []
    }

    /// Returns whether the peripheral confirmed a subscription to the value.
    func isInForce(_ value: AttributeHandle) -> Bool { entries[value]?.isInForce == true }

    func contains(_ session: SessionIdentifier, _ value: AttributeHandle) -> Bool {
        entries[value]?.isInForce == true && receivers(of: value).contains(session)
    }

    /// Returns the Client Characteristic Configuration descriptor that was written for a value;
    /// `nil` if there is no subscription.
    func descriptor(of value: AttributeHandle) -> AttributeHandle? { entries[value]?.descriptor }

    func isRequested(_ value: AttributeHandle) -> Bool { entries[value]?.sessions.isEmpty == false }

    /// Adds a subscription before its request is sent.
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

    /// Adds a manager to all subscriptions of another one.
    mutating func share(from session: SessionIdentifier, with other: SessionIdentifier) {
        for (value, entry) in entries where entry.sessions.contains(session) {
            add(other, to: value)
        }
    }

    mutating func agreed(_ value: AttributeHandle) {
        entries[value]?.isInForce = true
    }

    mutating func remove(_ session: SessionIdentifier, from value: AttributeHandle) {
        entries[value]?.sessions.removeAll { $0 == session }
    }

    /// Removes a manager that no longer uses the link. Returns the characteristics that no other
    /// manager is subscribed to.
    mutating func remove(_ session: SessionIdentifier) -> [GATT.Characteristic] {
        var unwanted: [GATT.Characteristic] = []
        for (value, entry) in entries.sorted(by: { $0.key < $1.key })
        where entry.sessions.contains(session) {
            remove(session, from: value)
            if !isRequested(value) { unwanted.append(entry.characteristic) }
        }
        return unwanted
    }

    /// Removes a subscription that ended.
    mutating func end(_ value: AttributeHandle) {
        entries[value] = nil
    }

    /// Removes the subscriptions to values in these ranges, which no longer exist.
    mutating func end(in ranges: [ClosedRange<AttributeHandle>]) {
        entries = entries.filter { value, _ in !ranges.contains { $0.contains(value) } }
    }
}
