// SPDX-License-Identifier: Apache-2.0
import Testing
import VirtualRadio

@Suite struct AirTimeTests {
    @Test(
        "An empty PDU has the specified air time",
        arguments: [
            (Modulation.le1M, 80), (.le2M, 44), (.codedS2, 462), (.codedS8, 720),
        ]
    )
    func emptyPDU(modulation: Modulation, microseconds: Int) {
        #expect(DataPDU(payloadLength: 0).airTime(modulation) == .microseconds(microseconds))
    }

    @Test(
        "The longest PDU has the specified air time",
        arguments: [
            (Modulation.le1M, 2_088, 2_120), (.le2M, 1_048, 1_064),
            (.codedS2, 4_478, 4_542), (.codedS8, 16_784, 17_040),
        ]
    )
    func longestPDU(modulation: Modulation, clear: Int, encrypted: Int) {
        let plain = DataPDU(payloadLength: 251)
        let encryptedPDU = DataPDU(payloadLength: 251, isEncrypted: true)
        #expect(plain.airTime(modulation) == .microseconds(clear))
        #expect(encryptedPDU.airTime(modulation) == .microseconds(encrypted))
    }

    @Test("The air time on the uncoded PHYs follows the formula", arguments: 0...251)
    func uncodedPHYs(length: Int) {
        for mic in [0, 4] {
            let pdu = DataPDU(payloadLength: length, isEncrypted: mic > 0)
            let bytes = 2 + length + (length > 0 ? mic : 0) + 3
            #expect(pdu.airTime(.le1M) == .microseconds((1 + 4 + bytes) * 8))
            #expect(pdu.airTime(.le2M) == .microseconds((2 + 4 + bytes) * 4))
        }
    }

    @Test("An empty PDU has no MIC")
    func emptyPDUWithoutMIC() {
        #expect(DataPDU(payloadLength: 0, isEncrypted: true) == DataPDU(payloadLength: 0))
        #expect(DataPDU(payloadLength: 1, isEncrypted: true).length == 7)
    }

    @Test("Each modulation belongs to its PHY")
    func modulations() {
        #expect(Modulation.allCases.map(\.phy.rawValue) == [1, 2, 3, 3])
    }

    @Test("Each legacy advertising PDU has the specified air time")
    func legacyAdvertising() {
        let times: [(LegacyAdvertisingPDU, Int)] = [
            (.advertisement(dataLength: 31), 376), (.advertisement(dataLength: 0), 128),
            (.directedAdvertisement, 176), (.scanRequest, 176),
            (.scanResponse(dataLength: 31), 376), (.scanResponse(dataLength: 3), 152),
            (.connectionRequest, 352),
        ]
        for (pdu, microseconds) in times {
            #expect(pdu.airTime == .microseconds(microseconds), "\(pdu)")
        }
        #expect(LegacyAdvertisingPDU.advertisement(dataLength: 99).length == 39)
    }
}
