// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// A packet on a secondary channel that was announced, and is waited for.
struct AuxiliaryFollow: Sendable {
    /// Who announced it.
    enum Announcement: Sendable {
        /// ADV_EXT_IND, heard on the PHY.
        case primary(ExtendedAdvertisement, PHY)
        /// A packet with data, of which the next one holds more.
        case chain(AdvertisementChain)
    }

    /// How far ahead a packet can be announced: an AuxPtr counts 13 bits of 300 µs (Vol 6, Part B,
    /// 2.3.4.5).
    static let offsetLimit = Duration.microseconds(300 * 8_191)

    /// Where and when it is.
    let pointer: ExtendedAdvertisement.Pointer
    /// Who announced it.
    let announcement: Announcement
    /// Whose it is: the ADI of the announcement.
    let sid: UInt8
    let dataID: UInt16
    /// The name of its timer.
    let token: UInt64
    /// When it is given up.
    var timer: EventToken?

    /// Whether the packet is the one that is waited for, as far as place and time tell.
    func awaits(_ packet: AdvertisingPacket) -> Bool {
        packet.transmission.start == pointer.start
            && packet.transmission.channel == pointer.channel
            && packet.modulation.phy == pointer.modulation.phy
    }

    /// When the longest packet would have ended.
    var deadline: Instant {
        let length = PacketLength.header + PacketLength.advertisingPayloadLimit
        return pointer.start + pointer.modulation.airTime(pduLength: length) + .microseconds(1)
    }
}

/// The data of an extended advertisement or response, packet by packet.
struct AdvertisementChain: Sendable {
    /// How it is reported.
    var heading: ReportHeading
    /// By which it is known again.
    var key: AdvertisementKey
    /// How many octets have come.
    var length = 0
    /// How strong the latest packet was.
    var rssi: Int8
}

extension ExtendedAdvertisement.Pointer {
    /// Whether it points where an auxiliary packet can be.
    func isSensible(_ now: Instant) -> Bool {
        start > now && start <= now + AuxiliaryFollow.offsetLimit
            && !channel.isPrimary
    }
}

extension VirtualController {
    /// Turns to the packet when it comes. False if it cannot: too many are waited for, or nothing
    /// can be there.
    @discardableResult
    mutating func follow(
        _ pointer: ExtendedAdvertisement.Pointer,
        of pdu: ExtendedAdvertisement,
        _ announcement: AuxiliaryFollow.Announcement,
        _ ether: inout Ether
    ) -> Bool {
        guard scanner.follows.count < Scanner.followLimit, pointer.isSensible(ether.now) else {
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

    /// Takes the follow out that has led to the packet, which has just ended.
    mutating func takeFollow(_ packet: AdvertisingPacket, _ ether: inout Ether) -> AuxiliaryFollow?
    {
        guard let place = scanner.follows.firstIndex(where: { $0.awaits(packet) }) else {
            return nil
        }
        var follow = scanner.follows.remove(at: place)
        ether.cancel(&follow.timer)
        ether.schedules[radio.index].engage(
            from: packet.transmission.start,
            to: packet.transmission.end,
            now: ether.now
        )
        return follow
    }

    /// The packet has not come.
    mutating func missFollow(_ token: UInt64, _ ether: inout Ether) {
        guard let place = scanner.follows.firstIndex(where: { $0.token == token }) else { return }
        let follow = scanner.follows.remove(at: place)
        guard case .chain(let chain) = follow.announcement else { return }
        truncate(chain, &ether)
    }

    /// No more packets are waited for.
    mutating func dropFollows(_ ether: inout Ether) {
        for index in scanner.follows.indices { ether.cancel(&scanner.follows[index].timer) }
        scanner.follows = []
    }
}

/// The names of timers for listening: unlike all others of the controller, also of those that were
/// set before a Reset, since a scanner hears one packet at a time.
enum ListeningToken {
    /// The name of a timer set at the instant.
    static func make(_ now: Instant, isInitiator: Bool) -> UInt64 {
        UInt64(bitPattern: now.nanoseconds) << 1 | (isInitiator ? 1 : 0)
    }

    /// Whether the timer is the initiator's.
    static func isInitiator(_ token: UInt64) -> Bool { token & 1 == 1 }
}
