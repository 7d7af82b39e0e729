// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The scanner of a controller (Vol 6, Part B, 4.4.3).
///
/// Terms: the *plan* determines the primary channel on which the radio listens at any time. A
/// *request* asks a scannable advertiser for its scan response. A *follow* is the wait for an
/// auxiliary packet to which an extended advertisement points.
///
/// The scanner uses the time in which the radio has no other task. It receives a packet if the plan
/// was on its channel, and the radio was free, from the packet's first bit to its last. While the
/// controller also initiates, the windows of the initiator take precedence, and the scanner
/// receives in them if it scans the same PHY at that time.
package struct Scanner: Sendable {
    /// The capacity of the duplicate filter.
    static let duplicateLimit = 200
    /// The maximum number of follows at one time.
    static let followLimit = 8

    /// The scan parameters, which do not change while scanning is enabled.
    var settings = ScanSettings()
    /// Whether scanning is enabled, including the pause between two periods.
    package internal(set) var isEnabled = false
    /// The plan; `nil` while the scanner does not listen.
    var plan: ListeningPlan?

    /// The duplicate filter of the host.
    var duplicates = HCI.DuplicateFilter.off
    /// The keys of reported advertisements, if duplicates are filtered.
    var reported = RecentKeys<AdvertisementKey>(limit: Scanner.duplicateLimit)
    /// The keys of advertisers that have answered a request, if duplicates are filtered. They get
    /// no second request.
    var answered = RecentKeys<AdvertisementKey>(limit: Scanner.duplicateLimit)

    /// The backoff for requests.
    var backoff = ScanBackoff()
    /// The request whose response is awaited.
    var request: PendingScanRequest?
    /// The packets that are awaited on secondary channels, in the order of their announcement.
    var follows: [AuxiliaryFollow] = []

    /// The scan duration; zero for no end.
    var duration = Duration.zero
    /// The scan period; zero for a single duration.
    var period = Duration.zero
    /// The timer of the end of the current duration.
    var endTimer: EventToken?
    /// The timer of the beginning of the next period.
    var periodTimer: EventToken?

    init() {}

    /// The handlers of the scanning commands (Vol 4, Part E, 7.8.10, 7.8.11, 7.8.64, 7.8.65).
    static let handlers: [CommandHandler] = legacyHandlers + extendedHandlers
}

extension VirtualController {
    /// Returns whether the scanner listened to the packet.
    mutating func scannerListens(to packet: AdvertisingPacket, _ ether: Ether) -> Bool {
        scannerExpects(packet) && isAvailable(during: packet.transmission, ether)
    }

    /// Returns whether the scanner's plan or one of its follows includes the packet. The caller
    /// checks whether the radio is free.
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

    /// Returns whether the radio was free to listen during the packet: it was not reserved. For a
    /// packet on a primary channel, it also did not wait for a packet on a secondary channel.
    func isAvailable(during packet: Transmission, _ ether: Ether) -> Bool {
        guard ether.schedules[radio.index].isFree(from: packet.start, to: packet.end) else {
            return false
        }
        return !packet.channel.isPrimary
            || scanner.follows.allSatisfy { $0.pointer.start >= packet.end }
                && initiator.follows.allSatisfy { $0.pointer.start >= packet.end }
    }

    /// Handles a packet that the scanner or the initiator has received.
    mutating func scannerReceives(
        _ packet: AdvertisingPacket,
        rssi: Int8,
        _ ether: inout Ether
    ) {
        guard scanner.plan != nil else { return }
        switch packet.pdu {
        case .legacy(let pdu):
            guard scannerExpects(packet) else { return }
            receive(pdu, in: packet, rssi: rssi, &ether)
        case .scanResponse(let pdu): receive(response: pdu, in: packet, rssi: rssi, &ether)
        case .extended(let pdu):
            guard scanner.settings.isExtended else { return }
            receive(pdu, in: packet, rssi: rssi, &ether)
        case .scanRequest, .connectionRequest, .connectionResponse: break
        }
    }

    /// Handles a timer of listening: an auxiliary packet or an answer did not arrive.
    mutating func listeningTurns(_ token: UInt64, _ ether: inout Ether) {
        if ListeningToken.isInitiator(token) {
            initiatorWaitEnds(token, &ether)
        } else {
            missFollow(token, &ether)
        }
    }

    /// Passes the plans of the scanner and the initiator to the ether, after a change of either
    /// plan.
    func updateListener(_ ether: inout Ether) {
        ether.setListener(
            Listener(radio: radio, scanning: scanner.plan, initiating: initiator.plan)
        )
    }
}

extension RadioChannel {
    /// Whether this is a primary advertising channel. The others are for auxiliary packets and
    /// connections.
    var isPrimary: Bool { index >= 37 }
}

extension AdvertisingPacket {
    /// Whether every scanner and initiator can receive the packet, and not only its addressee.
    var isAdvertisement: Bool {
        switch pdu {
        case .legacy, .extended: true
        case .scanResponse, .scanRequest, .connectionRequest, .connectionResponse: false
        }
    }
}
