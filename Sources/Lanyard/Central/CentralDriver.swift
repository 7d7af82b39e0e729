// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Foundation

/// Feeds the cores what Core Bluetooth reports and what the application wishes, and does what they say.
///
/// Unchecked: all that varies is touched on `queue`, which every entry checks; what is read elsewhere are
/// the mirrors, which guard themselves.
final class CentralDriver: NSObject, @unchecked Sendable {
    let roster = Roster()
    let outlook = Outlook()
    let queue = DispatchQueue(label: "lanyard.central")
    let timekeeper: any Timekeeper

    init(
        _ descriptions: [AccessoryDescription],
        _ configuration: AccessoryCentral.Configuration
    ) {
        timekeeper = configuration.timekeeper
        super.init()
    }

    func begin() {}
    func close() {}
    func shutDown() async {}
    func pair(_ kind: String) async throws(AccessoryError) -> Accessory { throw .shutDown }
    func forget(_ id: Accessory.ID) async throws(AccessoryError) {}
    func presence(matching matcher: AccessoryMatcher) throws(AccessoryError) -> Events<
        PresenceEvent
    > {
        throw .shutDown
    }
    func observe(
        _ mirror: AccessoryMirror,
        _ body: @escaping @Sendable (AccessoryChange) -> Void
    ) -> Observation { mirror.changes.observe(body) }
    func untilReady(_ mirror: AccessoryMirror) async throws(AccessoryError) {}
    func connect(_ id: Accessory.ID) {}
    func disconnect(_ id: Accessory.ID) async throws(AccessoryError) {}
    func pairIfNeeded(_ mirror: AccessoryMirror) async throws(AccessoryError) {}
    func read(_ characteristic: BluetoothID, of id: Accessory.ID) async throws(AccessoryError)
        -> Data
    {
        throw .notConnected
    }
    func write(
        _ value: Data,
        to characteristic: BluetoothID,
        of id: Accessory.ID,
        as kind: WriteKind,
        _ progress: (@Sendable (Int) -> Void)?
    ) async throws(AccessoryError) { throw .notConnected }
    func rssi(of id: Accessory.ID) async throws(AccessoryError) -> Int { throw .notConnected }
    func openChannel(
        _ psm: UInt16,
        to id: Accessory.ID
    ) async throws(AccessoryError) -> ByteChannel { throw .notConnected }
}
