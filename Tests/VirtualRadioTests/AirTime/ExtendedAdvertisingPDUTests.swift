// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import VirtualRadio

@Suite struct ExtendedAdvertisingPDUTests {
    typealias PDU = ExtendedAdvertisingPDU

    @Test func thePointerOnThePrimaryChannelTakesItsTime() throws {
        let pointer = try #require(PDU([.dataInfo, .auxiliaryPointer]))
        #expect(pointer.length == 9)
        #expect(pointer.airTime(.le1M) == .microseconds(136))
        #expect(pointer.airTime(.codedS8) == .microseconds(1_168))
    }

    @Test func aPacketWithoutFieldsHasNoFlags() throws {
        let bare = try #require(PDU([]))
        #expect(bare.length == 3)
    }

    @Test(arguments: [
        (PDU.Fields.advertiserAddress, 7), (.targetAddress, 7), (.constantToneInfo, 2),
        (.dataInfo, 3), (.auxiliaryPointer, 4), (.syncInfo, 19), (.transmitPower, 2),
        (PDU.Fields([.advertiserAddress, .targetAddress]), 13), (PDU.Fields([]), 0),
    ])
    func everyFieldHasItsLength(fields: PDU.Fields, length: Int) {
        #expect(fields.headerLength == length)
        #expect(PDU.dataLimit(fields) == 254 - length)
    }

    @Test func thePayloadHoldsItsLimitAndNoMore() {
        let fields: PDU.Fields = [.advertiserAddress, .dataInfo]
        #expect(PDU(fields, dataLength: 245)?.length == 257)
        #expect(PDU(fields, dataLength: 246) == nil)
        #expect(PDU(fields, dataLength: -1) == nil)
    }

    @Test func dataThatFitsIsOnePacket() throws {
        let chain = try #require(PDU.chain([.advertiserAddress, .dataInfo], dataLength: 245))
        #expect(chain.map(\.dataLength) == [245])
        #expect(!chain[0].fields.contains(.auxiliaryPointer))
        #expect(PDU.chain([], dataLength: 0)?.count == 1)
    }

    @Test func oneByteMoreIsAChainOfTwo() throws {
        let chain = try #require(PDU.chain([.advertiserAddress, .dataInfo], dataLength: 246))
        #expect(chain.map(\.dataLength) == [242, 4])
        #expect(
            chain.map(\.fields) == [
                [.advertiserAddress, .dataInfo, .auxiliaryPointer], .dataInfo,
            ]
        )
    }

    @Test(arguments: [0, 1, 245, 246, 489, 493, 494, 1_000, 1_649, 1_650])
    func aChainCarriesAllOfTheDataInFullPackets(dataLength: Int) throws {
        let chain = try #require(
            PDU.chain([.advertiserAddress, .dataInfo], dataLength: dataLength)
        )
        #expect(chain.reduce(0) { $0 + $1.dataLength } == dataLength)
        for packet in chain.dropLast() {
            #expect(packet.dataLength == PDU.dataLimit(packet.fields))
            #expect(packet.fields.contains(.auxiliaryPointer))
        }
        #expect(chain.last?.fields.contains(.auxiliaryPointer) == false)
    }

    @Test func moreDataThanAChainMayCarryIsRefused() {
        #expect(PDU.chain([], dataLength: 1_651) == nil)
        #expect(PDU.chain([], dataLength: -1) == nil)
    }
}
