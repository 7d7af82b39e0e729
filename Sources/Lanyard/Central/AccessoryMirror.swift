// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What is shown of an accessory on any thread. The driver writes it, on its queue.
final class AccessoryMirror: Sendable {
    private struct Shown {
        var name: String?
        var change: AccessoryChange
        var hasEnded = false
        var writeLengths: [WriteKind: Int] = [:]
        var attempts: [AttemptRecord] = []
        var slots: OutOfConnectionSlots?
    }

    private struct Seen {
        var identity: AccessoryIdentity?
        weak var accessory: Accessory?
    }

    let description: AccessoryDescription
    /// Who hears of changes.
    let changes = Hub<AccessoryChange>()
    private let shown: Guarded<Shown>
    /// What the application has of it, as long as it has it.
    private let seen = Guarded(Seen())
    private let valueHubs = Guarded<[BluetoothID: Hub<Data>]>([:])

    init(
        _ description: AccessoryDescription,
        name: String?,
        beginningWith change: AccessoryChange
    ) {
        self.description = description
        shown = Guarded(Shown(name: name, change: change))
    }

    // MARK: For everybody

    var name: String? { shown.change { $0.name } }

    var change: AccessoryChange { shown.change { $0.change } }

    /// Whether no more will come: it was forgotten, or its central is gone.
    var hasEnded: Bool { shown.change { $0.hasEnded } }

    func events() -> Events<AccessoryChange> {
        changes.events { [self.change] }
    }

    func values(of characteristic: BluetoothID) -> Events<Data> {
        let hasEnded = hasEnded
        let hub = hub(for: characteristic)
        if hasEnded { hub.end() }
        return hub.events()
    }

    var attempts: [AttemptRecord] { shown.change { $0.attempts } }

    /// Who had all the slots when there was none for it the last time.
    var slots: OutOfConnectionSlots? { shown.change { $0.slots } }

    func maximumWriteLength(for kind: WriteKind) -> Int {
        shown.change { $0.writeLengths[kind] ?? 0 }
    }

    /// What an application has of it: one object, as long as somebody has that. Nil if it was never shown.
    func accessory(of life: CentralLife) -> Accessory? {
        seen.change { seen in
            if let accessory = seen.accessory { return accessory }
            let accessory = seen.identity.map { Accessory($0, self, of: life) }
            seen.accessory = accessory
            return accessory
        }
    }

    // MARK: For the driver

    /// Who it is, for the application.
    func show(as identity: AccessoryIdentity) {
        seen.change { $0.identity = identity }
    }

    func setName(_ name: String?) {
        shown.change { $0.name = name ?? $0.name }
    }

    func setWriteLengths(_ lengths: [WriteKind: Int]) {
        shown.change { $0.writeLengths = lengths }
    }

    func setSlots(_ slots: OutOfConnectionSlots) {
        shown.change { $0.slots = slots }
    }

    func setAttempts(_ attempts: [AttemptRecord]) {
        shown.change { $0.attempts = attempts }
    }

    /// Shows another state. False if somebody who listens had to lose an older change for it.
    @discardableResult
    func show(_ state: AccessoryState, _ reason: ChangeReason) -> Bool {
        changes.send {
            shown.change { shown in
                shown.change = AccessoryChange(state, reason, number: shown.change.number + 1)
                return shown.change
            }
        }
    }

    /// A value has come.
    @discardableResult
    func show(_ value: Data, of characteristic: BluetoothID) -> Bool {
        let hub = valueHubs.change { $0[characteristic] }
        return hub?.send { value } ?? true
    }

    /// No more comes.
    func end() {
        shown.change { $0.hasEnded = true }
        changes.end()
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
