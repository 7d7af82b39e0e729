// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// How the controller listens for advertisements (LE Set Scan Parameters, Vol 4, Part E, 7.8.10).
public struct ScanParameters: Sendable, Hashable {
    /// Whether to ask each scannable advertiser for its scan response. More is learnt (often the
    /// name); the advertiser spends power on the answer, and learns that somebody listens.
    public var isActive = true

    /// How often the controller listens, 2.5 ms to 10.24 s (40.96 s with extended scanning).
    public var interval: Duration = .milliseconds(60)

    /// How long it listens each time, at most `interval`.
    ///
    /// 60 ms, all of the time: a person usually waits for the result. Where scanning shares the
    /// radio with links the controller takes what it needs for them.
    public var window: Duration = .milliseconds(60)

    /// Whether the controller may leave out reports it made before. Saves the transport most of
    /// its traffic, and loses changes of signal strength.
    public var filtersDuplicates = true

    /// How often to restart a scan whose duplicates the controller leaves out, so that it reports
    /// everybody afresh; nil: never. Without it a device that goes is never known to have gone.
    public var duplicateFilterRestart: Duration?

    /// On which PHYs to listen. A controller without extended scanning listens on LE 1M whatever
    /// this says.
    public var phys: Set<PHY> = [.le1M]

    /// Makes the parameters of an active scan at full duty.
    public init() {}
}
