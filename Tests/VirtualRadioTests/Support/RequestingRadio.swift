// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import Testing
import VirtualRadio

/// A radio that sends requests to an advertiser at the times that a test chooses, without the use
/// of its Link Layer.
final class RequestingRadio {
    /// The time limit for each awaited packet.
    static let timeLimit = Duration.seconds(30)

    let world: World
    let sniffer: Sniffer
    /// The identifier of the radio.
    let radio: RadioID
    /// The address of the radio.
    var address = DeviceAddress(value: 0x0000_5E00_0002, kind: .public)
    /// The time by which the request starts later than T_IFS after the packet.
    var lateness = Duration.zero
    /// A closure that receives the start of a request before the request is sent.
    var willRequest: ((Instant) -> Void)?
    /// The address in the request, if it is not the address in the advertisement.
    var advertiser: DeviceAddress?

    /// Adds the radio to the world.
    init(_ world: World, _ sniffer: Sniffer) throws {
        self.world = world
        self.sniffer = sniffer
        radio = try world.addController().radio
    }

    /// Sends SCAN_REQ on channel 38 of the next event. Returns the advertiser's answer.
    @discardableResult
    func requestScan() throws -> AdvertisingPacket? {
        let (packet, end) = try nextOnChannel38()
        let pdu = try #require(packet.legacy)
        let request = ScanRequestPDU(
            set: pdu.set,
            scanner: address,
            advertiser: advertiser ?? pdu.advertiser
        )
        return send(.scanRequest(request), to: packet.sender, on: 38, .le1M, after: end)
    }

    /// Sends CONNECT_IND on channel 38 of the next event. Returns the advertiser's answer. A
    /// correct advertiser sends no answer.
    @discardableResult
    func requestConnection() throws -> AdvertisingPacket? {
        let (packet, end) = try nextOnChannel38()
        let pdu = try #require(packet.legacy)
        let request = try connectionRequest(pdu.set, pdu.advertiser, .le1M, isAuxiliary: false)
        return send(.connectionRequest(request), to: packet.sender, on: 38, .le1M, after: end)
    }

    /// Sends AUX_SCAN_REQ after the auxiliary packet of the next event. Returns the advertiser's
    /// answer.
    @discardableResult
    func requestAuxiliaryScan() throws -> AdvertisingPacket? {
        let (packet, end) = try nextAuxiliary()
        let pdu = try #require(packet.extended)
        let request = ScanRequestPDU(
            set: pdu.set,
            scanner: address,
            advertiser: try #require(advertiser ?? pdu.advertiser)
        )
        return send(
            .scanRequest(request),
            to: packet.sender,
            on: try #require(announced?.channel.index),
            packet.modulation,
            after: end
        )
    }

    /// Sends AUX_CONNECT_REQ after the auxiliary packet of the next event. Returns the advertiser's
    /// answer.
    @discardableResult
    func requestAuxiliaryConnection() throws -> AdvertisingPacket? {
        let (packet, end) = try nextAuxiliary()
        let pdu = try #require(packet.extended)
        let request = try connectionRequest(
            pdu.set,
            try #require(pdu.advertiser),
            packet.modulation,
            isAuxiliary: true
        )
        return send(
            .connectionRequest(request),
            to: packet.sender,
            on: try #require(announced?.channel.index),
            packet.modulation,
            after: end
        )
    }

    private var announced: ExtendedAdvertisement.Pointer?

    /// Returns the packet on channel 37 of the next event, and the expected end of the following
    /// packet on channel 38. The previous event gives the time between the two packets.
    private func nextOnChannel38() throws -> (AdvertisingPacket, end: Instant) {
        let first = try waitFor { $0.channel == 37 }
        let second = try waitFor { $0.channel == 38 }
        let next = try waitFor { $0.channel == 37 }
        return (next, next.end + (second.end - first.end))
    }

    /// Returns an auxiliary packet, and the expected end of the next auxiliary packet.
    private func nextAuxiliary() throws -> (AdvertisingPacket, end: Instant) {
        let packet = try waitFor { $0.extended?.kind == .auxiliary }
        let primary = try waitFor { $0.extended?.pointer != nil && $0.channel == 39 }
        announced = primary.extended?.pointer
        let start = try #require(announced?.start)
        return (packet, start + (packet.end - packet.start))
    }

    private func waitFor(
        _ condition: (AdvertisingPacket) -> Bool
    ) throws -> AdvertisingPacket {
        sniffer.forget()
        world.run(until: { sniffer.packets.contains(where: condition) }, bound: Self.timeLimit)
        return try #require(
            sniffer.packets.last { condition($0) },
            "The sniffer has recorded no matching packet"
        )
    }

    private func send(
        _ pdu: AdvertisingPDU,
        to advertiser: RadioID,
        on channel: Int,
        _ modulation: Modulation,
        after end: Instant
    ) -> AdvertisingPacket? {
        guard let channel = RadioChannel(channel) else { return nil }
        let request = AdvertisingPacket(
            pdu,
            from: radio,
            to: advertiser,
            on: channel,
            modulation: modulation,
            start: end + FrameSpace.betweenFrames + lateness
        )
        willRequest?(request.start)
        world.core.ether.transmit(request)
        sniffer.forget()
        world.run(until: request.end + FrameSpace.betweenFrames + .milliseconds(20))
        return sniffer.packets.first {
            $0.sender == advertiser && $0.start == request.end + FrameSpace.betweenFrames
                && $0.transmission.channel == channel
        }
    }

    private func connectionRequest(
        _ set: UInt8,
        _ advertiser: DeviceAddress,
        _ modulation: Modulation,
        isAuxiliary: Bool
    ) throws -> ConnectIndication {
        let proposal = LinkProposal(
            central: radio,
            centralAddress: address,
            peripheralAddress: advertiser,
            parameters: LinkParameters(
                interval: .milliseconds(30),
                latency: 0,
                supervisionTimeout: .seconds(1)
            ),
            modulation: modulation,
            isAuxiliary: isAuxiliary
        )
        let link = world.core.ether.proposeLink(proposal)
        return ConnectIndication(
            set: set,
            initiator: address,
            advertiser: self.advertiser ?? advertiser,
            link: try #require(link),
            isAuxiliary: isAuxiliary
        )
    }
}
