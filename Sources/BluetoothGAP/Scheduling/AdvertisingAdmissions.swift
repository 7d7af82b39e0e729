// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// The devices that sets admit, in the Filter Accept List.
///
/// All sets and the initiator share one list (Vol 6, Part B, 4.3.1), so the advertiser reserves it
/// while any set needs it.
struct AdvertisingAdmissions: Sendable {
    /// Whether the advertiser has requested the list from its owner.
    var isListAsked = false
    /// Whether the advertiser may change the list.
    var ownsAcceptList = false
    var list = AcceptListModel(capacity: 0)
}

extension Advertiser {
    /// Grants the Filter Accept List to the advertiser, because no other activity uses it.
    package mutating func acceptListGranted(now: Instant) -> [Action] {
        guard admissions.isListAsked else { return [] }
        admissions.ownsAcceptList = true
        admissions.list.forget()
        return settle(now: now)
    }

    /// Requests the list when a set needs it, and returns the list when no set does.
    mutating func updateAcceptListRequest() {
        let isNeeded = sets.contains { $0.needsAcceptList || $0.usesAcceptList }
        guard isNeeded != admissions.isListAsked else { return }
        if !isNeeded, outstanding?.operation.editsAdmissions == true { return }
        admissions.isListAsked = isNeeded
        admissions.ownsAcceptList = false
        outbox.append(.needsAcceptList(isNeeded))
    }

    /// The next change toward a list with the admitted devices of all sets.
    var nextEdit: AdvertisingOperation? {
        guard sets.contains(where: \.needsAcceptList) else { return nil }
        var wanted: [DeviceAddress] = []
        for set in sets where set.needsAcceptList {
            for device in set.requested.admittedDevices where !wanted.contains(device) {
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

    /// Records the answer to a change of the list. If the change failed, the sets that need the
    /// list end, because they would admit other devices.
    mutating func finishEdit(_ operation: AdvertisingOperation, _ outcome: OperationOutcome) {
        switch (operation, outcome) {
        case (.clearAdmitted, .accepted): admissions.list.cleared()
        case (.admit(let device), .accepted): admissions.list.added(device)
        case (.dismiss(let device), .accepted): admissions.list.removed(device)
        default:
            admissions.list.forget()
            for index in sets.indices where sets[index].needsAcceptList {
                sets[index].end = .failed(outcome.advertisingError)
            }
        }
    }
}

extension AdvertisingOperation {
    fileprivate var editsAdmissions: Bool {
        switch self {
        case .clearAdmitted, .admit, .dismiss: true
        default: false
        }
    }
}
