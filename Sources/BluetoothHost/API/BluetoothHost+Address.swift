// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension BluetoothHost {
    /// The address that stays the same as long as the store does (Vol 3, Part C, 10.8.1). Under which
    /// address the host is on the air is another matter: see `HostConfiguration.privacy`.
    public var identityAddress: DeviceAddress { core.ownAddress }
}
