// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// Scan requests and connection requests to an advertiser (Vol 6, Part B, 4.4.2.3 to 4.4.2.7).
extension VirtualController {
    /// Handles a scan request.
    mutating func receive(
        _ request: ScanRequestPDU,
        in packet: AdvertisingPacket,
        rssi: Int8,
        _ ether: inout Ether
    ) {
        guard let index = requestedSet(request.set, as: request.advertiser, in: packet),
            advertiser.sets[index].configuration.isScannable,
            let scanner = requester(request.scanner),
            admits(scanner, index, \.filtersScanRequests),
            respond(index, to: packet, &ether),
            advertiser.sets[index].configuration.reportsScanRequests
        else { return }
        let received = HCI.LEScanRequestReceived(
            advertisingHandle: advertiser.sets[index].handle,
            scanner: scanner.reported
        )
        ether.emit(.scanRequestReceived(received), to: radio)
    }

    /// Sends the scan response T_IFS after the request.
    ///
    /// - Returns: `false` if the radio is not free.
    private mutating func respond(
        _ index: Int,
        to request: AdvertisingPacket,
        _ ether: inout Ether
    ) -> Bool {
        let start = ether.now.later(AdvertisingTiming.frameSpace)
        let channel = request.transmission.channel
        let response: AdvertisingPacket
        if advertiser.sets[index].configuration.isLegacy {
            response = AdvertisingPacket(
                .scanResponse(scanResponsePDU(advertiser.sets[index])),
                from: radio,
                to: request.sender,
                on: channel,
                start: start,
                reduction: advertiser.sets[index].configuration.reduction
            )
        } else {
            advertiser.sets[index].run?.isResponding = true
            advertiser.sets[index].run?.carriedBytes = 0
            response = auxiliaryPacket(
                index,
                .scanResponse,
                on: channel,
                to: request.sender,
                at: start
            )
        }
        guard send(response, of: index, &ether) else {
            advertiser.sets[index].run?.pointer = nil
            return false
        }
        cancelWait(index, &ether)
        return true
    }

    /// Handles a connection request.
    mutating func receive(
        _ request: ConnectIndication,
        in packet: AdvertisingPacket,
        rssi: Int8,
        _ ether: inout Ether
    ) {
        guard let index = requestedSet(request.set, as: request.advertiser, in: packet),
            advertiser.sets[index].configuration.isConnectable,
            request.isAuxiliary != advertiser.sets[index].configuration.isLegacy,
            let initiator = requester(request.initiator),
            admits(initiator, index, \.filtersConnectionRequests),
            !ether.hasLink(radio, to: initiator.identity)
        else { return }
        let set = advertiser.sets[index]
        let addresses = set.run?.addresses
        let identity = LinkIdentity(
            peer: initiator.identity,
            isPeerResolved: initiator.isResolved,
            peerPrivateAddress: initiator.isResolved ? initiator.address : nil,
            localPrivateAddress: addresses?.isOwnGenerated == true ? addresses?.own : nil
        )
        let handle = ether.joinLink(
            request.link,
            as: radio,
            identity,
            advertisingSet: set.isOfLegacyCommands ? nil : set.handle
        )
        guard let handle else { return }
        if request.isAuxiliary {
            answer(request, in: packet, weakerBy: set.configuration.reduction, &ether)
        }
        connect(index, as: handle, &ether)
    }

    /// Sends AUX_CONNECT_RSP, T_IFS after the request (Vol 6, Part B, 2.3.3.2).
    private func answer(
        _ request: ConnectIndication,
        in packet: AdvertisingPacket,
        weakerBy reduction: Int16,
        _ ether: inout Ether
    ) {
        let response = ConnectionResponse(
            advertiser: request.advertiser,
            initiator: request.initiator,
            link: request.link
        )
        let answer = AdvertisingPacket(
            .connectionResponse(response),
            from: radio,
            to: packet.sender,
            on: packet.transmission.channel,
            modulation: packet.modulation,
            start: ether.now.later(AdvertisingTiming.frameSpace),
            reduction: reduction
        )
        ether.schedules[radio.index].reserve(
            from: answer.transmission.start,
            to: answer.transmission.end,
            now: ether.now
        )
        ether.transmit(answer)
    }

    /// Returns whether the requester is the target, or, without a target, passes the filter policy.
    private func admits(
        _ requester: Requester,
        _ index: Int,
        _ isFiltered: (AdvertisingSetConfiguration) -> Bool
    ) -> Bool {
        let configuration = advertiser.sets[index].configuration
        if configuration.isDirected {
            return requester.identity == configuration.peer
                || requester.address == advertiser.sets[index].run?.addresses.target
        }
        return !isFiltered(configuration) || acceptList.contains(requester.identity)
    }

    /// Returns the index of the set to which a request that has just ended is addressed. Returns
    /// `nil` if the set did not listen for that request, or has another address in its current
    /// event.
    private func requestedSet(
        _ set: UInt8,
        as advertiserAddress: DeviceAddress,
        in packet: AdvertisingPacket
    ) -> Int? {
        guard let index = advertiser.index(of: set), let run = advertiser.sets[index].run,
            case .receiving(packet.transmission.start) = run.step,
            run.addresses.own == advertiserAddress
        else { return nil }
        return index
    }

    /// Returns the device behind the address of a request; `nil` if the request must be ignored,
    /// because it uses the identity address of a device in network privacy mode (Vol 6, Part B,
    /// 6.2).
    private mutating func requester(_ address: DeviceAddress) -> Requester? {
        switch resolvingList.resolve(address) {
        case .unresolved: Requester(address: address, identity: address, isResolved: false)
        case .identity(let identity):
            Requester(address: address, identity: identity, isResolved: true)
        case .refused: nil
        }
    }
}

/// The device that sent a request.
private struct Requester {
    /// The address on the air.
    let address: DeviceAddress
    /// The identity address if the controller resolved it, or the address on the air.
    let identity: DeviceAddress
    /// Whether the controller resolved the address.
    let isResolved: Bool

    /// The address that the controller reports to the host.
    var reported: HCI.PeerAddress {
        guard isResolved else { return HCI.PeerAddress(identity) }
        let type: HCI.AddressType = identity.kind == .public ? .publicIdentity : .randomIdentity
        return HCI.PeerAddress(type: type, value: identity.value)
    }
}
