// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The timing of a link, as its controller applies it (Vol 6, Part B, 4.5.1).
public struct ConnectionParameters: Sendable, Equatable {
    /// Time between connection events, 7.5 ms to 4 s.
    public let interval: Duration
    /// How many connection events the peripheral may sleep through, 0 to 499.
    public let peripheralLatency: Int
    /// After this long without a packet the link is lost, 100 ms to 32 s.
    public let supervisionTimeout: Duration

    init(interval: Duration, latency: UInt16, supervisionTimeout: Duration) {
        self.interval = interval
        peripheralLatency = Int(latency)
        self.supervisionTimeout = supervisionTimeout
    }
}

/// Which end of a link is ours (Vol 6, Part B, 1.1).
public enum LinkRole: Sendable, Hashable {
    /// We have connected to the peer.
    case central
    /// The peer has connected to us.
    case peripheral
}

/// The largest link-layer payloads of a link (Vol 6, Part B, 4.5.10).
public struct DataLength: Sendable, Equatable {
    /// What a payload can be allowed; every link begins with the least.
    public static let octetRange = 27...251
    /// Octets in one packet we send, 27 to 251.
    public let transmitOctets: Int
    /// Octets in one packet we receive, 27 to 251.
    public let receiveOctets: Int
}

/// The physical layers of a link, one for each direction (Vol 6, Part A, 1).
public struct LinkPHY: Sendable, Equatable {
    /// What we send on.
    public let transmit: PHY
    /// What we receive on.
    public let receive: PHY
}

/// Other timing to ask for; times are rounded to what the wire can say and held within what the
/// specification allows (Vol 4, Part E, 7.8.18).
public struct ConnectionUpdate: Sendable, Equatable {
    /// The shortest interval that will do.
    public var intervalMinimum: Duration
    /// The longest interval that will do.
    public var intervalMaximum: Duration
    /// How many connection events the peripheral may sleep through.
    public var peripheralLatency: Int
    /// After this long without a packet the link is lost.
    public var supervisionTimeout: Duration

    /// Makes an update; the intervals are all that most callers choose.
    public init(
        intervalMinimum: Duration,
        intervalMaximum: Duration,
        peripheralLatency: Int = 0,
        supervisionTimeout: Duration = .seconds(5)
    ) {
        self.intervalMinimum = intervalMinimum
        self.intervalMaximum = intervalMaximum
        self.peripheralLatency = peripheralLatency
        self.supervisionTimeout = supervisionTimeout
    }
}

/// Who made the peer's controller, and for which version (Vol 6, Part B, 2.4.2.13).
public struct RemoteVersion: Sendable, Equatable {
    /// The link-layer version number of the assigned numbers, 6 for 4.0 and up.
    public let version: UInt8
    /// The company identifier of the controller's maker.
    public let company: UInt16
    /// The maker's own revision number.
    public let subversion: UInt16
}
