// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import VirtualAdapters
import VirtualRadio

/// A link between the controller under test and the lower tester.
struct TestLink {
    /// The address of the controller under test.
    var controller: DeviceAddress
    /// The address of the lower tester.
    var tester: DeviceAddress
}

/// The links. The controller of the lower tester runs the Link Layer at the tester's end.
extension LowerTester {
    /// Returns the parameters of a connection request of the controller.
    func parameters(of request: ConnectIndication) -> RootCanalPacket.ConnectionParameters? {
        guard let proposal = core.ether.links[request.link]?.proposal else { return nil }
        return parameters(of: proposal)
    }

    private func parameters(of proposal: LinkProposal) -> RootCanalPacket.ConnectionParameters {
        RootCanalPacket.ConnectionParameters(
            initiator: proposal.centralAddress.kind,
            advertiser: proposal.peripheralAddress.kind,
            interval: UInt16(clamping: proposal.parameters.interval.nanoseconds / 1_250_000),
            latency: UInt16(clamping: proposal.parameters.latency),
            timeout: UInt16(
                clamping: proposal.parameters.supervisionTimeout.nanoseconds / 10_000_000
            )
        )
    }

    /// Prepares a link for a connection request of the suite.
    mutating func propose(
        _ parameters: RootCanalPacket.ConnectionParameters,
        from initiator: DeviceAddress,
        to advertiser: DeviceAddress
    ) -> LinkID? {
        let proposal = LinkProposal(
            central: tester,
            centralAddress: initiator,
            peripheralAddress: advertiser,
            parameters: LinkParameters(
                interval: .microseconds(1_250) * Int(parameters.interval),
                latency: Int(parameters.latency),
                supervisionTimeout: .milliseconds(10) * Int(parameters.timeout)
            ),
            usesChannelSelection2: false
        )
        return core.ether.proposeLink(proposal)
    }

    /// Makes the lower tester the central of a link that its request has just created, if the
    /// controller has accepted the request.
    mutating func open(_ request: ConnectIndication) {
        guard let link = core.ether.links[request.link], link.peripheral != nil else {
            return core.ether.abandonLink(request.link)
        }
        core.ether.openLink(request.link, LinkIdentity(peer: request.advertiser))
        guard let handle = core.ether.links[request.link]?.central?.handle else { return }
        links[handle] = TestLink(controller: request.advertiser, tester: request.initiator)
        var parameters = parameters(of: link.proposal)
        parameters.initiator = request.initiator.kind
        parameters.advertiser = request.advertiser.kind
        report(.connectionResponse(parameters), from: request.advertiser, to: request.initiator)
    }

    /// Makes the lower tester the peripheral of a link that the controller requests.
    mutating func join(_ request: ConnectIndication) {
        let handle = core.ether.joinLink(
            request.link,
            as: tester,
            LinkIdentity(peer: request.initiator),
            advertisingSet: nil
        )
        guard let handle else { return }
        links[handle] = TestLink(controller: request.initiator, tester: request.advertiser)
    }

    /// Handles a packet of the lower tester's controller to its host.
    mutating func testerReceives(_ packet: [UInt8]) {
        guard packet.count >= 3, packet[0] == 0x04 else { return }
        let parameters = packet.dropFirst(3)
        switch (packet[1], parameters.first) {
        case (0x05, 0x00?): testerDisconnected(Array(parameters))
        case (0x3E, 0x05?): testerIsAskedForKey(Array(parameters))
        default: break
        }
    }

    /// Handles Disconnection Complete: status, handle, reason.
    private mutating func testerDisconnected(_ parameters: [UInt8]) {
        guard parameters.count == 4, let link = links.removeValue(forKey: handle(parameters))
        else { return }
        let ownReasons: [HCI.ErrorCode] = [
            .connectionTerminatedByLocalHost, .connectionTimeout,
            .connectionFailedToBeEstablished, .messageIntegrityFailure,
        ]
        guard !ownReasons.contains(HCI.ErrorCode(rawValue: parameters[3])) else { return }
        report(.disconnection(reason: parameters[3]), from: link.controller, to: link.tester)
    }

    /// Handles LE Long Term Key Request: subevent, handle, random number, diversifier. RootCanal
    /// sends the key itself to the peer.
    private mutating func testerIsAskedForKey(_ parameters: [UInt8]) {
        guard parameters.count == 13, let link = links[handle(parameters)] else { return }
        let content = RootCanalPacket.Content.encryptionRequest(
            random: Array(parameters[3..<11]),
            diversifier: UInt16(parameters[11]) | UInt16(parameters[12]) << 8,
            key: key
        )
        report(content, from: link.controller, to: link.tester)
    }

    /// Returns the handle in the second and third byte.
    private func handle(_ parameters: [UInt8]) -> ConnectionHandle {
        ConnectionHandle(rawValue: (UInt16(parameters[1]) | UInt16(parameters[2]) << 8) & 0x0FFF)
    }

    // MARK: Control PDUs

    /// Reports a control PDU that the controller has just sent, if it belongs to a change of the
    /// PHY.
    ///
    /// - Returns: Whether the world pauses, because the suite may answer.
    mutating func reportControl(_ id: LinkID) -> Bool {
        guard let link = core.ether.links[id], let side = side(of: controller, link),
            let names = names(of: link), case .control(let pdu)? = link[side]?.outgoing?.content
        else {
            sentPDUs[id] = nil
            return false
        }
        guard sentPDUs.updateValue(pdu, forKey: id) != pdu else { return false }
        switch pdu {
        case .phyRequest(let offer):
            let (send, receive) = (offer.send.rawValue, offer.receive.rawValue)
            report(
                .phyRequest(send: send, receive: receive),
                from: names.controller,
                to: names.tester
            )
            // The suite answers the request or, as the central, decides the PHYs.
            return true
        case .phyResponse(let offer):
            let (send, receive) = (offer.send.rawValue, offer.receive.rawValue)
            report(
                .phyResponse(send: send, receive: receive),
                from: names.controller,
                to: names.tester
            )
            // The suite, as the central, decides the PHYs.
            return true
        case .phyUpdateIndication(let decision):
            let content = RootCanalPacket.Content.phyUpdate(
                toPeripheral: decision.centralToPeripheral?.mask ?? 0,
                toCentral: decision.peripheralToCentral?.mask ?? 0
            )
            report(content, from: names.controller, to: names.tester)
            return false
        default: return false
        }
    }

    /// Makes the lower tester prefer the PHYs in the suite's answer or decision. In a decision, 0
    /// leaves the PHY of the direction unchanged.
    mutating func answerControl(_ id: LinkID) {
        guard let link = core.ether.links[id], let side = side(of: tester, link),
            let settings = link[side]?.settings
        else { return }
        let preference: (send: UInt8, receive: UInt8)
        switch answer?.packet.content {
        case .phyResponse(let send, let receive)?: preference = (send, receive)
        case .phyUpdate(let send, let receive)?:
            preference = (
                send == 0 ? settings.sending.phy.mask : send,
                receive == 0 ? settings.receiving.mask : receive
            )
        default: return
        }
        link[side]?.procedures.preference = HCI.PHYPreference(
            transmit: HCI.PHYSet(rawValue: preference.send),
            receive: HCI.PHYSet(rawValue: preference.receive)
        )
        core.ether.links[id] = link
    }

    private func side(of radio: RadioID, _ link: RadioLink) -> LinkSide? {
        LinkSide.allCases.first { link[$0]?.radio == radio }
    }

    private func names(of link: RadioLink) -> TestLink? {
        side(of: tester, link).flatMap { link[$0]?.handle }.flatMap { links[$0] }
    }

    // MARK: The suite's packets

    /// Sends a packet of the suite, or keeps it until it can be sent.
    ///
    /// - Returns: Whether the lower tester can send such a packet.
    mutating func airSends(_ packet: RootCanalPacket, strength: Int8) -> Bool {
        let waiting = Waiting(packet: packet, strength: strength)
        switch packet.content {
        case .advertisement: advertisement = waiting
        case .scanRequest, .connectionRequest: request = waiting
        case .scanResponse, .connectionResponse, .phyResponse, .phyUpdate: answer = waiting
        case .disconnection(let reason): command(0x0406, packet, [reason])
        case .encryptionResponse(0, let key): command(0x201A, packet, key)
        case .encryptionResponse: command(0x201B, packet, [])
        case .encryptionRequest(let random, let diversifier, let key):
            let bytes = [UInt8(truncatingIfNeeded: diversifier), UInt8(diversifier >> 8)]
            command(0x2019, packet, random + bytes + key)
        case .phyRequest(let send, let receive):
            command(0x2032, packet, [0, send, receive, 0, 0])
        // Our Link Layer has no such packet, or no test sends it.
        default: return false
        }
        return true
    }

    /// Sends a command whose parameters begin with the handle of a link to the lower tester's
    /// controller. Without the link, sends nothing.
    private mutating func command(
        _ opcode: UInt16,
        _ packet: RootCanalPacket,
        _ parameters: [UInt8]
    ) {
        let found = links.first {
            $0.value.tester.value == packet.source
                && $0.value.controller.value == packet.destination
        }
        guard let handle = found?.key.rawValue else { return }
        let body = [UInt8(handle & 0xFF), UInt8(handle >> 8)] + parameters
        let header = [0x01, UInt8(opcode & 0xFF), UInt8(opcode >> 8), UInt8(body.count)]
        send(header + body, to: tester)
    }
}

extension PHY {
    /// The bit of the PHY; 0 for an unknown one.
    fileprivate var mask: UInt8 {
        switch self {
        case .le1M: 0x01
        case .le2M: 0x02
        case .leCoded: 0x04
        default: 0
        }
    }
}
