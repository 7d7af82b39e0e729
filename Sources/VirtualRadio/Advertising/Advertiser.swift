// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// What a controller advertises: the one set of the legacy commands, or several.
///
/// Terms (Vol 6, Part B, 4.4.2):
/// - *Set*: what is advertised, how, and to whom. Each has a rhythm of its own.
/// - *Event*: one beat of it: a packet on each primary channel in turn, and for an extended set
///   what they point to.
/// - *Run*: from enabling a set to its end.
///
/// The sets are few, so they are in an array, and found by their handles; so are timers and packets
/// in the air that belong to them.
package struct Advertiser: Sendable {
    /// How many sets there may be.
    let setLimit: Int
    /// The sets, in the order in which they were made.
    var sets: [AdvertisingSet] = []

    init(setLimit: Int) {
        self.setLimit = setLimit
    }

    /// Whether any set is enabled.
    package var isAdvertising: Bool { sets.contains { $0.run != nil } }

    /// Where in `sets` the one with the handle is.
    func place(of handle: UInt8) -> Int? {
        sets.firstIndex { $0.handle == handle }
    }

    /// Where the one with the handle is; throws Unknown Advertising Identifier if there is none.
    func requirePlace(of handle: UInt8) throws(HCI.ErrorCode) -> Int {
        guard let place = place(of: handle) else { throw .unknownAdvertisingIdentifier }
        return place
    }
}
