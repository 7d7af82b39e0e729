// SPDX-License-Identifier: Apache-2.0

/// The accessories that a central has, as shown on any thread.
final class Roster: Sendable {
    private let shown = Guarded<[Accessory]>([])
    private let hub = Hub<AccessoryListChange>()

    var accessories: [Accessory] { shown.change { $0 } }

    func accessory(_ mirror: AccessoryMirror) -> Accessory? {
        accessories.first { $0.mirror === mirror }
    }

    func events() -> Events<AccessoryListChange> {
        hub.events { self.accessories.map { .added($0) } }
    }

    func add(_ accessory: Accessory) {
        hub.send {
            shown.change { $0.append(accessory) }
            return .added(accessory)
        }
    }

    func remove(_ accessory: Accessory) {
        hub.send {
            shown.change { $0.removeAll { $0 === accessory } }
            return .removed(accessory)
        }
    }

    /// Nothing more comes; what there is stays to be seen, unless its accessories are let go of.
    func end() {
        hub.end()
        let accessories = shown.change { shown in
            defer { shown = [] }
            return shown
        }
        withExtendedLifetime(accessories) {}
    }
}
