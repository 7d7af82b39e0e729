// SPDX-License-Identifier: Apache-2.0

extension VirtualController {
    /// Whether the controller advertises, scans or initiates. Then address resolution must not
    /// change (Vol 4, Part E, 7.8.38 and 7.8.44).
    var isOnAir: Bool { advertiser.isAdvertising || scanner.isEnabled || initiator.isActive }

    /// Whether the controller advertises, scans or initiates with a policy that uses the Filter
    /// Accept List (Vol 4, Part E, 7.8.15 to 7.8.17).
    var usesAcceptList: Bool {
        advertiser.usesAcceptList || initiator.usesAcceptList
            || (scanner.isEnabled && scanner.settings.usesAcceptList)
    }
}

extension Advertiser {
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
