// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// Whom sets admit, by the Filter Accept List: there is one for all sets, and for the initiator
/// (Vol 6, Part B, 4.3.1), so it is borrowed for as long as any set needs it.
struct AdvertisingAdmissions: Sendable {
    /// Whether the owner of the list was told that it is needed.
    var isListAsked = false
    /// Whether the list is ours to change.
    var isListOurs = false
    var list = AcceptListMirror(capacity: 0)
}

extension Advertiser {
    /// Nobody else uses the Filter Accept List any more.
    package mutating func acceptListGranted(now: Instant) -> [Action] {
        guard admissions.isListAsked else { return [] }
        admissions.isListOurs = true
        admissions.list.forget()
        return settle(now: now)
    }

    /// Asks for the list when a set needs it, and gives it back when none does, or may.
    mutating func settleAdmissions() {
        let isNeeded = sets.contains { $0.wantsAcceptList || $0.usesAcceptList }
        guard isNeeded != admissions.isListAsked else { return }
        if !isNeeded, outstanding?.order.editsAdmissions == true { return }
        admissions.isListAsked = isNeeded
        admissions.isListOurs = false
        outbox.append(.needsAcceptList(isNeeded))
    }

    /// The next edit on the way to a list of those whom the sets admit, all of them together.
    var nextEdit: AdvertisingOrder? {
        guard sets.contains(where: \.wantsAcceptList) else { return nil }
        var wanted: [DeviceAddress] = []
        for set in sets where set.wantsAcceptList {
            for device in set.wish.admittedDevices where !wanted.contains(device) {
                wanted.append(device)
            }
        }
        return switch admissions.list.nextEdit(toward: wanted) {
        case .clearAcceptList: .clearAdmitted
        case .addToAcceptList(let device): .admit(device)
        case .removeFromAcceptList(let device): .dismiss(device)
        default: nil
        }
    }

    /// Draws the conclusions from the answer to an edit. Without the list nobody may be let in who
    /// should not: the sets that need it fail.
    mutating func finishEdit(_ order: AdvertisingOrder, _ outcome: OrderOutcome) {
        switch (order, outcome) {
        case (.clearAdmitted, .accepted): admissions.list.cleared()
        case (.admit(let device), .accepted): admissions.list.added(device)
        case (.dismiss(let device), .accepted): admissions.list.removed(device)
        default:
            admissions.list.forget()
            for index in sets.indices where sets[index].wantsAcceptList {
                sets[index].end = .failed(outcome.advertisingError)
            }
        }
    }
}

extension AdvertisingOrder {
    fileprivate var editsAdmissions: Bool {
        switch self {
        case .clearAdmitted, .admit, .dismiss: true
        default: false
        }
    }
}
