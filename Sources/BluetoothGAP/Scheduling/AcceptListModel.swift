// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The user of the controller's only Filter Accept List: the initiator or the advertiser.
enum AcceptListUser: Sendable {
    /// The initiator may use the list.
    case initiator
    /// The advertiser needs the list, and the initiator still uses it.
    case advertiserWaiting
    /// The advertiser may use the list.
    case advertiser
}

/// The contents of the controller's Filter Accept List, as far as the host knows them (Vol 6, Part
/// B, 4.3.1).
struct AcceptListModel: Sendable {
    /// The devices on the list in the order of their addition, or `nil` if they are unknown.
    private(set) var contents: [DeviceAddress]?

    /// The number of devices that the list can hold, or 0 if the list is unusable.
    private(set) var capacity: Int

    /// Creates the model of a list with unknown contents.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Returns the next change toward a list that contains exactly the `wanted` devices, or `nil`
    /// if no change is necessary.
    func nextEdit(toward wanted: [DeviceAddress]) -> ControllerOperation? {
        guard let contents else { return .clearAcceptList }
        let needed = Set(wanted)
        if let extra = contents.first(where: { !needed.contains($0) }) {
            return .removeFromAcceptList(extra)
        }
        let present = Set(contents)
        return wanted.first { !present.contains($0) }.map { .addToAcceptList($0) }
    }

    mutating func cleared() {
        contents = []
    }

    mutating func added(_ address: DeviceAddress) {
        contents?.append(address)
    }

    mutating func removed(_ address: DeviceAddress) {
        contents?.removeAll { $0 == address }
    }

    /// Records that the controller reported a full list.
    mutating func filledUp() {
        capacity = contents?.count ?? 0
    }

    /// Marks the contents as unknown after a failed change, so that the next change clears the
    /// list.
    mutating func forget() {
        contents = nil
    }

    /// Makes the list unusable, so that the initiator connects to one device at a time until the
    /// scheduler is configured again.
    mutating func giveUp() {
        contents = nil
        capacity = 0
    }
}
