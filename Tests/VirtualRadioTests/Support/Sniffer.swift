// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import VirtualRadio

/// A recorder of every packet on the advertising channels of a world. The recorder has no radio.
final class Sniffer {
    /// The packets in the order of their ends.
    private(set) var packets: [AdvertisingPacket] = []

    /// Begins to record.
    init(_ world: World) {
        world.core.packetObserver = { [unowned self] in packets.append($0) }
    }

    /// Clears the record.
    func forget() { packets = [] }

    /// The packets by event. Each packet on the lowest primary channel that occurs begins an event.
    var events: [[AdvertisingPacket]] {
        let lowest = packets.map(\.channel).filter { $0 >= 37 }.min()
        return packets.reduce(into: []) { events, packet in
            if packet.channel == lowest || events.isEmpty { events.append([]) }
            events[events.count - 1].append(packet)
        }
    }
}

extension AdvertisingPacket {
    /// The index of the packet's channel.
    var channel: Int { transmission.channel.index }
    /// The time at which the packet began.
    var start: Instant { transmission.start }
    /// The time at which the packet ended.
    var end: Instant { transmission.end }

    /// The legacy advertisement, or `nil` for another PDU.
    var legacy: LegacyAdvertisement? {
        if case .legacy(let pdu) = pdu { pdu } else { nil }
    }

    /// The scan response of a legacy set, or `nil` for another PDU.
    var scanResponse: LegacyAdvertisement? {
        if case .scanResponse(let pdu) = pdu { pdu } else { nil }
    }

    /// The extended advertisement, or `nil` for another PDU.
    var extended: ExtendedAdvertisement? {
        if case .extended(let pdu) = pdu { pdu } else { nil }
    }

    /// The SCAN_REQ or AUX_SCAN_REQ, or `nil` for another PDU.
    var scanRequest: ScanRequestPDU? {
        if case .scanRequest(let pdu) = pdu { pdu } else { nil }
    }

    /// The CONNECT_IND or AUX_CONNECT_REQ, or `nil` for another PDU.
    var connectionRequest: ConnectIndication? {
        if case .connectionRequest(let pdu) = pdu { pdu } else { nil }
    }

    /// The answer to an AUX_CONNECT_REQ, or `nil` for another PDU.
    var connectionResponse: ConnectionResponse? {
        if case .connectionResponse(let pdu) = pdu { pdu } else { nil }
    }
}

extension Collection<Instant> {
    /// The intervals between successive instants.
    var gaps: [Duration] { zip(self, dropFirst()).map { $1 - $0 } }
}
