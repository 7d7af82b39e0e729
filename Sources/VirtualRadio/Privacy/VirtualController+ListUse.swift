// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension VirtualController {
    /// Whether the controller advertises, scans or initiates. While it does, address resolution
    /// must not change (Vol 4, Part E, 7.8.38 and 7.8.44).
    var isOnAir: Bool { advertiser.isAdvertising || scanner.isEnabled || initiator.isActive }

    /// Whether the controller advertises, scans or initiates with a policy that uses the Filter
    /// Accept List (Vol 4, Part E, 7.8.15 to 7.8.17).
    var usesAcceptList: Bool {
        advertiser.usesAcceptList || initiator.usesAcceptList
            || (scanner.isEnabled && scanner.settings.usesAcceptList)
    }
}

extension VirtualAdvertiser {
    /// Whether an enabled set uses the Filter Accept List.
    fileprivate var usesAcceptList: Bool {
        sets.contains { set in
            set.run != nil
                && (set.configuration.filtersScanRequests
                    || set.configuration.filtersConnectionRequests)
        }
    }
}

extension Initiator {
    /// Whether the initiator connects to any device on the Filter Accept List.
    fileprivate var usesAcceptList: Bool { isActive && request?.peer == nil }
}

extension ResolvingList {
    /// The instant at which the private addresses must be replaced; `nil` while there are none.
    var replacementDue: Instant? { isEmpty ? nil : madeAt + timeout }
}

extension VirtualController {
    /// Sets the timer for `replacementDue` again, after a change of the list.
    mutating func scheduleReplacement(_ ether: inout Ether) {
        ether.cancel(&resolvingList.timer)
        guard let due = resolvingList.replacementDue else { return }
        resolvingList.timer = ether.schedule(.privateAddresses, of: radio, at: due)
    }

    /// Replaces the private addresses at the end of their timeout.
    mutating func replacePrivateAddresses(_ ether: inout Ether) {
        resolvingList.makeAddresses(at: ether.now, using: &generator)
        scheduleReplacement(&ether)
    }
}
