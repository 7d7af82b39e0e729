// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The driver's record of one accessory, or of an attempt to pair one.
///
/// Unchecked: the thread that creates the driver uses it before the driver's `begin()`. From then
/// on, it is used on the driver's queue only. Other threads read the snapshot in `snapshot`.
final class AccessoryEntry: @unchecked Sendable {
    /// The number of this record in its driver.
    let number: Int
    let description: AccessoryDescription
    let snapshot: AccessorySnapshot
    var machine: AccessoryMachine<SystemPeripheral>
    /// The driver's index, to which the record reports a new identity or peripheral; `nil` unless
    /// the driver has the record.
    weak var index: AccessoryEntryIndex?
    /// The identity of the accessory; `nil` until one was found.
    var identity: AccessoryIdentity? {
        didSet { index?.move(self, from: oldValue, to: identity) }
    }
    /// Whether `description` was passed to a pairing or with an adopted peripheral. It may then
    /// differ from the description of the same kind with which the central was created.
    let isPairedHere: Bool
    /// The device that was chosen for the pairing; `nil` for any that matches the description.
    let target: PairingTarget?
    /// The timer that limits the duration of the first pairing.
    var pairingTimer: (any TimekeeperTimer)?
    /// Whether the accessory is in the central's list. A pairing adds the accessory when it becomes
    /// ready.
    var isShown = false
    /// The store's entry for the accessory.
    var remembered: RememberedAccessory?
    /// The peripheral that was used most recently.
    var peripheral: SystemPeripheral? {
        didSet { index?.move(self, from: oldValue, to: peripheral) }
    }
    /// Whether the system has reported a link, and not yet its end.
    var isLinked = false
    var slot: SlotToken?
    /// The number of outstanding discovery answers for each service.
    var awaitedAnswers: [BluetoothID: Int] = [:]
    var requests = RequestTable()
    var replies: [Int: RequestReply] = [:]
    var writes: WriteQueue
    /// The commands to control points, and the tasks that wait for their answers.
    var procedures: [CharacteristicPath: ProcedureQueue] = [:]
    var procedureReplies: [Int: CentralDriver.ProcedureReply] = [:]
    var transports: [Int: CharacteristicTransport] = [:]
    /// The renewal plans for refused messages, by the characteristic that carries the answers.
    var renewals: [CharacteristicPath: RenewalPlan] = [:]
    var countdown: Countdown?
    var countdownTimer: (any TimekeeperTimer)?
    var requestTimer: (any TimekeeperTimer)?
    var requestDeadline: Duration?
    var writeReadiness = WriteReadiness()
    var readinessTimer: (any TimekeeperTimer)?
    var nextReadinessCheck: Duration?
    /// Whether the state machine searches for the accessory.
    var isScannedFor = false
    /// Whether the scan must report the accessory although the state machine does not search for
    /// it: `needsRediscovery` is `true`, or the pool of connection slots searches for it.
    var isScannedForRediscovery = false

    init(
        number: Int,
        _ description: AccessoryDescription,
        snapshot: AccessorySnapshot,
        isRemembered: Bool,
        isPairedHere: Bool,
        target: PairingTarget?
    ) {
        self.number = number
        self.isPairedHere = isPairedHere
        self.target = target
        self.description = description
        self.snapshot = snapshot
        machine = AccessoryMachine(
            settings: LifecycleSettings(description),
            isRemembered: isRemembered
        )
        writes = WriteQueue(progressLimit: description.timeouts.requests)
    }

    /// Whether the accessory was forgotten and no link remains to be ended. Without Bluetooth there
    /// is no link.
    var isForgotten: Bool {
        switch machine.state {
        case .idle(.forgotten), .unavailable(_, .rest(.forgotten)): true
        default: false
        }
    }

    /// The name of the accessory in records.
    var name: String {
        snapshot.name ?? identity.map(\.description) ?? description.kind
    }

    func path(of characteristic: BluetoothID) -> CharacteristicPath? {
        description.path(of: characteristic)
    }

    /// Shows which characteristics of the description the discovery did not find.
    func showLacking() {
        let known = peripheral?.knownPaths ?? []
        let lacking = description.services.flatMap { service in
            service.characteristics.lazy.map(\.identifier).filter { identifier in
                self.path(of: identifier)
                    == CharacteristicPath(service.identifier, identifier)
                    && !known.contains(CharacteristicPath(service.identifier, identifier))
            }
        }
        snapshot.setLacking(Set(lacking))
    }

    /// Returns the characteristic as it was discovered on the current link.
    func characteristic(_ path: CharacteristicPath) -> SystemAttribute? {
        guard isLinked else { return nil }
        return peripheral?.characteristic(path)
    }
}

extension AccessoryDescription {
    /// Returns the path of a characteristic; the first one if several services have it.
    func path(of characteristic: BluetoothID) -> CharacteristicPath? {
        for service in services
        where service.characteristics.contains(where: { $0.identifier == characteristic }) {
            return CharacteristicPath(service.identifier, characteristic)
        }
        return nil
    }
}
