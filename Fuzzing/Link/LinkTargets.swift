// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothSMP
import BluetoothTypes

extension FuzzTarget {
    static let linkTargets = [
        FuzzTarget("recombination", fuzzRecombination),
        FuzzTarget("channels", fuzzChannels),
        FuzzTarget("pdus", fuzzPDUs),
        FuzzTarget("gatt-server", fuzzServer),
        FuzzTarget("gatt-client", fuzzClient),
        FuzzTarget("pairing", fuzzPairing),
        FuzzTarget("host", fuzzHost),
    ]
}

/// Reads fragments in any order. A whole frame must be accepted after all of them.
private func fuzzRecombination(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let limit = 23 + Int(input.byte())
    var recombiner = FrameRecombiner(receiveLimit: limit)
    while !input.isAtEnd {
        let boundary = HCI.PacketBoundary(rawValue: input.byte() & 3) ?? .continuing
        let fragment = fragment(boundary, input.bytes())
        if case .frame(let frame) = recombiner.receive(fragment) {
            require(frame.payload.count <= limit, "a frame longer than the limit")
        }
    }
    let whole = L2CAPFrame.encode([1, 2, 3], on: .att)
    let verdict = recombiner.receive(fragment(.firstFlushable, whole))
    require(
        verdict == .frame(L2CAPFrame(channel: .att, payload: [1, 2, 3])),
        "a whole frame is lost"
    )
}

private func fragment(_ boundary: HCI.PacketBoundary, _ bytes: [UInt8]) -> HCI.ACLPacket {
    HCI.ACLPacket(
        connectionHandle: ConnectionHandle(rawValue: 0x40),
        boundary: boundary,
        payload: bytes[...]
    )
}

/// Reads a PDU. The first byte selects the protocol. A PDU must be the same when it is written and
/// read again.
private func fuzzPDUs(_ bytes: [UInt8]) {
    let payload = bytes.dropFirst()
    switch (bytes.first ?? 0) % 3 {
    case 0:
        guard let pdu = try? ATT.PDU(parsing: payload) else { return }
        require((try? ATT.PDU(parsing: pdu.encode()[...])) == pdu, "another ATT PDU comes back")
    case 1:
        guard let packet = try? Signaling.Packet(parsing: payload) else { return }
        let again = try? Signaling.Packet(parsing: packet.encode()[...])
        require(again == packet, "another signaling packet comes back")
    default:
        guard let pdu = try? SMP.PDU(parsing: payload) else { return }
        require((try? SMP.PDU(parsing: pdu.encode()[...])) == pdu, "another SMP PDU comes back")
    }
}
