// SPDX-License-Identifier: Apache-2.0
import BluetoothGATT
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import VirtualAccessories

/// Write requests and commands of all kinds, on the database of `TestProfile` with the smallest
/// MTU.
@Suite struct WritingTests {
    private var client = ServerClient()

    @Test("GATT/SR/GAW/BV-03-C: A write is answered and can be read back")
    mutating func writeWithResponse() {
        #expect(client.ask("12 1000 cafe") == "13")
        #expect(client.ask("0a 1000") == "0bcafe")
    }

    @Test("GATT/SR/GAW/BV-01-C: A write without response is not answered and can be read back")
    mutating func writeWithoutResponse() {
        #expect(client.ask("52 1000 cafe") == "")
        #expect(client.ask("0a 1000") == "0bcafe")
    }

    static let refused = [
        Exchange("a declaration", "12 0a00 00", "01 12 0a00 03"),
        Exchange("a description", "12 1100 00", "01 12 1100 03"),
        Exchange("a read-only value", "12 0300 00", "01 12 0300 03"),
        Exchange("GATT/SR/GAW/BI-02-C: an unused handle", "12 1700 00", "01 12 1700 01"),
        Exchange("a byte that the reaction refuses", "12 1600 02", "01 12 1600 81"),
        Exchange("a configuration of one byte", "12 0d00 01", "01 12 0d00 0d"),
        Exchange(
            "indications for a value with notifications only",
            "12 0d00 0200",
            "01 12 0d00 13"
        ),
        Exchange("a part of a read-only value", "16 0300 0000 00", "01 16 0300 03"),
        Exchange("a part of an absent attribute", "16 1700 0000 00", "01 16 1700 01"),
    ]

    @Test("The server refuses an invalid write", arguments: refused)
    func refusedWrites(exchange: Exchange) {
        var client = ServerClient()
        #expect(client.ask(exchange.request) == exchange.response)
    }

    @Test(
        "A refused write command has no effect",
        arguments: ["52 0300 00", "52 1700 00", "52 1600 02"]
    )
    func refusedCommands(command: String) {
        var client = ServerClient()
        let (answer, events) = client.exchange(command)
        #expect(answer.isEmpty && events.isEmpty)
        #expect(client.ask("0a 0300") == "0b54")
    }

    @Test("The server refuses a request longer than the MTU")
    mutating func requestLimit() {
        #expect(client.ask("02 4000") == "034000")
        #expect(client.ask("12 1000" + String(repeating: "00", count: 62)) == "0112000004")
        #expect(client.ask("12 1000" + String(repeating: "00", count: 61)) == "13")
    }

    @Test("The server refuses a value that is too long")
    mutating func valueLimit() {
        #expect(client.ask("02 4000") == "034000")
        let part = String(repeating: "00", count: 57)
        for offset in stride(from: 0, to: 513, by: 57) {
            let bytes = [UInt8(truncatingIfNeeded: offset), UInt8(offset >> 8)].hexadecimal
            #expect(client.ask("16 1000" + bytes + part) == "171000" + bytes + part)
        }
        #expect(client.ask("18 01") == "011810000d")
    }

    @Test("A reaction acts after the response and can change other values")
    mutating func reaction() throws {
        let (answer, events) = client.exchange("12 1600 01")
        #expect(answer == "13")
        guard case .act(.disconnect) = events.first, events.count == 1 else {
            Issue.record("\(events)")
            return
        }
        #expect(client.ask("0a 1000") == "0b627965")
    }

    @Test("GATT/SR/GAW/BV-05-C: Prepared parts are echoed and executed together")
    mutating func executedParts() {
        #expect(client.ask("16 1000 0000 aabb") == "1710000000aabb")
        #expect(client.ask("16 1000 0200 cc") == "1710000200cc")
        #expect(client.ask("0a 1000").hasPrefix("0b0001"))
        #expect(client.ask("18 01") == "19")
        #expect(client.ask("0a 1000") == "0baabbcc")
        #expect(client.ask("18 01") == "19")
        #expect(client.ask("0a 1000") == "0baabbcc")
    }

    @Test("GATT/SR/GAW/BV-07-C: Prepared parts can be canceled")
    mutating func canceledParts() {
        #expect(client.ask("16 1000 0000 aabb") == "1710000000aabb")
        #expect(client.ask("18 00") == "19")
        #expect(client.ask("18 01") == "19")
        #expect(client.ask("0a 1000").hasPrefix("0b0001"))
    }

    @Test("GATT/SR/GAW/BI-09-C: A part beyond the end cancels all parts")
    mutating func partBeyondEnd() {
        #expect(client.ask("16 0d00 0000 0100") == "170d0000000100")
        #expect(client.ask("16 1000 2900 aa") == "1710002900aa")
        #expect(client.ask("18 01") == "0118100007")
        #expect(client.ask("0a 0d00") == "0b0000")
        #expect(client.ask("18 01") == "19")
    }

    @Test("A reaction that refuses its part cancels all parts")
    mutating func refusingReaction() {
        #expect(client.ask("16 1000 0000 aa") == "1710000000aa")
        #expect(client.ask("16 1600 0000 07") == "171600000007")
        #expect(client.ask("18 01") == "0118160081")
        #expect(client.ask("0a 1000").hasPrefix("0b0001"))
    }

    @Test("The queue of prepared parts has a limit")
    mutating func queueLimit() {
        for _ in 0..<GATTServer.preparedWriteLimit {
            #expect(client.ask("16 1000 0000 aa") == "1710000000aa")
        }
        #expect(client.ask("16 1000 0000 aa") == "0116100009")
        #expect(client.ask("18 01") == "19")
        #expect(client.ask("16 1000 0000 aa") == "1710000000aa")
    }

    @Test("Each client has its own configuration")
    mutating func clientConfiguration() {
        let (_, events) = client.exchange("12 0d00 0100")
        guard case .subscriptionChanged(let handle, let kind) = events.last else {
            Issue.record("\(events)")
            return
        }
        #expect(handle.rawValue == 0x0C)
        #expect(kind == .notification)
        #expect(client.ask("0a 0d00") == "0b0100")
        client.reconnect()
        #expect(client.ask("0a 0d00") == "0b0000")
    }

    @Test("A disconnection clears the prepared parts and the MTU")
    mutating func disconnect() {
        #expect(client.ask("02 4000") == "034000")
        #expect(client.ask("16 1000 0000 aa") == "1710000000aa")
        client.reconnect()
        #expect(client.server.bearer.mtu == 23)
        #expect(client.ask("18 01") == "19")
        #expect(client.ask("0a 1000").hasPrefix("0b0001"))
    }

    @Test("The answers to random bytes fit into the MTU", arguments: RunSeed.seeds(1))
    mutating func randomBytes(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<20_000 {
            var pdu = generator.bytes(upTo: 24)
            if !pdu.isEmpty, generator.happens(oneIn: 2) { pdu[0] = pdu[0] % 0x24 }
            _ = client.server.receive(pdu[...], now: .zero)
            while let answer = client.server.nextPDU(now: .zero) {
                #expect(!answer.isEmpty && answer.count <= client.server.bearer.mtu)
            }
        }
    }
}
