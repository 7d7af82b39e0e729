// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// Who has the controller's one Filter Accept List: the initiator, or the advertiser.
enum AcceptListLoan: Sendable {
    case none
    /// It is to be lent, and still in use.
    case asked
    case made
}

/// What the controller's Filter Accept List is believed to hold (Vol 6, Part B, 4.3.1).
struct AcceptListMirror: Sendable {
    /// The devices on the list in the order in which they were added; nil if that is not known.
    private(set) var contents: [DeviceAddress]?

    /// How many devices fit; 0: the list is of no use.
    private(set) var capacity: Int

    /// Mirrors the list of a controller of whose past nothing is known.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The next edit on the way to a list of exactly `wanted`; nil when it is that.
    func nextEdit(toward wanted: [DeviceAddress]) -> ControllerOrder? {
        guard let contents else { return .clearAcceptList }
        if let extra = contents.first(where: { !wanted.contains($0) }) {
            return .removeFromAcceptList(extra)
        }
        return wanted.first { !contents.contains($0) }.map { .addToAcceptList($0) }
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

    /// The controller says that no more fits.
    mutating func filledUp() {
        capacity = contents?.count ?? 0
    }

    /// An edit went wrong: start over with an empty list.
    mutating func forget() {
        contents = nil
    }

    /// The list does not work: devices are dialled one by one from now on.
    mutating func giveUp() {
        contents = nil
        capacity = 0
    }
}
