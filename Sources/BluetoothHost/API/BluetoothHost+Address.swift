// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension BluetoothHost {
    /// The host's identity address (Vol 3, Part C, 10.8.1). It is `HostConfiguration.address`; with
    /// `nil`, it stays the same for as long as the host uses the same store.
    /// `HostConfiguration.privacy` decides which address the host uses on the air.
    public var identityAddress: DeviceAddress { core.ownAddress }

    /// The controller's public address (Vol 4, Part E, 7.4.6); `nil` if the controller has none,
    /// and while the adapter is not ready.
    ///
    /// The host uses it where an application asks for it: with `Advertising.address`,
    /// `ScanParameters.usesPublicAddress` and `ConnectParameters.usesPublicAddress`.
    public var publicAddress: DeviceAddress? { core.capabilities?.publicAddress }
}
