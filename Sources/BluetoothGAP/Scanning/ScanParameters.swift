// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The parameters of a scan (LE Set Scan Parameters, Vol 4, Part E, 7.8.10).
public struct ScanParameters: Sendable, Hashable {
    /// Whether the controller requests the scan response of each scannable advertiser, which often
    /// contains the name. The request costs the advertiser power and shows the advertiser that a
    /// device scans.
    public var isActive = true

    /// The interval at which the controller listens, 2.5 ms to 10.24 s (40.96 s with extended
    /// scanning).
    public var interval: Duration = .milliseconds(60)

    /// The time that the controller listens in each interval, at most `interval`.
    ///
    /// The default is 60 ms, all of the time, because a person usually waits for the result. The
    /// controller's links have priority and take the time that they need from the window.
    public var window: Duration = .milliseconds(60)

    /// Whether the controller omits duplicate reports. This saves most of the traffic on the
    /// transport, and hides changes of the signal strength.
    public var filtersDuplicates = true

    /// The time after which a scan that filters duplicates restarts, at least 1 s, or `nil` for no
    /// restarts. After a restart, the controller reports all devices in range again.
    public var duplicateFilterRestart: Duration?

    /// The PHYs on which the controller listens. A controller without extended scanning listens on
    /// LE 1M only.
    public var phys: Set<PHY> = [.le1M]

    /// Whether the controller scans with its public address instead of the host's own address.
    ///
    /// A scanner receives directed advertising only if it is directed at the address with which it
    /// scans (Vol 6, Part B, 4.3.3). It sends that address in scan requests. All scans of a host
    /// share the controller's scanner. The scanner uses the public address only while all scans ask
    /// for it.
    public var usesPublicAddress = false

    /// Creates the parameters of an active scan that listens all of the time.
    public init() {}
}
