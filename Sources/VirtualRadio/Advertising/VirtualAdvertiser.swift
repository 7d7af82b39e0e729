// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The advertising sets of a controller: the one set of the legacy commands, or several.
///
/// Terms (Vol 6, Part B, 4.4.2):
/// - *Set*: advertising data with its parameters. Each set has its own advertising events.
/// - *Event*: one packet on each of the set's primary channels in turn, and for an extended set the
///   packets on secondary channels that they point to.
/// - *Run*: the time from enabling a set to its end.
///
/// There are few sets, so they are in an array. Timers and packets identify a set by its handle.
package struct VirtualAdvertiser: Sendable {
    /// The maximum number of sets.
    let setLimit: Int
    /// The sets, in the order in which they were created.
    var sets: [VirtualAdvertisingSet] = []

    init(setLimit: Int) {
        self.setLimit = setLimit
    }

    /// Whether any set is enabled.
    package var isAdvertising: Bool { sets.contains { $0.run != nil } }

    /// Returns the index in `sets` of the set with the handle; `nil` if there is none.
    func index(of handle: UInt8) -> Int? {
        sets.firstIndex { $0.handle == handle }
    }

    /// Returns the index in `sets` of the set with the handle.
    ///
    /// - Throws: `unknownAdvertisingIdentifier` if there is none.
    func requireIndex(of handle: UInt8) throws(HCI.ErrorCode) -> Int {
        guard let index = index(of: handle) else { throw .unknownAdvertisingIdentifier }
        return index
    }
}
