// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// How a Central asks for a link, and how it listens for the device while it asks
/// (LE Create Connection, Vol 4, Part E, 7.8.12).
///
/// Times are rounded to what the wire can say and held within what the specification allows, so
/// any value can be asked for.
public struct ConnectParameters: Sendable, Hashable {
    /// The shortest connection interval to ask for, 7.5 ms to 4 s.
    ///
    /// 15 ms: discovery is a long row of round trips, so short is fast; yet at 15 ms six full
    /// packets fit into an interval even when encrypted, while at 7.5 ms only two surely do.
    public var intervalMinimum: Duration = .milliseconds(15)

    /// The longest connection interval to accept, 7.5 ms to 4 s.
    ///
    /// 30 ms gives the controller room to fit several links beside each other.
    public var intervalMaximum: Duration = .milliseconds(30)

    /// How many intervals the Peripheral may sleep through, 0 to 499. 0: it answers at once; a
    /// Peripheral that must save power asks for more later.
    public var peripheralLatency = 0

    /// How long silence lasts until the link counts as lost, 100 ms to 32 s.
    ///
    /// 5 s bridges a hand or a body in the way, and is soon enough to notice that a device has gone.
    public var supervisionTimeout: Duration = .seconds(5)

    /// How often the controller listens for the device, 2.5 ms to 10.24 s.
    public var scanInterval: Duration = .milliseconds(60)

    /// How long it listens each time, at most `scanInterval`.
    ///
    /// 30 ms, half of the time: the other half is left for the links that exist and for scanning.
    public var scanWindow: Duration = .milliseconds(30)

    /// On which PHYs to look for the device. LE Coded is used only where controller and device can;
    /// a controller without extended advertising looks on LE 1M whatever this says.
    public var phys: Set<PHY> = [.le1M]

    /// Makes parameters that fit most accessories.
    public init() {}
}
