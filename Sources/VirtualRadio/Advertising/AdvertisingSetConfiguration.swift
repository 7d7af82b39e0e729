// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The advertising parameters of a set, from the legacy or the extended commands.
struct AdvertisingSetConfiguration: Sendable {
    /// The advertising event properties (Vol 4, Part E, 7.8.53).
    var properties: HCI.AdvertisingProperties
    /// The range of intervals between events, without the random delay.
    var intervals: ClosedRange<Duration>
    /// The primary channels.
    var channels = HCI.AdvertisingChannels.all
    /// The type of the controller's own address.
    var ownAddressType = HCI.OwnAddressType.public
    /// The address of the peer in the command: the target of directed advertising, and the entry of
    /// the resolving list from which the controller makes its own private address.
    var peer = DeviceAddress(value: 0, kind: .public)
    /// The filter policy for requests.
    var filterPolicy = HCI.AdvertisingFilterPolicy.unfiltered
    /// The value of the TxPower field, in dBm.
    var transmitPower: Int8 = 0
    /// The reduction of the set's power below the radio's maximum, in decibels.
    var reduction: Int16 = 0
    /// The modulation on the primary channels.
    var primary = Modulation.le1M
    /// The modulation on the secondary channels.
    var secondary = Modulation.le1M
    /// The Advertising SID.
    var sid: UInt8 = 0
    /// Whether the controller reports scan requests to the host.
    var reportsScanRequests = false

    /// The parameters of a legacy host that sets none (Vol 4, Part E, 7.8.5).
    static let standard = AdvertisingSetConfiguration(
        properties: [.legacy, .connectable, .scannable],
        intervals: .milliseconds(1280) ... .milliseconds(1280)
    )

    var isLegacy: Bool { properties.contains(.legacy) }
    var isConnectable: Bool { properties.contains(.connectable) }
    var isScannable: Bool { properties.contains(.scannable) }
    var isDirected: Bool { properties.contains(.directed) }
    var isAnonymous: Bool { properties.contains(.anonymous) }
    var isHighDutyCycle: Bool { properties.contains(.highDutyCycle) }

    /// Whether a request may follow a packet.
    var allowsRequests: Bool { isConnectable || isScannable }

    /// Whether the packets can carry advertising data.
    var carriesData: Bool { properties.carriesData }

    /// Whether the controller's own address is a resolvable private address, if it can make one.
    var isPrivate: Bool {
        ownAddressType == .resolvableOrPublic || ownAddressType == .resolvableOrRandom
    }

    /// Whether only devices in the Filter Accept List get a scan response. Directed advertising
    /// filters by its target instead.
    var filtersScanRequests: Bool {
        !isDirected && (filterPolicy == .scanFiltered || filterPolicy == .filtered)
    }

    /// Whether only devices in the Filter Accept List can connect.
    var filtersConnectionRequests: Bool {
        !isDirected && (filterPolicy == .connectFiltered || filterPolicy == .filtered)
    }
}

/// The timing of advertising that the specification fixes or leaves to the controller.
enum AdvertisingTiming {
    /// The intervals that legacy commands can set (Vol 4, Part E, 7.8.5).
    static let legacyIntervals = Duration.milliseconds(20) ... .milliseconds(10_240)
    /// The intervals that extended commands can set, in a field of 24 bits (Vol 4, Part E, 7.8.53).
    static let extendedIntervals = Duration.milliseconds(20) ... .microseconds(0xFF_FFFF * 625)
    /// The time that the radio needs to change to the next channel, in nanoseconds.
    static let channelChange: Int64 = 150_000
    /// The longest time between two ADV_DIRECT_INDs on one channel at high duty cycle (Vol 6, Part
    /// B, 4.4.2.4.3).
    static let highDutyInterval = Duration.microseconds(3_750)
    /// The longest duration of high duty cycle advertising (Vol 6, Part B, 4.4.2.4.3).
    static let highDutyLimit = Duration.milliseconds(1_280)
    /// T_IFS, in nanoseconds.
    static let frameSpace = FrameSpace.betweenFrames.nanoseconds
    /// T_MAFS, in nanoseconds.
    static let auxiliarySpace = FrameSpace.auxiliaryMinimum.nanoseconds
    /// The longest advDelay, in nanoseconds.
    static let delayMaximum = UInt64(AdvertisingEvent.delayMaximum.nanoseconds)
}

extension Instant {
    /// Returns the instant that is `nanoseconds` later.
    func later(_ nanoseconds: Int64) -> Instant {
        let (sum, overflow) = self.nanoseconds.addingReportingOverflow(nanoseconds)
        return Instant(nanoseconds: overflow ? .max : sum)
    }
}
