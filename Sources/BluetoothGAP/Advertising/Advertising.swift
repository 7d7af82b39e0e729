// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A request to advertise: the data, the interval, the devices that may answer, and the kind of
/// answer.
///
/// ```swift
/// var advertising = Advertising(AdvertisingContent(localName: "Lamp"))
/// advertising.interval = .milliseconds(30) ... .milliseconds(50)
/// let set = try await host.advertise(advertising)
/// ```
///
/// Times are rounded to the steps of the commands and limited to the range that the specification
/// allows (Vol 4, Part E, 7.8.5 and 7.8.53).
public struct Advertising: Sendable, Hashable {
    /// The kind of answer that advertising allows.
    public enum Kind: Sendable, Hashable {
        /// Connections. Legacy packets also allow scan requests, and extended ones do not (Vol 4,
        /// Part E, 7.8.53).
        case connectable
        /// Scan requests.
        case scannable
        /// No answer.
        case nonConnectable
        /// A connection from one device. Advertising ends when that device has connected.
        case directed(DeviceAddress, DutyCycle)
    }

    /// The duty cycle of directed advertising.
    public enum DutyCycle: Sendable, Hashable {
        /// Advertising at the requested interval.
        case low
        /// Advertising as fast as the radio can, for at most 1.28 s and only with legacy packets
        /// (Vol 6, Part B, 4.4.2.4.3).
        case high
    }

    /// The format of the packets.
    public enum Form: Sendable, Hashable {
        /// Packets of Bluetooth 4.0, which all devices receive, with up to 31 bytes.
        case legacy
        /// Packets of Bluetooth 5.0, with more data and other PHYs. Older devices do not receive
        /// them.
        case extended
    }

    /// The data to advertise.
    public enum Content: Sendable, Hashable {
        /// Content that `AdvertisingLayout` lays out.
        case composed(AdvertisingContent)
        /// Bytes that are sent unchanged.
        case raw(advertisingData: [UInt8], scanResponse: [UInt8])
    }

    /// The address of the advertiser.
    public enum Address: Sendable, Hashable {
        /// The host's own address.
        case ofHost
        /// The public address of the controller.
        case `public`
        /// A random address of this set. An address other than the host's own address needs a
        /// controller with advertising sets.
        case random(DeviceAddress)
        /// Private addresses that the controller makes with the keys of a bond, for this host and
        /// for the target of directed advertising. The host must use private addresses.
        ///
        /// Use this only if the Central Address Resolution characteristic of the target (0x2AA6) is
        /// 1. Other targets do not recognize their private address in the packet (Vol 3, Part C,
        /// 12.4). Without a bond with the target, the packet contains the host's own address and
        /// the address of the target.
        case ofBond
    }

    /// The primary channels to advertise on (Vol 6, Part B, 1.4.1).
    public struct Channels: OptionSet, Sendable, Hashable {
        /// The bits in the command.
        public let rawValue: UInt8
        /// Creates a set of channels.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Channel 37, at 2402 MHz.
        public static let channel37 = Channels(rawValue: 1 << 0)
        /// Channel 38, at 2426 MHz.
        public static let channel38 = Channels(rawValue: 1 << 1)
        /// Channel 39, at 2480 MHz.
        public static let channel39 = Channels(rawValue: 1 << 2)
        /// All three channels.
        public static let all: Channels = [.channel37, .channel38, .channel39]
    }

    /// The devices whose requests are answered.
    public enum Admission: Sendable, Hashable {
        /// All devices.
        case everyone
        /// Scan requests from all devices, and connections from these.
        case connections(from: [DeviceAddress])
        /// Scan requests from these devices, and connections from all.
        case scanRequests(from: [DeviceAddress])
        /// Scan requests and connections from these devices.
        case only([DeviceAddress])
    }

    /// The kind of answer that advertising allows.
    public var kind: Kind
    /// The format of the packets.
    public var form: Form
    /// The data to advertise.
    public var content: Content
    /// The shortest and longest time from one advertisement to the next, by default 100 ms to 150
    /// ms. The host limits it to at least 20 ms and, with the legacy commands, to at most 10.24 s.
    /// On a controller before version 5.0, advertising that is not connectable needs at least 100
    /// ms.
    public var interval: ClosedRange<Duration> = .milliseconds(100) ... .milliseconds(150)
    /// The primary channels. An empty set means all channels.
    public var channels = Channels.all
    /// The address of the advertiser.
    public var address = Address.ofHost
    /// The target of extended advertising that does not allow connections, or `nil` for all
    /// devices. Other devices ignore the packets. For advertising that allows a connection, use
    /// `Kind.directed` (Vol 4, Part E, 7.8.53).
    public var recipient: DeviceAddress?
    /// The devices whose requests are answered. All sets share the controller's Filter Accept List,
    /// so a set with a restriction also answers the devices that other sets with a restriction
    /// name. Advertising with a ``target`` ignores this property.
    public var admission = Admission.everyone
    /// The transmit power in dBm, -127 to 20, or `nil` if the controller chooses it. Legacy
    /// controllers always choose it.
    public var transmitPower: Int8?
    /// Whether extended packets state the power in their header (Vol 6, Part B, 2.3.4.7).
    public var includesTransmitPower = false
    /// Whether extended packets of the kind ``Kind/nonConnectable`` omit the address of the
    /// advertiser.
    public var isAnonymous = false
    /// The PHY of the primary channels of extended packets: LE 1M or LE Coded.
    public var primaryPHY = PHY.le1M
    /// The PHY that carries the data of extended packets.
    public var secondaryPHY = PHY.le1M
    /// The number that distinguishes the sets of one address for a scanner, 0 to 15 (the
    /// Advertising SID). Only extended packets contain it.
    public var setIdentifier: UInt8 = 0
    /// The time from the beginning of advertising to its end, or `nil` for no end.
    public var duration: Duration?
    /// The number of advertisements after which advertising ends, 1 to 255, or `nil` for no limit.
    /// Only controllers with advertising sets support it.
    public var eventLimit: UInt8?
    /// Whether advertising resumes after a connection, as soon as the controller can. Directed
    /// advertising never does.
    public var continuesAfterConnection = true

    /// Creates a request to advertise. By default, it is connectable and in legacy packets.
    public init(
        _ content: AdvertisingContent = AdvertisingContent(),
        kind: Kind = .connectable,
        form: Form = .legacy
    ) {
        self.content = .composed(content)
        self.kind = kind
        self.form = form
    }

    /// Creates a request to advertise bytes unchanged.
    public init(
        rawAdvertisingData: [UInt8],
        scanResponse: [UInt8] = [],
        kind: Kind = .connectable,
        form: Form = .legacy
    ) {
        content = .raw(advertisingData: rawAdvertisingData, scanResponse: scanResponse)
        self.kind = kind
        self.form = form
    }

    /// Whether advertising allows connections.
    public var isConnectable: Bool {
        switch kind {
        case .connectable, .directed: true
        case .scannable, .nonConnectable: false
        }
    }

    /// The device to which the advertising is directed: the device in ``kind``, or else the
    /// ``recipient``; `nil` if the advertising is for all devices.
    public var target: DeviceAddress? {
        if case .directed(let target, _) = kind { target } else { recipient }
    }

    var isHighDutyCycle: Bool {
        if case .directed(_, .high) = kind { true } else { false }
    }
}
