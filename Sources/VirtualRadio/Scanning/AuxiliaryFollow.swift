// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// A packet on a secondary channel that the radio waits for because another packet pointed to it.
struct AuxiliaryFollow: Sendable {
    /// The packet that pointed to the awaited one.
    enum Announcement: Sendable {
        /// An ADV_EXT_IND that was received on the PHY.
        case primary(ExtendedAdvertisement, PHY)
        /// A packet with data, which the awaited packet continues.
        case chain(AdvertisementChain)
    }

    /// The longest time between a packet and the packet that it points to: the offset in an AuxPtr
    /// has 13 bits of 300 µs (Vol 6, Part B, 2.3.4.5).
    static let offsetLimit = Duration.microseconds(300 * 8_191)

    /// The channel, modulation and time of the awaited packet.
    let pointer: ExtendedAdvertisement.Pointer
    /// The packet that pointed to it.
    let announcement: Announcement
    /// The SID and the DID in the ADI of that packet.
    let sid: UInt8
    let dataID: UInt16
    /// The identity of the timer.
    let token: UInt64
    /// The timer that ends the wait.
    var timer: EventToken?

    /// Returns whether the packet has the channel, the PHY and the start of the awaited one.
    func awaits(_ packet: AdvertisingPacket) -> Bool {
        packet.transmission.start == pointer.start
            && packet.transmission.channel == pointer.channel
            && packet.modulation.phy == pointer.modulation.phy
    }

    /// The instant at which the wait ends: one microsecond after the end of the longest possible
    /// packet.
    var deadline: Instant {
        let length = PacketLength.header + PacketLength.advertisingPayloadLimit
        return pointer.start + pointer.modulation.airTime(pduLength: length) + .microseconds(1)
    }
}

/// The data of an extended advertisement or scan response, packet by packet.
struct AdvertisementChain: Sendable {
    /// The properties in the reports of the data.
    var heading: ReportHeading
    /// The key by which the duplicate filter recognizes the advertisement.
    var key: AdvertisementKey
    /// The number of bytes that have arrived.
    var length = 0
    /// The signal strength of the latest packet.
    var rssi: Int8
}

extension ExtendedAdvertisement.Pointer {
    /// Returns whether the pointer is valid: to a secondary channel, and within the range of the
    /// offset.
    func isValid(_ now: Instant) -> Bool {
        start > now && start <= now + AuxiliaryFollow.offsetLimit
            && !channel.isPrimary
    }
}

extension VirtualController {
    /// Waits for the packet to which the pointer points.
    ///
    /// - Returns: `false` if the pointer is invalid, or the radio already waits for
    ///   `Scanner.followLimit` packets.
    @discardableResult
    mutating func follow(
        _ pointer: ExtendedAdvertisement.Pointer,
        of pdu: ExtendedAdvertisement,
        _ announcement: AuxiliaryFollow.Announcement,
        _ ether: inout Ether
    ) -> Bool {
        guard scanner.follows.count < Scanner.followLimit, pointer.isValid(ether.now) else {
            return false
        }
        var follow = AuxiliaryFollow(
            pointer: pointer,
            announcement: announcement,
            sid: pdu.sid,
            dataID: pdu.dataID,
            token: ListeningToken.make(ether.now, isInitiator: false)
        )
        follow.timer = ether.schedule(.listen(follow.token), of: radio, at: follow.deadline)
        guard follow.timer != nil else { return false }
        scanner.follows.append(follow)
        return true
    }

    /// Returns and removes the follow of a packet that has just ended. Reserves the radio for the
    /// time of the packet.
    mutating func takeFollow(_ packet: AdvertisingPacket, _ ether: inout Ether) -> AuxiliaryFollow?
    {
        guard let place = scanner.follows.firstIndex(where: { $0.awaits(packet) }) else {
            return nil
        }
        var follow = scanner.follows.remove(at: place)
        ether.cancel(&follow.timer)
        ether.schedules[radio.index].reserve(
            from: packet.transmission.start,
            to: packet.transmission.end,
            now: ether.now
        )
        return follow
    }

    /// Ends the wait for a packet that did not arrive. If it was to continue an advertisement,
    /// reports that the rest of the data is lost.
    mutating func missFollow(_ token: UInt64, _ ether: inout Ether) {
        guard let place = scanner.follows.firstIndex(where: { $0.token == token }) else { return }
        let follow = scanner.follows.remove(at: place)
        guard case .chain(let chain) = follow.announcement else { return }
        truncate(chain, &ether)
    }

    /// Ends all waits for packets.
    mutating func dropFollows(_ ether: inout Ether) {
        for index in scanner.follows.indices { ether.cancel(&scanner.follows[index].timer) }
        scanner.follows = []
    }
}

/// The identities of the timers that end the wait for an auxiliary packet or an answer.
///
/// An identity consists of the end of the received packet that leads to the wait, and a bit for the
/// initiator. It is unique in the controller, also across a Reset, because the scanner and the
/// initiator each receive one packet at a time.
enum ListeningToken {
    /// Returns the identity of the timer for a wait that follows from a packet that ends now.
    static func make(_ now: Instant, isInitiator: Bool) -> UInt64 {
        UInt64(bitPattern: now.nanoseconds) << 1 | (isInitiator ? 1 : 0)
    }

    /// Returns whether the timer belongs to the initiator.
    static func isInitiator(_ token: UInt64) -> Bool { token & 1 == 1 }
}
