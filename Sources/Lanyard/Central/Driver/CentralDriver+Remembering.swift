// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

// Accessories that are remembered across launches.

extension CentralDriver {
    /// Creates the accessories that the store contains. The initializer calls this so that the
    /// app sees them at once.
    func recallAccessories() {
        do {
            let found = try store.load()
            for setAside in found.setAside {
                log.warning("The store set something aside: \(setAside.reason)")
            }
            for accessory in found.accessories { recall(accessory) }
            backlog.isUnread = false
        } catch {
            backlog.isUnread = true
            storeFailed("could not be read", error)
        }
    }

    private func recall(_ remembered: RememberedAccessory) {
        let description = descriptions.first { $0.kind == remembered.kind }
        guard keeper(of: remembered.identity) == nil else { return }
        guard let description, keepers.count < Self.accessoryLimit else {
            log.notice("\(remembered.identity) is remembered, and is of no kind that is described")
            return
        }
        let mirror = AccessoryMirror(
            description,
            name: remembered.name,
            beginningWith: AccessoryChange(.waitingForBluetooth, .remembered)
        )
        let keeper = makeKeeper(description, mirror, isRemembered: true)
        keeper.identity = remembered.identity
        keeper.remembered = remembered
        let identity = remembered.identity
        _ = identities.adopt(remembered.systemIdentifier, as: identity, now: now)
        show(keeper, as: identity)
    }

    /// Requests a connection to every remembered accessory, at launch.
    func wishForRemembered() {
        for keeper in keepers { feed(.wished(.connect), to: keeper) }
    }

    func makeKeeper(
        _ description: AccessoryDescription,
        _ mirror: AccessoryMirror,
        isRemembered: Bool
    ) -> AccessoryKeeper {
        let keeper = AccessoryKeeper(
            number: nextNumber(),
            description,
            mirror: mirror,
            isRemembered: isRemembered
        )
        keepers.append(keeper)
        return keeper
    }

    func keeper(of identity: AccessoryIdentity) -> AccessoryKeeper? {
        keepers.first { $0.identity == identity }
    }

    /// Returns the record that belongs to a snapshot of the app. The accessory's identity may have
    /// changed since the app received the snapshot.
    func keeper(with mirror: AccessoryMirror) -> AccessoryKeeper? {
        keepers.first { $0.mirror === mirror }
    }

    private func show(_ keeper: AccessoryKeeper, as identity: AccessoryIdentity) {
        keeper.mirror.show(as: identity)
        keeper.isShown = true
        roster.add(keeper.mirror)
    }

    // MARK: Saving

    /// Saves the accessory, which is usable now, and shows it to the app.
    func save(_ peripheral: CBPeripheral, _ keeper: AccessoryKeeper) {
        let identity = keeper.identity ?? .system(peripheral.identifier)
        let date = Date()
        var remembered =
            keeper.remembered
            ?? RememberedAccessory(
                identity: identity,
                systemIdentifier: peripheral.identifier,
                kind: keeper.description.kind,
                rememberedSince: date
            )
        remembered.systemIdentifier = peripheral.identifier
        remembered.name = keeper.mirror.name
        remembered.lastReady = date
        keeper.remembered = remembered
        remember(remembered)
        if !keeper.isShown { show(keeper, as: identity) }
    }

    func erase(_ keeper: AccessoryKeeper) {
        // The store knows the accessory under the identity with which it was remembered.
        guard let identity = keeper.remembered?.identity ?? keeper.identity else { return }
        keeper.remembered = nil
        forget(identity)
    }

    // MARK: Restoration

    /// Restores the peripherals that the system preserved while the app did not run. This
    /// precedes every other event.
    func restore(_ peripherals: [CBPeripheral]) {
        for peripheral in peripherals {
            let identity = identities.identity(of: peripheral.identifier)
            // One link to each accessory is enough.
            guard let identity, let keeper = keeper(of: identity),
                keeper.machine.state.peripheral == nil
            else {
                strays.append(peripheral)
                continue
            }
            adopt(peripheral, keeper)
            let isConnected = peripheral.state == .connected
            keeper.isLinked = isConnected
            let link: Machine.RestoredLink =
                isConnected ? .connected(known: peripheral.knownPaths) : .connecting
            feed(.restored(peripheral, link), to: keeper)
        }
    }

    /// Ends the restored links that belong to no accessory. Bluetooth must be on.
    func cancelStrays() {
        // If the store was not read yet, each restored link may belong to a remembered accessory.
        guard !backlog.isUnread else { return }
        for peripheral in strays {
            record(.call, "cancelPeripheralConnection", nil, detail: "\(peripheral.identifier)")
            end(peripheral)
        }
        strays = []
    }
}
