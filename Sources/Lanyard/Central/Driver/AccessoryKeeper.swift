// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// All that a driver has of one accessory, or of the attempt to pair one.
///
/// Unchecked: it is touched on its driver's queue only; other threads see the mirror.
final class AccessoryKeeper: @unchecked Sendable {
    /// Which one of its driver's.
    let number: Int
    let description: AccessoryDescription
    let mirror: AccessoryMirror
    var machine: AccessoryMachine<CBPeripheral>
    /// Which accessory it is; nil while none was found.
    var identity: AccessoryIdentity?
    /// Whether the application can see it: not before it was paired.
    var isShown = false
    /// What the store has of it.
    var remembered: RememberedAccessory?
    /// The peripheral that was used last.
    var peripheral: CBPeripheral?
    /// Whether there is a link, as far as Core Bluetooth has said.
    var isLinked = false
    var slot: SlotToken?
    /// How often each service has still to answer.
    var awaitedAnswers: [BluetoothID: Int] = [:]
    var requests = RequestTable()
    var replies: [Int: RequestReply] = [:]
    var writes: WriteQueue
    var transports: [Int: CharacteristicTransport] = [:]
    var countdown: Countdown?
    var countdownTimer: (any TimekeeperTimer)?
    var requestTimer: (any TimekeeperTimer)?
    var requestDeadline: Duration?
    var roomWatch = RoomWatch()
    var roomTimer: (any TimekeeperTimer)?
    var nextLook: Duration?
    /// Whether its machine searches for it.
    var isScannedFor = false
    /// Whether the scan looks out for it while it is waited for.
    var isLookedOutFor = false

    init(
        number: Int,
        _ description: AccessoryDescription,
        mirror: AccessoryMirror,
        isRemembered: Bool
    ) {
        self.number = number
        self.description = description
        self.mirror = mirror
        machine = AccessoryMachine(
            settings: LifecycleSettings(description),
            isRemembered: isRemembered
        )
        writes = WriteQueue(patience: description.timeouts.requests)
    }

    /// Whether nobody wants it any more, and nothing of it is left to be ended: without Bluetooth there is
    /// no link.
    var isForgotten: Bool {
        switch machine.state {
        case .idle(.forgotten), .unavailable(_, .rest(.forgotten)): true
        default: false
        }
    }

    /// What it is called in records.
    var name: String {
        mirror.name ?? identity.map(\.description) ?? description.kind
    }

    /// Where a characteristic of the description's is.
    func path(of characteristic: BluetoothID) -> CharacteristicPath? {
        description.path(of: characteristic)
    }

    /// The same, as it is on the present link.
    func characteristic(_ path: CharacteristicPath) -> CBCharacteristic? {
        guard isLinked else { return nil }
        return peripheral?.characteristic(path)
    }
}

extension AccessoryDescription {
    /// Where a characteristic is; the first of several alike.
    func path(of characteristic: BluetoothID) -> CharacteristicPath? {
        for service in services
        where service.characteristics.contains(where: { $0.identifier == characteristic }) {
            return CharacteristicPath(service.identifier, characteristic)
        }
        return nil
    }
}

extension CBPeripheral {
    /// The services with an identifier, as far as they were discovered.
    func services(_ identifier: BluetoothID) -> [CBService] {
        services?.filter { BluetoothID($0.uuid) == identifier } ?? []
    }

    /// A characteristic, if it was discovered; the first of several alike.
    func characteristic(_ path: CharacteristicPath) -> CBCharacteristic? {
        for service in services(path.service) {
            let found = service.characteristics?.first {
                BluetoothID($0.uuid) == path.characteristic
            }
            if let found { return found }
        }
        return nil
    }

    /// All characteristics that were discovered and are valid still.
    var knownPaths: Set<CharacteristicPath> {
        var paths: Set<CharacteristicPath> = []
        for service in services ?? [] {
            for characteristic in service.characteristics ?? [] {
                let path = CharacteristicPath(
                    BluetoothID(service.uuid),
                    BluetoothID(characteristic.uuid)
                )
                paths.insert(path)
            }
        }
        return paths
    }
}

extension CBCharacteristic {
    /// Where it is; nil if its service is gone.
    var path: CharacteristicPath? {
        service.map { CharacteristicPath(BluetoothID($0.uuid), BluetoothID(uuid)) }
    }
}
