// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension BluetoothHost {
    /// The host's identity address (Vol 3, Part C, 10.8.1): `HostConfiguration.address` or, with
    /// `nil`, the address in the store. If the store has none, the host generates and stores one.
    /// `HostConfiguration.privacy` decides which address the host uses on the air.
    public var identityAddress: DeviceAddress { core.ownAddress }

    /// The controller's public address (Vol 4, Part E, 7.4.6); `nil` if the controller has none,
    /// and while the adapter is not ready.
    ///
    /// The host uses the address where an application asks for it: with `Advertising.address`,
    /// `ScanParameters.usesPublicAddress` and `ConnectParameters.usesPublicAddress`.
    public var publicAddress: DeviceAddress? { core.capabilities?.publicAddress }
}
