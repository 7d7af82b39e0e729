// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// A central manager of the app that the driver takes over, with the peripherals that the manager
/// connected or is connecting.
struct AdoptedCentral: Sendable {
    struct Entry: Sendable {
        let peripheral: SystemPeripheral
        let description: AccessoryDescription
    }

    let central: any SystemCentral
    let queue: DispatchQueue
    let peripherals: [Entry]
}

// A central manager of the app. Its peripherals become accessories. `relinquish` returns the
// peripherals and the manager to the app.

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
    func takeOver(_ adoption: AdoptedCentral) {
        begin(adoption.central)
        record(
            .note,
            "took over a manager",
            nil,
            detail: "\(adoption.peripherals.count) peripherals"
        )
        restore(adoption.peripherals.map(\.peripheral))
        connectRemembered()
        updateStoreTimer()
        availabilityChanged(adoption.central.availability)
    }

    /// Creates the accessories that are not remembered. The initializer of `AccessoryCentral` calls
    /// this so that the app sees them at once.
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
            let entry = makeEntry(
                adopted.description,
                snapshot,
                isRemembered: false,
                isPairedHere: true
            )
            let identity = AccessoryIdentity.system(identifier)
            entry.identity = identity
            _ = identities.adopt(identifier, as: identity, now: now)
            show(entry, as: identity)
        }
    }

    /// Ends the driver without ending its links, and gives the manager back to the app.
    ///
    /// - Parameter receive: A closure that receives the peripherals that are connected or being
    ///   connected.
    /// - Returns: `false` if there is no manager of the app, or if the driver has ended.
    func relinquish(_ receive: @escaping @Sendable ([SystemPeripheral]) -> Void) async -> Bool {
        await withCheckedContinuation { done in
            execute(orElse: { done.resume(returning: false) }) { driver in
                guard driver.adoption != nil else { return done.resume(returning: false) }
                let kept = driver.entries.compactMap(\.peripheral)
                    .filter { driver.isUsed($0) }
                driver.end(keepingLinks: true)
                receive(kept)
                done.resume(returning: true)
            }
        }
    }

    /// Returns whether a peripheral has a link or a connection request.
    private func isUsed(_ peripheral: SystemPeripheral) -> Bool {
        switch system?.linkState(of: peripheral) {
        case .connected, .connecting: true
        case .disconnecting, .disconnected, nil: false
        }
    }
}
