// SPDX-License-Identifier: Apache-2.0

/// The accessories of a central, for any thread.
///
/// The list holds their snapshots and creates the app's objects on request. Those objects keep
/// the central alive, so the central's own objects must not hold them.
final class AccessoryList: Sendable {
    private struct Content {
        var snapshots: [AccessorySnapshot] = []
        weak var lifetime: CentralLifetime?
    }

    private let content = Locked(Content())
    private let hub = Hub<AccessoryListChange>()

    /// Sets the lifetime that the app holds.
    func begin(_ lifetime: CentralLifetime) {
        content.change { $0.lifetime = lifetime }
    }

    var accessories: [Accessory] {
        let (snapshots, lifetime) = content.change { ($0.snapshots, $0.lifetime) }
        return lifetime.map { lifetime in snapshots.compactMap { $0.accessory(of: lifetime) } }
            ?? []
    }

    func contains(_ snapshot: AccessorySnapshot) -> Bool {
        content.change { $0.snapshots.contains { $0 === snapshot } }
    }

    func events() -> Events<AccessoryListChange> {
        hub.events { self.accessories.map { .added($0) } }
    }

    func add(_ snapshot: AccessorySnapshot) {
        let lifetime = content.change { $0.lifetime }
        let accessory = lifetime.flatMap { snapshot.accessory(of: $0) }
        guard let accessory else { return content.change { $0.snapshots.append(snapshot) } }
        hub.send {
            content.change { $0.snapshots.append(snapshot) }
            return .added(accessory)
        }
    }

    func remove(_ snapshot: AccessorySnapshot) {
        let lifetime = content.change { $0.lifetime }
        let accessory = lifetime.flatMap { snapshot.accessory(of: $0) }
        guard let accessory else {
            return content.change { $0.snapshots.removeAll { $0 === snapshot } }
        }
        hub.send {
            content.change { $0.snapshots.removeAll { $0 === snapshot } }
            return .removed(accessory)
        }
    }

    /// Ends the sequences and removes all accessories.
    func end() {
        hub.end()
        content.change { $0.snapshots = [] }
    }
}
