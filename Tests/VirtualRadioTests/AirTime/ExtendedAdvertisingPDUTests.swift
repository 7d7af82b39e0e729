// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import VirtualRadio

@Suite struct ExtendedAdvertisingPDUTests {
    typealias PDU = ExtendedAdvertisingPDU

    @Test("The pointer on the primary channel has the specified air time")
    func pointer() throws {
        let pointer = try #require(PDU([.dataInfo, .auxiliaryPointer]))
        #expect(pointer.length == 9)
        #expect(pointer.airTime(.le1M) == .microseconds(136))
        #expect(pointer.airTime(.codedS8) == .microseconds(1_168))
    }

    @Test("A PDU without fields has no flags")
    func noFields() throws {
        let bare = try #require(PDU([]))
        #expect(bare.length == 3)
    }

    @Test(
        "Each header field has the specified length",
        arguments: [
            (PDU.Fields.advertiserAddress, 7), (.targetAddress, 7), (.constantToneInfo, 2),
            (.dataInfo, 3), (.auxiliaryPointer, 4), (.syncInfo, 19), (.transmitPower, 2),
            (PDU.Fields([.advertiserAddress, .targetAddress]), 13), (PDU.Fields([]), 0),
        ]
    )
    func fieldLengths(fields: PDU.Fields, length: Int) {
        #expect(fields.headerLength == length)
        #expect(PDU.dataLimit(fields) == 254 - length)
    }

    @Test("The payload has a limit")
    func payloadLimit() {
        let fields: PDU.Fields = [.advertiserAddress, .dataInfo]
        #expect(PDU(fields, dataLength: 245)?.length == 257)
        #expect(PDU(fields, dataLength: 246) == nil)
        #expect(PDU(fields, dataLength: -1) == nil)
    }

    @Test("Data that fits uses one packet")
    func onePacket() throws {
        let chain = try #require(PDU.chain([.advertiserAddress, .dataInfo], dataLength: 245))
        #expect(chain.map(\.dataLength) == [245])
        #expect(!chain[0].fields.contains(.auxiliaryPointer))
        #expect(PDU.chain([], dataLength: 0)?.count == 1)
    }

    @Test("One more byte makes a chain of two packets")
    func twoPackets() throws {
        let chain = try #require(PDU.chain([.advertiserAddress, .dataInfo], dataLength: 246))
        #expect(chain.map(\.dataLength) == [242, 4])
        #expect(
            chain.map(\.fields) == [
                [.advertiserAddress, .dataInfo, .auxiliaryPointer], .dataInfo,
            ]
        )
    }

    @Test(
        "A chain carries all data in full packets",
        arguments: [0, 1, 245, 246, 489, 493, 494, 1_000, 1_649, 1_650]
    )
    func fullPackets(dataLength: Int) throws {
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

    @Test("A chain refuses data beyond its limit")
    func chainLimit() {
        #expect(PDU.chain([], dataLength: 1_651) == nil)
        #expect(PDU.chain([], dataLength: -1) == nil)
    }
}
