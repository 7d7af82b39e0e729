// SPDX-License-Identifier: Apache-2.0

/// The accessories of a central, for any thread.
///
/// The roster holds their snapshots and creates the app's objects on request. Those objects keep
/// the central alive, so the central's own objects must not hold them.
final class Roster: Sendable {
    private struct Shown {
        var mirrors: [AccessoryMirror] = []
        weak var life: CentralLife?
    }

    private let shown = Guarded(Shown())
    private let hub = Hub<AccessoryListChange>()

    /// Sets the lifetime that the app holds.
    func begin(_ life: CentralLife) {
        shown.change { $0.life = life }
    }

    var accessories: [Accessory] {
        let (mirrors, life) = shown.change { ($0.mirrors, $0.life) }
        return life.map { life in mirrors.compactMap { $0.accessory(of: life) } } ?? []
    }

    func has(_ mirror: AccessoryMirror) -> Bool {
        shown.change { $0.mirrors.contains { $0 === mirror } }
    }

    func events() -> Events<AccessoryListChange> {
        hub.events { self.accessories.map { .added($0) } }
    }

    func add(_ mirror: AccessoryMirror) {
        let life = shown.change { $0.life }
        let accessory = life.flatMap { mirror.accessory(of: $0) }
        guard let accessory else { return shown.change { $0.mirrors.append(mirror) } }
        hub.send {
            shown.change { $0.mirrors.append(mirror) }
            return .added(accessory)
        }
    }

    func remove(_ mirror: AccessoryMirror) {
        let life = shown.change { $0.life }
        let accessory = life.flatMap { mirror.accessory(of: $0) }
        guard let accessory else {
            return shown.change { $0.mirrors.removeAll { $0 === mirror } }
        }
        hub.send {
            shown.change { $0.mirrors.removeAll { $0 === mirror } }
            return .removed(accessory)
        }
    }

    /// Ends the sequences and removes all accessories.
    func end() {
        hub.end()
        shown.change { $0.mirrors = [] }
    }
}
