// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

/// A link of the controller.
struct ModelLink: Sendable {
    let peer: DeviceAddress
    var recombiner = FrameRecombiner()
    /// The data packets that the controller has not passed on yet.
    var heldPackets: [HCI.ACLPacket] = []
}

// Links: their start, their end, and their data.
extension ModelController {
    /// Returns the handle of the link to a peer.
    func handle(of address: DeviceAddress) -> ConnectionHandle? {
        links.first { $0.value.peer == address }?.key
    }

    /// Creates a link if the host is initiating a connection to a peer that is present.
    mutating func connectIfPossible() {
        guard let initiation else { return }
        let wanted = initiation.target.map { [$0] } ?? acceptList
        let found = wanted.first { address in
            guard let peer = peers[address], handle(of: address) == nil else { return false }
            return peer.presence != .absent
        }
        guard let found else { return }
        self.initiation = nil
        beginLink(to: found)
    }

    /// Creates a link, whether or not the host requested it.
    mutating func beginLink(to address: DeviceAddress) {
        let handle = takeHandle()
        links[handle] = ModelLink(peer: address)
        sendConnectionComplete(.success, handle, address)
        if peers[address]?.presence == .neverEstablished {
            linkEnded(handle, .connectionFailedToBeEstablished)
        }
    }

    mutating func sendConnectionComplete(
        _ status: HCI.ErrorCode,
        _ handle: ConnectionHandle,
        _ address: DeviceAddress?,
        role: HCI.Role = .central
    ) {
        let peer = address.map { HCI.PeerAddress($0) } ?? .none
        let interval = HCI.ConnectionInterval(rawValue: 24)
        let timeout = HCI.Timeout(rawValue: 500)
        guard leEventMask.contains(.enhancedConnectionComplete) else {
            return send(
                .connectionComplete(
                    .init(
                        status: status,
                        connectionHandle: handle,
                        role: role,
                        peerAddress: peer,
                        interval: interval,
                        peripheralLatency: 0,
                        supervisionTimeout: timeout
                    )
                )
            )
        }
        send(
            .enhancedConnectionComplete(
                .init(
                    status: status,
                    connectionHandle: handle,
                    role: role,
                    peerAddress: peer,
                    localPrivateAddress: .init(value: 0),
                    peerPrivateAddress: .init(value: 0),
                    interval: interval,
                    peripheralLatency: 0,
                    supervisionTimeout: timeout
                )
            )
        )
    }

    /// Ends a link as the peer or the loss of the link does.
    mutating func dropLink(to address: DeviceAddress, _ reason: HCI.ErrorCode) {
        guard let handle = handle(of: address) else { return }
        linkEnded(handle, reason)
    }

    /// Delivers a packet to the peer, which may answer.
    mutating func deliver(_ packet: HCI.ACLPacket, on handle: ConnectionHandle) {
        guard case .frame(let frame)? = links[handle]?.recombiner.receive(packet),
            let address = links[handle]?.peer
        else { return }
        for answer in peers[address]?.receive(frame) ?? [] { sendFrame(answer, on: handle) }
    }

    /// Sends a frame of the peer in as many packets as needed.
    mutating func sendFrame(_ frame: [UInt8], on handle: ConnectionHandle) {
        for start in stride(from: 0, to: frame.count, by: fragmentLength) {
            let packet = HCI.ACLPacket(
                connectionHandle: handle,
                boundary: start == 0 ? .firstFlushable : .continuing,
                payload: frame[start..<min(frame.count, start + fragmentLength)]
            )
            sendBytes(packet.h4Bytes)
        }
    }

    /// Sends an ATT PDU of the peer.
    mutating func sendPDU(_ pdu: ATT.PDU, from address: DeviceAddress) {
        guard let handle = handle(of: address) else { return }
        sendFrame(L2CAPFrame.encode(pdu.encode(), on: .att), on: handle)
    }

    /// Sends a notification of the peer.
    mutating func notify(_ value: [UInt8], from address: DeviceAddress) {
        let notification = ATT.HandleValueNotification(
            handle: ModelServer.readableHandle,
            value: value[...]
        )
        sendPDU(.handleValueNotification(notification), from: address)
    }

    /// Requests other connection parameters on the signaling channel as the peer.
    mutating func requestParameters(
        _ request: ConnectionParametersRequest,
        from address: DeviceAddress
    ) {
        guard let handle = handle(of: address) else { return }
        sendFrame(L2CAPFrame.encode(request.encode(identifier: 1), on: .signaling), on: handle)
    }
}
