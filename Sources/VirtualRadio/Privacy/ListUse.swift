// SPDX-License-Identifier: Apache-2.0

extension VirtualController {
    /// Whether it advertises, scans or initiates: then address resolution stays as it is
    /// (Vol 4, Part E, 7.8.38 and 7.8.44).
    var isOnAir: Bool { false }

    /// Whether it advertises, scans or initiates by a policy that goes by the Filter Accept List
    /// (Vol 4, Part E, 7.8.15 to 7.8.17).
    var usesAcceptList: Bool { false }
}
