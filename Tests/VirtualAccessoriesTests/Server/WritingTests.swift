// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import VirtualAccessories

/// Writes of all kinds, on the table of `TestProfile` with the smallest MTU.
@Suite struct WritingTests {
    private var client = ServerClient()

    @Test("GATT/SR/GAW/BV-03-C: a write is answered, and read back")
    mutating func aWriteIsAnsweredAndReadBack() {
        #expect(client.ask("12 1000 cafe") == "13")
        #expect(client.ask("0a 1000") == "0bcafe")
    }

    @Test("GATT/SR/GAW/BV-01-C: a write without response is not answered, and read back")
    mutating func aWriteWithoutResponseIsNotAnswered() {
        #expect(client.ask("52 1000 cafe") == "")
        #expect(client.ask("0a 1000") == "0bcafe")
    }

    static let refused = [
        Exchange("a declaration", "12 0a00 00", "01 12 0a00 03"),
        Exchange("a description", "12 1100 00", "01 12 1100 03"),
        Exchange("a value that is only read", "12 0300 00", "01 12 0300 03"),
        Exchange("GATT/SR/GAW/BI-02-C: a handle beyond the table", "12 1700 00", "01 12 1700 01"),
        Exchange("an octet that the reaction refuses", "12 1600 02", "01 12 1600 81"),
        Exchange("a configuration of one octet", "12 0d00 01", "01 12 0d00 0d"),
        Exchange("indications where there are notifications", "12 0d00 0200", "01 12 0d00 13"),
        Exchange("a part of what is only read", "16 0300 0000 00", "01 16 0300 03"),
        Exchange("a part of nothing", "16 1700 0000 00", "01 16 1700 01"),
    ]

    @Test(arguments: refused)
    func writesAreRefused(exchange: Exchange) {
        var client = ServerClient()
        #expect(client.ask(exchange.request) == exchange.response)
    }

    @Test(arguments: ["52 0300 00", "52 1700 00", "52 1600 01"])
    func commandsThatAreNotAllowedDoNothing(command: String) {
        var client = ServerClient()
        #expect(client.results(command).isEmpty)
        #expect(client.ask("0a 0300") == "0b54")
    }

    @Test mutating func tooLongAValueIsRefused() {
        #expect(client.ask("12 1000" + String(repeating: "00", count: 513)) == "011210000d")
        #expect(client.ask("12 1000" + String(repeating: "00", count: 512)) == "13")
    }

    @Test mutating func aReactionActsAfterTheAnswerAndMayChangeOtherValues() throws {
        let results = client.results("12 1600 01")
        #expect(results.count == 2)
        guard case .respond(let answer) = results.first, case .act(.disconnect) = results.last
        else {
            Issue.record("\(results)")
            return
        }
        #expect(answer == [0x13])
        #expect(client.ask("0a 1000") == "0b627965")
    }

    @Test("GATT/SR/GAW/BV-05-C: parts are kept, echoed, and executed together")
    mutating func partsAreExecutedTogether() {
        #expect(client.ask("16 1000 0000 aabb") == "1710000000aabb")
        #expect(client.ask("16 1000 0200 cc") == "1710000200cc")
        #expect(client.ask("0a 1000").hasPrefix("0b0001"))
        #expect(client.ask("18 01") == "19")
        #expect(client.ask("0a 1000") == "0baabbcc")
        #expect(client.ask("18 01") == "19")
        #expect(client.ask("0a 1000") == "0baabbcc")
    }

    @Test("GATT/SR/GAW/BV-10-C: parts can be thrown away")
    mutating func partsCanBeThrownAway() {
        #expect(client.ask("16 1000 0000 aabb") == "1710000000aabb")
        #expect(client.ask("18 00") == "19")
        #expect(client.ask("18 01") == "19")
        #expect(client.ask("0a 1000").hasPrefix("0b0001"))
    }

    @Test("GATT/SR/GAW/BI-11-C: a part beyond the end undoes all the others")
    mutating func aPartBeyondTheEndUndoesAll() {
        #expect(client.ask("16 0d00 0000 0100") == "170d0000000100")
        #expect(client.ask("16 1000 2900 aa") == "1710002900aa")
        #expect(client.ask("18 01") == "0118100007")
        #expect(client.ask("0a 0d00") == "0b0000")
        #expect(client.ask("18 01") == "19")
    }

    @Test mutating func whatAReactionRefusesUndoesAllTheOthers() {
        #expect(client.ask("16 1000 0000 aa") == "1710000000aa")
        #expect(client.ask("16 1600 0000 07") == "171600000007")
        #expect(client.ask("18 01") == "0118160081")
        #expect(client.ask("0a 1000").hasPrefix("0b0001"))
    }

    @Test mutating func theQueueOfPartsHasABound() {
        for _ in 0..<AttributeServer.preparedWriteLimit {
            #expect(client.ask("16 1000 0000 aa") == "1710000000aa")
        }
        #expect(client.ask("16 1000 0000 aa") == "0116100009")
        #expect(client.ask("18 01") == "19")
        #expect(client.ask("16 1000 0000 aa") == "1710000000aa")
    }

    @Test mutating func everyClientHasAConfigurationOfItsOwn() {
        let results = client.results("12 0d00 0100")
        guard case .subscriptionChanged(let handle, let wanted) = results.last else {
            Issue.record("\(results)")
            return
        }
        #expect(handle.rawValue == 0x0C)
        #expect(wanted == .notifications)
        #expect(client.ask("0a 0d00") == "0b0100")
        client.server.clientLeft()
        #expect(client.ask("0a 0d00") == "0b0000")
    }

    @Test mutating func aClientThatLeavesTakesItsPartsAndItsMTUAlong() {
        #expect(client.ask("02 4000") == "034000")
        #expect(client.ask("16 1000 0000 aa") == "1710000000aa")
        client.server.clientLeft()
        #expect(client.server.client.mtu == 23)
        #expect(client.ask("18 01") == "19")
        #expect(client.ask("0a 1000").hasPrefix("0b0001"))
    }

    @Test mutating func noOctetsAreTooStrange() {
        var dice = SplitMix64(seed: 7)
        for _ in 0..<20_000 {
            var pdu = dice.bytes(upTo: 24)
            if !pdu.isEmpty, dice.happens(oneIn: 2) { pdu[0] = pdu[0] % 0x24 }
            for case .respond(let answer) in client.server.receive(pdu[...]) {
                #expect(!answer.isEmpty && answer.count <= client.server.client.mtu)
            }
        }
    }
}
