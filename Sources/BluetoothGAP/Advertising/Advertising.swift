// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// How a device makes itself known: what it says, to whom, how often, and what may follow.
///
/// ```swift
/// var advertising = Advertising(AdvertisingContent(localName: "Lamp"))
/// advertising.interval = .milliseconds(30) ... .milliseconds(50)
/// let set = try await host.advertise(advertising)
/// ```
///
/// Times are rounded to what the wire can say and held within what the specification allows
/// (Vol 4, Part E, 7.8.5 and 7.8.53).
public struct Advertising: Sendable, Hashable {
    /// What others may do about it.
    public enum Kind: Sendable, Hashable {
        /// Connect. With legacy packets also ask for the scan response; extended ones allow one or
        /// the other (Vol 4, Part E, 7.8.53).
        case connectable
        /// Ask for the scan response.
        case scannable
        /// Listen.
        case nonConnectable
        /// Connect, one device only. Ends when that device has connected.
        case directed(DeviceAddress, DutyCycle)
    }

    /// How insistently one device is called.
    public enum DutyCycle: Sendable, Hashable {
        /// At the interval that is asked for.
        case low
        /// As fast as the radio can, for 1.28 s at most; legacy packets only
        /// (Vol 6, Part B, 4.4.2.4.3).
        case high
    }

    /// The form of the packets.
    public enum Form: Sendable, Hashable {
        /// As of Bluetooth 4.0: everybody hears them, and they carry 31 octets.
        case legacy
        /// As of Bluetooth 5.0: more data, other PHYs; only newer devices hear them.
        case extended
    }

    /// What is said.
    public enum Content: Sendable, Hashable {
        /// Laid out by `AdvertisingLayout`.
        case composed(AdvertisingContent)
        /// These bytes.
        case raw(advertisingData: [UInt8], scanResponse: [UInt8])
    }

    /// From which address.
    public enum Address: Sendable, Hashable {
        /// The host's own.
        case ofHost
        /// The public one of the controller.
        case `public`
        /// A random one of this set's own; only controllers with advertising sets can.
        case random(DeviceAddress)
    }

    /// The primary channels to advertise on (Vol 6, Part B, 1.4.1).
    public struct Channels: OptionSet, Sendable, Hashable {
        /// The bits on the wire.
        public let rawValue: UInt8
        /// Makes a set of channels.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Channel 37, at 2402 MHz.
        public static let channel37 = Channels(rawValue: 1 << 0)
        /// Channel 38, at 2426 MHz.
        public static let channel38 = Channels(rawValue: 1 << 1)
        /// Channel 39, at 2480 MHz.
        public static let channel39 = Channels(rawValue: 1 << 2)
        /// All three.
        public static let all: Channels = [.channel37, .channel38, .channel39]
    }

    /// Whose requests are answered.
    public enum Admission: Sendable, Hashable {
        /// Everybody's.
        case everyone
        /// Everybody may ask, these may connect.
        case connections(from: [DeviceAddress])
        /// These may ask, everybody may connect.
        case scanRequests(from: [DeviceAddress])
        /// These may ask and connect.
        case only([DeviceAddress])
    }

    /// What others may do about it.
    public var kind: Kind
    /// The form of the packets.
    public var form: Form
    /// What is said.
    public var content: Content
    /// From one advertisement to the next, at least and at most, 20 ms to 10.24 s (legacy).
    ///
    /// 100 ms: found within a second or so, at a fraction of the power of the fastest.
    public var interval: ClosedRange<Duration> = .milliseconds(100) ... .milliseconds(150)
    /// On which primary channels; none means all.
    public var channels = Channels.all
    /// From which address.
    public var address = Address.ofHost
    /// Whose requests are answered. Through the controller's Filter Accept List, which is one for
    /// all sets: a device that one of them admits, all of them admit.
    public var admission = Admission.everyone
    /// With which power to send, in dBm, -127 to 20; nil: as the controller likes. Legacy
    /// controllers do as they like.
    public var transmitPower: Int8?
    /// Whether extended packets state the power in their header (Vol 6, Part B, 2.3.4.8).
    public var includesTransmitPower = false
    /// Whether extended packets that nobody can answer leave out the address.
    public var isAnonymous = false
    /// The PHY of the primary channels of extended packets: LE 1M or LE Coded.
    public var primaryPHY = PHY.le1M
    /// The PHY that carries the data of extended packets.
    public var secondaryPHY = PHY.le1M
    /// The number by which scanners tell the sets of one address apart, 0 to 15 (the Advertising
    /// SID); extended packets only.
    public var setIdentifier: UInt8 = 0
    /// For how long to advertise, from the moment it begins; nil: until further notice.
    public var duration: Duration?
    /// After how many advertisements to end, 1 to 255; nil: never. Only controllers with advertising
    /// sets count.
    public var eventLimit: UInt8?
    /// Whether to go on, as soon as the controller can, when somebody has connected.
    public var continuesAfterConnection = true

    /// Makes a wish to advertise; by default connectable, in legacy packets.
    public init(
        _ content: AdvertisingContent = AdvertisingContent(),
        kind: Kind = .connectable,
        form: Form = .legacy
    ) {
        self.content = .composed(content)
        self.kind = kind
        self.form = form
    }

    /// Makes a wish to advertise bytes as they are.
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

    /// Whether somebody may connect.
    public var isConnectable: Bool {
        switch kind {
        case .connectable, .directed: true
        case .scannable, .nonConnectable: false
        }
    }

    /// Whom it calls; nil: everybody.
    public var target: DeviceAddress? {
        if case .directed(let target, _) = kind { target } else { nil }
    }

    var isHighDutyCycle: Bool {
        if case .directed(_, .high) = kind { true } else { false }
    }
}
