// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// How a set advertises: what the parameters of the legacy and of the extended commands both come
/// down to.
struct AdvertisingManner: Sendable {
    /// What others may do with it, and which packets say so.
    var properties: HCI.AdvertisingProperties
    /// From one event to the next, without the random delay: at least, and at most.
    var intervals: ClosedRange<Duration>
    /// On which primary channels.
    var channels = HCI.AdvertisingChannels.all
    /// Which of its own addresses the controller uses.
    var ownAddressType = HCI.OwnAddressType.public
    /// Whom it is for, if it is for one device, and the entry of the resolving list that makes the
    /// own address: an identity address.
    var peer = DeviceAddress(value: 0, kind: .public)
    /// Whose requests are answered.
    var filterPolicy = HCI.AdvertisingFilterPolicy.unfiltered
    /// What TxPower says, in dBm.
    var transmitPower: Int8 = 0
    /// By how many decibels that is less than the radio could do.
    var reduction: Int16 = 0
    /// How the packets on the primary channels are sent.
    var primary = Modulation.le1M
    /// How those on the secondary channels are.
    var secondary = Modulation.le1M
    /// The Advertising SID.
    var sid: UInt8 = 0
    /// Whether the host wants to know who asks for a scan response.
    var reportsScanRequests = false

    /// What a legacy host gets that sets no parameters (Vol 4, Part E, 7.8.5).
    static let standard = AdvertisingManner(
        properties: [.legacy, .connectable, .scannable],
        intervals: .milliseconds(1280) ... .milliseconds(1280)
    )

    var isLegacy: Bool { properties.contains(.legacy) }
    var isConnectable: Bool { properties.contains(.connectable) }
    var isScannable: Bool { properties.contains(.scannable) }
    var isDirected: Bool { properties.contains(.directed) }
    var isAnonymous: Bool { properties.contains(.anonymous) }
    var isHighDutyCycle: Bool { properties.contains(.highDutyCycle) }

    /// Whether somebody may ask for something after a packet.
    var allowsRequests: Bool { isConnectable || isScannable }

    /// Whether the packets have room for advertising data: all but ADV_DIRECT_IND and the extended
    /// ones that only invite to ask.
    var carriesData: Bool { isLegacy ? !isDirected : !isScannable }

    /// Whether the own address comes from the resolving list where it can.
    var isPrivate: Bool {
        ownAddressType == .resolvableOrPublic || ownAddressType == .resolvableOrRandom
    }

    /// Whether a device must be in the Filter Accept List to ask for a scan response. Directed
    /// advertising has a filter of its own: the target.
    var filtersScanRequests: Bool {
        !isDirected && (filterPolicy == .scanFiltered || filterPolicy == .filtered)
    }

    /// Whether a device must be in the Filter Accept List to ask for a connection.
    var filtersConnectionRequests: Bool {
        !isDirected && (filterPolicy == .connectFiltered || filterPolicy == .filtered)
    }
}

/// The rhythm of advertising, where the specification leaves it to the controller, or fixes it.
enum AdvertisingPace {
    /// What intervals can be asked for in legacy commands (Vol 4, Part E, 7.8.5).
    static let legacyIntervals = Duration.milliseconds(20) ... .milliseconds(10_240)
    /// What intervals can be asked for in extended commands, which have 24 bits for them
    /// (Vol 4, Part E, 7.8.53).
    static let extendedIntervals = Duration.milliseconds(20) ... .microseconds(0xFF_FFFF * 625)
    /// How long the radio takes to go to the next channel when nothing more comes on this one.
    static let channelChange: Int64 = 150_000
    /// From one ADV_DIRECT_IND to the next on a channel, at high duty cycle, at most
    /// (Vol 6, Part B, 4.4.2.4.3).
    static let highDutyInterval = Duration.microseconds(3_750)
    /// After how long high duty cycle advertising must end (Vol 6, Part B, 4.4.2.4.3).
    static let highDutyLimit = Duration.milliseconds(1_280)
    /// T_IFS, in nanoseconds.
    static let frameSpace = FrameSpace.betweenFrames.nanoseconds
    /// T_MAFS, in nanoseconds.
    static let auxiliarySpace = FrameSpace.auxiliaryMinimum.nanoseconds
    /// The longest advDelay, in nanoseconds.
    static let delayMaximum = UInt64(AdvertisingEvent.delayMaximum.nanoseconds)
}

extension Instant {
    /// The instant so many nanoseconds later.
    func later(_ nanoseconds: Int64) -> Instant {
        let (sum, overflow) = self.nanoseconds.addingReportingOverflow(nanoseconds)
        return Instant(nanoseconds: overflow ? .max : sum)
    }
}
