// SPDX-License-Identifier: Apache-2.0

extension VirtualController {
    /// Whether it advertises, scans or initiates: then address resolution stays as it is
    /// (Vol 4, Part E, 7.8.38 and 7.8.44).
    var isOnAir: Bool { advertiser.isAdvertising || scanner.isEnabled || initiator.isActive }

    /// Whether it advertises, scans or initiates by a policy that goes by the Filter Accept List
    /// (Vol 4, Part E, 7.8.15 to 7.8.17).
    var usesAcceptList: Bool {
        advertiser.usesAcceptList || initiator.usesAcceptList
            || (scanner.isEnabled && scanner.settings.usesAcceptList)
    }
}

extension Advertiser {
    /// Whether an enabled set goes by the Filter Accept List.
    fileprivate var usesAcceptList: Bool {
        sets.contains { set in
            set.run != nil
                && (set.manner.filtersScanRequests || set.manner.filtersConnectionRequests)
        }
    }
}

extension Initiator {
    /// Whether it is after any device on the Filter Accept List.
    fileprivate var usesAcceptList: Bool { isActive && request?.peer == nil }
}
