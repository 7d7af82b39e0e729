// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// What came of resolving addresses lately, for better or worse.
///
/// To resolve an address takes an encryption for each entry of the list, and an advertiser shows the
/// same address many times a second. So most packets are answered from here.
struct ResolutionCache: Sendable {
    /// How many addresses are remembered in each of two generations; when the younger is full, the
    /// older is forgotten. More than devices in any room.
    static let generationLimit = 2_048

    /// In place of an entry's: the address is nobody's.
    private static let nobody = -1

    private var young: [UInt64: Int] = [:]
    private var old: [UInt64: Int] = [:]

    /// How many addresses are remembered.
    var count: Int { young.count + old.count }

    /// The place of the entry behind the address; it is searched if it is not remembered.
    mutating func place(of address: DeviceAddress, search: () -> Int?) -> Int? {
        let key = address.value
        if let place = young[key] { return place == Self.nobody ? nil : place }
        let place = old[key] ?? search() ?? Self.nobody
        remember(place, for: key)
        return place == Self.nobody ? nil : place
    }

    /// Forgets all.
    mutating func removeAll() {
        young.removeAll(keepingCapacity: true)
        old.removeAll(keepingCapacity: true)
    }

    private mutating func remember(_ place: Int, for key: UInt64) {
        if young.count >= Self.generationLimit {
            old = young
            young = [:]
        }
        old[key] = nil
        young[key] = place
    }
}
