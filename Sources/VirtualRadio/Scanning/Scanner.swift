// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// How a controller scans (Vol 6, Part B, 4.4.3).
///
/// Terms: the *plan* says on which primary channel the radio is at any time; a *request* asks a
/// scannable advertiser for its response; a *follow* is the turn to an auxiliary packet that an
/// extended advertisement has announced.
///
/// A scanner uses what is left of the radio. It hears a packet if the plan, and nothing else, had the
/// radio from the packet's first bit to its last. While an initiator is at work as well, its
/// windows go first, and the scanner hears along if it scans the same PHY at that time.
package struct Scanner: Sendable {
    /// How many reports the duplicate filter remembers.
    static let duplicateLimit = 200
    /// How many announced packets can be waited for at a time.
    static let followLimit = 8

    /// How to scan: what the next LE Set Scan Enable starts.
    var settings = ScanSettings()
    /// Whether scanning is enabled, be it in the pause between two periods.
    package internal(set) var isEnabled = false
    /// Where the radio is; nil while it does not listen.
    var plan: ListeningPlan?

    /// Whether the same is reported more than once.
    var duplicates = HCI.DuplicateFilter.off
    /// What was reported, if duplicates are filtered.
    var reported = RecentKeys<AdvertisementKey>(limit: Scanner.duplicateLimit)
    /// What was answered, if duplicates are filtered: it is not asked again.
    var answered = RecentKeys<AdvertisementKey>(limit: Scanner.duplicateLimit)

    /// Whether it is time for a request.
    var backoff = ScanBackoff()
    /// The request whose response is waited for.
    var request: PendingScanRequest?
    /// The packets that are waited for on secondary channels, the first announced first.
    var follows: [AuxiliaryFollow] = []

    /// How long it listens at a time; zero for no end.
    var duration = Duration.zero
    /// How often it does so; zero for once.
    var period = Duration.zero
    /// The end of the present period of listening.
    var endTimer: EventToken?
    /// The beginning of the next.
    var periodTimer: EventToken?

    init() {}

    /// The scanning commands (Vol 4, Part E, 7.8.10, 7.8.11, 7.8.64, 7.8.65).
    static let handlers: [CommandHandler] = legacyHandlers + extendedHandlers
}

extension VirtualController {
    /// Whether the scanner listened to the packet.
    func scannerListens(to packet: AdvertisingPacket, _ ether: Ether) -> Bool {
        scannerExpects(packet) && isHere(during: packet.transmission, ether)
    }

    /// Whether the scanner would have the radio where the packet is: on the primary channel of its
    /// plan, or where it follows an announcement.
    func scannerExpects(_ packet: AdvertisingPacket) -> Bool {
        guard let plan = scanner.plan, packet.isAdvertisement else { return false }
        let transmission = packet.transmission
        guard transmission.channel.isPrimary else {
            return scanner.follows.contains { $0.awaits(packet) }
        }
        let from = transmission.start.nanoseconds
        let to = transmission.end.nanoseconds
        guard let channel = plan.channel(packet.modulation, from: from, to: to) else {
            return false
        }
        guard let other = initiator.plan, other.isOpen(from: from, to: to) else {
            return channel == transmission.channel.index
        }
        return other.channel(packet.modulation, from: from, to: to) == transmission.channel.index
    }

    /// Whether the radio was neither engaged nor, during a packet on a primary channel, waiting on a
    /// secondary one.
    func isHere(during packet: Transmission, _ ether: Ether) -> Bool {
        guard ether.schedules[radio.index].isFree(from: packet.start, to: packet.end) else {
            return false
        }
        return !packet.channel.isPrimary
            || scanner.follows.allSatisfy { $0.pointer.start >= packet.end }
                && initiator.follows.allSatisfy { $0.pointer.start >= packet.end }
    }

    /// A packet has arrived, to which the scanner or the initiator has listened.
    mutating func scannerHears(
        _ packet: AdvertisingPacket,
        rssi: Int8,
        _ ether: inout Ether
    ) {
        guard scanner.plan != nil else { return }
        switch packet.pdu {
        case .legacy(let pdu):
            guard scannerExpects(packet) else { return }
            hear(pdu, in: packet, rssi: rssi, &ether)
        case .scanResponse(let pdu): hear(response: pdu, in: packet, rssi: rssi, &ether)
        case .extended(let pdu):
            guard scanner.settings.isExtended else { return }
            hear(pdu, in: packet, rssi: rssi, &ether)
        case .scanRequest, .connectionRequest, .connectionResponse: break
        }
    }

    /// A turn to an auxiliary packet, or the wait for an answer, has come to nothing.
    mutating func listeningTurns(_ token: UInt64, _ ether: inout Ether) {
        if ListeningToken.isInitiator(token) {
            initiatorWaitEnds(token, &ether)
        } else {
            missFollow(token, &ether)
        }
    }

    /// Says whether the radio may hear what is not addressed to it.
    func updateAttention(_ ether: inout Ether) {
        ether.setAttentive(scanner.plan != nil || initiator.plan != nil, radio)
    }
}

extension RadioChannel {
    /// Whether advertising begins here; the others are for auxiliary packets and connections.
    var isPrimary: Bool { index >= 37 }
}

extension AdvertisingPacket {
    /// Whether whoever listens may hear it, not only whom it answers.
    var isAdvertisement: Bool {
        switch pdu {
        case .legacy, .extended: true
        case .scanResponse, .scanRequest, .connectionRequest, .connectionResponse: false
        }
    }
}
