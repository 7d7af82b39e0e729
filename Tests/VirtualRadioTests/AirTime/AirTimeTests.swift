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
        #expect(DataPDU.empty.airTime(modulation) == .microseconds(microseconds))
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
        let sealed = DataPDU(payloadLength: 251, isEncrypted: true)
        #expect(plain.airTime(modulation) == .microseconds(clear))
        #expect(sealed.airTime(modulation) == .microseconds(encrypted))
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
        #expect(DataPDU(payloadLength: 0, isEncrypted: true) == .empty)
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

    @Test("An active scan exchange has the specified duration")
    func activeExchange() {
        let exchange = AdvertisingEvent.activeExchange(dataLength: 31, responseLength: 31)
        #expect(exchange == .microseconds(1_228))
        #expect(Int(Duration.seconds(1) / exchange) == 814)
        let quick = AdvertisingEvent.activeExchange(
            dataLength: 31,
            responseLength: 31,
            frameSpace: .microseconds(52)
        )
        #expect(quick == .microseconds(1_032))
        let passive = LegacyAdvertisingPDU.advertisement(dataLength: 31).airTime
        #expect(Int(Duration.seconds(1) / passive) == 2_659)
    }

    @Test(
        "The mean advertising rate follows from the interval",
        arguments: [
            (20, 40.0), (100, 9.5), (152.5, 6.35), (211.25, 4.62), (318.75, 3.09), (417.5, 2.37),
            (546.25, 1.81), (760, 1.31), (852.5, 1.17), (1_022.5, 0.97), (1_285, 0.78),
        ]
    )
    func advertisingRate(milliseconds: Double, rate: Double) {
        let found = AdvertisingEvent.meanRate(interval: .microseconds(Int(milliseconds * 1_000)))
        #expect(abs(found - rate) <= (rate < 9 ? 0.0051 : 0.051))
    }
}
