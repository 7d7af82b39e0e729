// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

// A manager of the app: its peripherals become accessories, and go back to the app in the end.

extension CentralDriver {
    /// Checks that the accessories of the peripherals can be identified.
    func checkIdentities() throws(AdoptionError) {
        for adopted in adoption?.peripherals ?? [] {
            let description = adopted.description
            let identity = identities.identity(of: adopted.peripheral.identifier)
            let isKnown = identity.flatMap { entry(of: $0) } != nil
            guard isKnown || description.identity == .system else {
                throw .unidentified(kind: description.kind)
            }
        }
    }

    /// Takes over the manager and its peripherals.
    func takeOver(_ adoption: Adoption) {
        let manager = adoption.manager
        self.manager = manager
        adoption.begin(self)
        record(
            .note,
            "took over a manager",
            nil,
            detail: "\(adoption.peripherals.count) peripherals"
        )
        if manager.isScanning { manager.stopScan() }
        restore(adoption.peripherals.map(\.peripheral))
        connectRemembered()
        updateStoreTimer()
        centralManagerDidUpdateState(manager)
    }

    /// Creates the accessories that are not remembered. The initializer of the central calls this
    /// so that the app sees them at once.
    func showAdopted() {
        for adopted in adoption?.peripherals ?? [] {
            let identifier = adopted.peripheral.identifier
            let known = identities.identity(of: identifier).flatMap { self.entry(of: $0) }
            guard known == nil else { continue }
            let snapshot = AccessorySnapshot(
                adopted.description,
                name: adopted.peripheral.name,
                beginningWith: AccessoryChange(.waitingForBluetooth, .begun)
            )
            let entry = makeEntry(adopted.description, snapshot, isRemembered: false)
            let identity = AccessoryIdentity.system(identifier)
            entry.isPairedHere = true
            entry.identity = identity
            _ = identities.adopt(identifier, as: identity, now: now)
            show(entry, as: identity)
        }
    }

    /// Ends the driver, gives the manager back, and passes its peripherals on. Returns `false` if
    /// there is no manager of the app.
    func relinquish(_ receive: @escaping @Sendable ([CBPeripheral]) -> Void) async -> Bool {
        await withCheckedContinuation { done in
            enter(orElse: { done.resume(returning: false) }) { driver in
                guard driver.adoption != nil else { return done.resume(returning: false) }
                let kept = driver.entries.compactMap(\.peripheral)
                    .filter { $0.state == .connected || $0.state == .connecting }
                driver.end(keepingLinks: true)
                receive(kept)
                done.resume(returning: true)
            }
        }
    }
}
