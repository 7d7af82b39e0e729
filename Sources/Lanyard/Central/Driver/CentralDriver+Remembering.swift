// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

// What is known from launch to launch.

extension CentralDriver {
    /// Makes the accessories that the store has. Within the initialiser: an application sees them at once.
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

    /// At launch everything that is remembered is wished for.
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

    /// Whose it is that an application has. What it is known as may have changed since.
    func keeper(with mirror: AccessoryMirror) -> AccessoryKeeper? {
        keepers.first { $0.mirror === mirror }
    }

    private func show(_ keeper: AccessoryKeeper, as identity: AccessoryIdentity) {
        keeper.mirror.show(as: identity)
        keeper.isShown = true
        roster.add(keeper.mirror)
    }

    // MARK: Saving

    /// The accessory is usable: it is kept from now on.
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
        // The store knows it as what it was when it was remembered.
        guard let identity = keeper.remembered?.identity ?? keeper.identity else { return }
        keeper.remembered = nil
        forget(identity)
    }

    // MARK: Restoration

    /// What the system kept while the application did not run: comes before everything else.
    func restore(_ peripherals: [CBPeripheral]) {
        for peripheral in peripherals {
            let identity = identities.identity(of: peripheral.identifier)
            // One link to each is enough.
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

    /// Ends what the system has kept and nobody wants any more. Not before there is power.
    func cancelStrays() {
        // As long as it is not known what is remembered, everything may be.
        guard !backlog.isUnread else { return }
        for peripheral in strays {
            record(.call, "cancelPeripheralConnection", nil, detail: "\(peripheral.identifier)")
            manager?.cancelPeripheralConnection(peripheral)
        }
        strays = []
    }
}
