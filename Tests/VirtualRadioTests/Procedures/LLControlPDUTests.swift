// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import VirtualRadio

@Suite("LL control PDUs")
struct LLControlPDUTests {
    @Test(
        "Opcodes and lengths match the specification",
        arguments: [
            (LLControlPDU.channelMapIndication(channels: 3, instant: 1), UInt8(0x01), 8),
            (.terminateIndication(.remoteUserTerminatedConnection), 0x02, 2),
            (.encryptionResponse(diversifier: 1, vector: 2), 0x04, 13),
            (.startEncryptionRequest, 0x05, 1), (.startEncryptionResponse, 0x06, 1),
            (.unknownResponse(opcode: 7), 0x07, 2), (.featureRequest([]), 0x08, 9),
            (.featureResponse([]), 0x09, 9), (.pauseEncryptionRequest, 0x0A, 1),
            (.pauseEncryptionResponse, 0x0B, 1),
            (.versionIndication(ControllerConfiguration().linkVersion), 0x0C, 6),
            (.rejectIndication(.pinOrKeyMissing), 0x0D, 2),
            (.peripheralFeatureRequest([]), 0x0E, 9),
            (.connectionParameterRequest(.milliseconds(30)), 0x0F, 24),
            (.connectionParameterResponse(.milliseconds(30)), 0x10, 24),
            (.extendedRejectIndication(opcode: 3, .pinOrKeyMissing), 0x11, 3),
            (.pingRequest, 0x12, 1), (.pingResponse, 0x13, 1),
            (.phyRequest(PHYOffer(send: [], receive: [])), 0x16, 3),
            (.phyResponse(PHYOffer(send: [], receive: [])), 0x17, 3),
            (.unknown(opcode: 0x55, length: 4), 0x55, 5),
        ]
    )
    func form(pdu: LLControlPDU, opcode: UInt8, length: Int) {
        #expect(pdu.opcode == opcode)
        #expect(pdu.length == length)
    }

    @Test("An old controller has the features of Bluetooth 4.2")
    func old() {
        var configuration = ControllerConfiguration()
        configuration.isOld = true
        #expect(configuration.linkFeatures.isDisjoint(with: [.le2M, .coded, .extendedAdvertising]))
        #expect(configuration.linkFeatures.contains(.dataPacketLengthExtension))
        #expect(configuration.linkVersion.version == .core4_2)
    }
}
