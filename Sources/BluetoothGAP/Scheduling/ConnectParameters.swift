// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The parameters of a connection request, and of the scan for its device (LE Create Connection,
/// Vol 4, Part E, 7.8.12).
///
/// Every value is valid: times are rounded to the steps of the command and limited to the range
/// that the specification allows.
public struct ConnectParameters: Sendable, Hashable {
    /// The shortest connection interval to request, 7.5 ms to 4 s. The default is 15 ms.
    public var intervalMinimum: Duration = .milliseconds(15)

    /// The longest connection interval to accept, 7.5 ms to 4 s. The default is 30 ms.
    public var intervalMaximum: Duration = .milliseconds(30)

    /// The number of intervals that the peripheral may skip, 0 to 499. The default is 0.
    public var peripheralLatency = 0

    /// The time without a packet after which the link counts as lost, 100 ms to 32 s. The default
    /// is 5 s.
    public var supervisionTimeout: Duration = .seconds(5)

    /// The interval at which the controller listens for the device, 2.5 ms to 10.24 s (40.96 s with
    /// the extended commands).
    public var scanInterval: Duration = .milliseconds(60)

    /// The time that the controller listens in each interval, at most `scanInterval`. The default
    /// is 30 ms, which leaves half of the time for existing links and for scanning.
    public var scanWindow: Duration = .milliseconds(30)

    /// The PHYs on which the controller listens for the device. A controller without the extended
    /// commands, or without LE Coded, listens on LE 1M only.
    public var phys: Set<PHY> = [.le1M]

    /// Whether the controller connects with its public address instead of the host's own address.
    /// The peer then sees the public address on the link, whatever the host's privacy is.
    public var usesPublicAddress = false

    /// Creates parameters that fit most accessories.
    public init() {}
}
