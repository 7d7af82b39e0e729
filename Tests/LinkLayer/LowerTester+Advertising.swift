// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import VirtualAdapters
import VirtualRadio

/// The packets on the advertising channels.
extension LowerTester {
    /// Reports a packet of the controller that has just ended.
    ///
    /// - Returns: Whether the world pauses, because the suite may answer.
    mutating func report(_ packet: AdvertisingPacket) -> Bool {
        switch packet.pdu {
        case .legacy(let pdu):
            // Within an event, each packet has a higher channel than the one before it.
            let isFirst = lastChannel.map { packet.transmission.channel.index <= $0.index } ?? true
            lastChannel = packet.transmission.channel
            if let request {
                self.request = nil
                send(request, to: pdu, after: packet)
                return false
            }
            if isFirst { report(pdu) }
            return isFirst
        case .scanResponse(let pdu):
            let content = RootCanalPacket.Content.scanResponse(
                own: pdu.advertiser.kind,
                data: pdu.data
            )
            report(content, from: pdu.advertiser, to: scanner)
            return false
        case .scanRequest(let pdu):
            let content = RootCanalPacket.Content.scanRequest(
                own: pdu.scanner.kind,
                advertiser: pdu.advertiser.kind
            )
            report(content, from: pdu.scanner, to: pdu.advertiser)
            return true
        case .connectionRequest(let pdu):
            guard let parameters = parameters(of: pdu) else { return false }
            report(.connectionRequest(parameters), from: pdu.initiator, to: pdu.advertiser)
            return true
        case .extended, .connectionResponse: return false
        }
    }

    /// Sends the answer of the suite to the packet of the controller that has just ended.
    mutating func answer(_ packet: AdvertisingPacket) {
        switch packet.pdu {
        case .legacy(let pdu):
            if let request { send(request, to: pdu, after: packet) }
            request = nil
        case .scanRequest:
            if let answer { sendScanResponse(answer, after: packet) }
        case .connectionRequest(let pdu):
            if case .connectionResponse? = answer?.packet.content { join(pdu) }
        default: break
        }
    }

    private mutating func report(_ pdu: LegacyAdvertisement) {
        let type: RootCanalPacket.AdvertisingType =
            switch (pdu.isConnectable, pdu.isScannable) {
            case (true, true): .undirected
            case (true, false): .directed
            case (false, true): .scannable
            case (false, false): .nonconnectable
            }
        let content = RootCanalPacket.Content.advertisement(
            type: type,
            own: pdu.advertiser.kind,
            target: pdu.target?.kind ?? .public,
            data: pdu.data
        )
        report(content, from: pdu.advertiser, to: pdu.target)
    }

    /// Adds a packet of the controller to the output.
    mutating func report(
        _ content: RootCanalPacket.Content,
        from source: DeviceAddress,
        to destination: DeviceAddress?
    ) {
        let packet = RootCanalPacket(
            source: source.value,
            destination: destination?.value ?? 0,
            content: content
        )
        output.append(.air(packet))
    }

    // MARK: The suite's packets

    /// Sends a scan request or a connection request T_IFS after the advertisement.
    private mutating func send(
        _ request: Waiting,
        to advertisement: LegacyAdvertisement,
        after packet: AdvertisingPacket
    ) {
        let pdu: AdvertisingPDU
        switch request.packet.content {
        case .scanRequest(let own, let advertiser):
            scanner = DeviceAddress(value: request.packet.source, kind: own)
            let asked = DeviceAddress(value: request.packet.destination, kind: advertiser)
            pdu = .scanRequest(
                ScanRequestPDU(set: advertisement.set, scanner: scanner, advertiser: asked)
            )
        case .connectionRequest(let parameters):
            let initiator = DeviceAddress(
                value: request.packet.source,
                kind: parameters.initiator
            )
            let asked = DeviceAddress(
                value: request.packet.destination,
                kind: parameters.advertiser
            )
            guard let link = propose(parameters, from: initiator, to: asked) else { return }
            pdu = .connectionRequest(
                ConnectIndication(
                    set: advertisement.set,
                    initiator: initiator,
                    advertiser: asked,
                    link: link,
                    isAuxiliary: false
                )
            )
        default: return
        }
        transmit(pdu, on: packet.transmission.channel, request.strength, at: answerStart)
    }

    private mutating func sendScanResponse(_ answer: Waiting, after packet: AdvertisingPacket) {
        guard case .scanResponse(let own, let data) = answer.packet.content else { return }
        let response = LegacyAdvertisement(
            set: 0,
            advertiser: DeviceAddress(value: answer.packet.source, kind: own),
            isConnectable: false,
            isScannable: false,
            data: data
        )
        let channel = packet.transmission.channel
        transmit(.scanResponse(response), on: channel, answer.strength, at: answerStart)
    }

    /// The instant T_IFS from now.
    private var answerStart: Instant { core.timeline.now + .microseconds(150) }

    private mutating func transmit(
        _ pdu: AdvertisingPDU,
        on channel: RadioChannel,
        _ strength: Int8,
        at start: Instant
    ) {
        core.ether.transmit(packet(pdu, on: channel, strength, at: start))
    }

    private func packet(
        _ pdu: AdvertisingPDU,
        on channel: RadioChannel,
        _ strength: Int8,
        at start: Instant
    ) -> AdvertisingPacket {
        AdvertisingPacket(
            pdu,
            from: tester,
            to: pdu.isAdvertisement ? nil : controller,
            on: channel,
            start: start,
            reduction: -Int16(strength)
        )
    }

    /// Lets time pass until the controller listens on a channel, and sends the waiting
    /// advertisement. If the controller neither scans nor initiates, or does not listen within
    /// 10.24 s, the advertisement is lost.
    mutating func placeAdvertisement() {
        guard let waiting = advertisement else { return }
        for _ in 0..<Self.leadLimit where held == nil && output.isEmpty {
            guard !core.ether.listeners.isEmpty, let pdu = waiting.legacyPDU else { break }
            if let packet = audiblePacket(pdu, waiting.strength) {
                core.ether.transmit(packet)
                break
            }
            run(for: .milliseconds(Self.lead), untilOutput: true)
        }
        if held == nil, output.isEmpty { advertisement = nil }
    }

    /// Returns the packet at the next time and on the channel at which the controller listens;
    /// `nil` if it does not listen within `lead`.
    private func audiblePacket(
        _ pdu: LegacyAdvertisement,
        _ strength: Int8
    ) -> AdvertisingPacket? {
        var listener = core.controllers[controller.index]
        for offset in 0..<Self.lead {
            let start = core.timeline.now + .milliseconds(offset)
            for channel in RadioChannel.primaryAdvertising {
                let packet = packet(.legacy(pdu), on: channel, strength, at: start)
                if listener.listens(to: packet, core.ether) { return packet }
            }
        }
        return nil
    }
}

extension LowerTester.Waiting {
    /// The advertisement on the air; `nil` for another packet, or if it is too long.
    fileprivate var legacyPDU: LegacyAdvertisement? {
        guard case .advertisement(let type, let own, let target, let data) = packet.content,
            data.count <= 31
        else { return nil }
        return LegacyAdvertisement(
            set: 0,
            advertiser: DeviceAddress(value: packet.source, kind: own),
            target: type == .directed
                ? DeviceAddress(value: packet.destination, kind: target) : nil,
            isConnectable: type == .undirected || type == .directed,
            isScannable: type == .undirected || type == .scannable,
            supportsChannelSelection2: false,
            data: type == .directed ? [] : data
        )
    }
}

extension AdvertisingPDU {
    /// Whether the packet is a legacy advertisement, which every radio may receive.
    fileprivate var isAdvertisement: Bool {
        if case .legacy = self { true } else { false }
    }
}
