// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes
import Testing

/// GATT/SR/UNS: the server's response to unknown PDUs. A client has to pass these cases too, since
/// a bearer has a server at each end.
@Suite struct UnsupportedPDUTests {
    @Test("GATT/SR/UNS/BI-01-C: An unsupported request is refused", arguments: ["24", "3F 0100"])
    func refusesRequests(pdu: String) {
        var bearer = ATTBearer()
        #expect(bearer.receive(bytes(pdu)[...]) == .answered)
        let opcode = bytes(pdu)[0]
        #expect(bearer.nextPDU(now: .zero)?.bytes == [0x01, opcode, 0x00, 0x00, 0x06])
        #expect(bearer.nextPDU(now: .zero) == nil)
    }

    @Test("GATT/SR/UNS/BI-02-C: An unsupported command is ignored", arguments: ["44", "7F 0100"])
    func ignoresCommands(pdu: String) {
        var bearer = ATTBearer()
        let opcode = ATT.Opcode(rawValue: bytes(pdu)[0])
        #expect(bearer.receive(bytes(pdu)[...]) == .ignored(.command(opcode)))
        #expect(bearer.nextPDU(now: .zero) == nil)
    }
}
