// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The state of an accessory that other threads read. The driver writes it on its queue.
final class AccessorySnapshot: Sendable {
    fileprivate struct Shown {
        var deviceName: String?
        var givenName: String?
        var notes: [String: String] = [:]
        var change: AccessoryChange
        /// The time at which the accessory stopped being ready. The next change to `ready` reports
        /// the duration since then. `nil` if the accessory was never ready, is ready, or has been
        /// idle or disconnecting since.
        var lostAt: Duration?
        var hasEnded = false
        var writeLengths: [WriteKind: Int] = [:]
        var attempts: [AttemptRecord] = []
        var slots: OutOfConnectionSlots?
        var hasTimedOut = false
        var lacking: Set<BluetoothID> = []

        var name: String? { givenName ?? deviceName }
    }

    private struct Seen {
        var identity: AccessoryIdentity?
        weak var accessory: Accessory?
    }

    let description: AccessoryDescription
    /// The subscribers to changes of the state.
    let changes = Hub<AccessoryChange>()
    /// The subscribers to changes of the name.
    let names = Hub<String?>()
    private let shown: Locked<Shown>
    /// The identity that the app sees, and the app's object as long as the app holds it.
    private let seen = Locked(Seen())
    private let valueHubs = Locked<[BluetoothID: Hub<Data>]>([:])

    init(
        _ description: AccessoryDescription,
        name: String?,
        beginningWith change: AccessoryChange
    ) {
        self.description = description
        shown = Locked(Shown(deviceName: name, change: change))
    }

    // MARK: For all threads

    /// The name that a person gave the accessory, or else the name of the device.
    var name: String? { shown.change { $0.name } }

    /// The name of the device.
    var deviceName: String? { shown.change { $0.deviceName } }

    /// The name that a person gave the accessory; `nil` if there is none.
    var givenName: String? { shown.change { $0.givenName } }

    /// Sets the name that a person gave the accessory; `nil` for none.
    func setGivenName(_ name: String?) { changeNames { $0.givenName = name } }

    /// The additional data of the app.
    var notes: [String: String] { shown.change { $0.notes } }

    func changeNotes(_ change: (inout [String: String]) -> Void) {
        shown.change { change(&$0.notes) }
    }

    private func changeNames(_ change: (inout Shown) -> Void) {
        let isNew = shown.change { shown in
            let former = shown.name
            change(&shown)
            return shown.name != former
        }
        if isNew { names.send { self.name } }
    }

    var change: AccessoryChange { shown.change { $0.change } }

    /// Whether no more events follow, because the accessory was forgotten or its central has ended.
    var hasEnded: Bool { shown.change { $0.hasEnded } }

    func events() -> Events<AccessoryChange> {
        changes.events { [self.change] }
    }

    func values(of characteristic: BluetoothID) -> Events<Data> {
        // `end()` sets `hasEnded` before it ends the hubs. A hub that it does not find is therefore
        // ended here.
        let hub = hub(for: characteristic)
        if hasEnded { hub.end() }
        return hub.events()
    }

    /// Returns whether the accessory lacks a declared characteristic, as far as its latest
    /// discovery shows.
    func lacks(_ characteristic: BluetoothID) -> Bool {
        shown.change { $0.lacking.contains(characteristic) }
    }

    var attempts: [AttemptRecord] { shown.change { $0.attempts } }

    /// The use of the connection slots when the accessory last had to wait for one.
    var slots: OutOfConnectionSlots? { shown.change { $0.slots } }

    /// Whether the first pairing took longer than its total limit.
    var hasTimedOut: Bool { shown.change { $0.hasTimedOut } }

    func maximumWriteLength(for kind: WriteKind) -> Int {
        shown.change { $0.writeLengths[kind] ?? 0 }
    }

    /// Returns the object that represents the accessory to the app: the same one as long as the app
    /// holds it; `nil` before `show(as:)` has set an identity.
    func accessory(of lifetime: CentralLifetime) -> Accessory? {
        seen.change { seen in
            if let accessory = seen.accessory { return accessory }
            let accessory = seen.identity.map { Accessory($0, self, of: lifetime) }
            seen.accessory = accessory
            return accessory
        }
    }

    // MARK: For the driver

    /// Sets the identity that the app sees.
    func show(as identity: AccessoryIdentity) {
        seen.change { $0.identity = identity }
    }

    /// Sets the name of the device, unless it is `nil`.
    func setDeviceName(_ name: String?) {
        changeNames { $0.deviceName = name ?? $0.deviceName }
    }

    func setWriteLengths(_ lengths: [WriteKind: Int]) {
        shown.change { $0.writeLengths = lengths }
    }

    /// Sets the declared characteristics that the accessory lacks, and ends the sequences of their
    /// values, which would never arrive.
    func setLacking(_ lacking: Set<BluetoothID>) {
        shown.change { $0.lacking = lacking }
        let hubs = valueHubs.change { hubs in lacking.compactMap { hubs[$0] } }
        for hub in hubs { hub.endSequences() }
    }

    func setSlots(_ slots: OutOfConnectionSlots) {
        shown.change { $0.slots = slots }
    }

    func setTimedOut() {
        shown.change { $0.hasTimedOut = true }
    }

    func setAttempts(_ attempts: [AttemptRecord]) {
        shown.change { $0.attempts = attempts }
    }

    /// Shows another state. Returns `false` if a slow subscriber lost an older change.
    @discardableResult
    func show(_ state: AccessoryState, _ reason: ChangeReason, now: Duration) -> Bool {
        changes.send {
            shown.change { shown in
                let gap = shown.gap(before: state, now: now)
                shown.change = AccessoryChange(
                    state,
                    reason,
                    number: shown.change.number + 1,
                    gap: gap
                )
                return shown.change
            }
        }
    }

    /// Passes on a received value. Returns `false` if a slow subscriber lost an older one.
    @discardableResult
    func show(_ value: Data, of characteristic: BluetoothID) -> Bool {
        let hub = valueHubs.change { $0[characteristic] }
        return hub?.send { value } ?? true
    }

    /// Ends all sequences of this accessory.
    func end() {
        shown.change { $0.hasEnded = true }
        changes.end()
        names.end()
        for hub in valueHubs.change({ Array($0.values) }) { hub.end() }
    }

    private func hub(for characteristic: BluetoothID) -> Hub<Data> {
        valueHubs.change { hubs in
            if let hub = hubs[characteristic] { return hub }
            let hub = Hub<Data>()
            hubs[characteristic] = hub
            return hub
        }
    }
}

extension AccessorySnapshot.Shown {
    /// Records a new state. Returns the time since `lostAt` if the state is `ready` again.
    fileprivate mutating func gap(before state: AccessoryState, now: Duration) -> Duration? {
        switch state {
        case .ready:
            defer { lostAt = nil }
            return change.state == .ready ? nil : lostAt.map { now - $0 }
        case .idle, .disconnecting: lostAt = nil
        default: if change.state == .ready { lostAt = now }
        }
        return nil
    }
}
