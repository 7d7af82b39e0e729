// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The timing of a link as the controller applies it (Vol 6, Part B, 4.5.1).
public struct ConnectionParameters: Sendable, Equatable {
    /// The time between connection events, 7.5 ms to 4 s.
    public let interval: Duration
    /// The number of connection events that the peripheral may skip, 0 to 499.
    public let peripheralLatency: Int
    /// The time without a packet after which the link is lost, 100 ms to 32 s.
    public let supervisionTimeout: Duration

    init(interval: Duration, latency: UInt16, supervisionTimeout: Duration) {
        self.interval = interval
        peripheralLatency = Int(latency)
        self.supervisionTimeout = supervisionTimeout
    }
}

/// The host's role on a link (Vol 6, Part B, 1.1).
public enum LinkRole: Sendable, Hashable {
    /// This host connected to the peer.
    case central
    /// The peer connected to this host.
    case peripheral
}

/// The largest link-layer payloads of a link (Vol 6, Part B, 4.5.10).
public struct DataLength: Sendable, Equatable {
    /// The range of a payload, in bytes. Every link begins with the lower bound.
    public static let byteRange = 27...251
    /// The largest payload of a packet that this side sends, 27 to 251 bytes.
    public let transmitBytes: Int
    /// The largest payload of a packet that this side receives, 27 to 251 bytes.
    public let receiveBytes: Int
}

/// The physical layers of a link, one for each direction (Vol 6, Part A, 1).
public struct LinkPHY: Sendable, Equatable {
    /// The physical layer that this side sends on.
    public let transmit: PHY
    /// The physical layer that this side receives on.
    public let receive: PHY
}

/// Connection parameters to request. The host rounds the times to the units of the protocol and
/// limits them to the ranges of the specification (Vol 4, Part E, 7.8.18).
public struct ConnectionUpdate: Sendable, Equatable {
    /// The shortest acceptable interval, at least 7.5 ms.
    public var intervalMinimum: Duration
    /// The longest acceptable interval, at most 4 s.
    public var intervalMaximum: Duration
    /// The number of connection events that the peripheral may skip, 0 to 499.
    public var peripheralLatency: Int
    /// The time without a packet after which the link is lost, 100 ms to 32 s.
    public var supervisionTimeout: Duration

    /// Creates an update. Most callers choose the intervals only.
    ///
    /// - Parameters:
    ///   - intervalMinimum: The shortest acceptable interval, at least 7.5 ms.
    ///   - intervalMaximum: The longest acceptable interval, at most 4 s.
    ///   - peripheralLatency: The number of connection events that the peripheral may skip, 0 to
    ///     499.
    ///   - supervisionTimeout: The time without a packet after which the link is lost, 100 ms to
    ///     32 s.
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

/// The manufacturer and the version of the peer's controller (Vol 6, Part B, 2.4.2.13).
public struct RemoteVersion: Sendable, Equatable {
    /// The link-layer version from the assigned numbers: 6 for version 4.0, and so on.
    public let version: UInt8
    /// The company identifier of the controller's manufacturer.
    public let company: UInt16
    /// The manufacturer's revision number.
    public let subversion: UInt16
}
