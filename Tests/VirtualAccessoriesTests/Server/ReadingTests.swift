// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import Testing

/// Requests for values, on the database of `TestProfile` with the smallest MTU.
@Suite struct ReadingTests {
    static let exchanges = [
        Exchange("GATT/SR/GAR/BV-01-C: a value", "0a 0c00", "0b 57"),
        Exchange(
            "a value longer than the MTU is cut off",
            "0a 1000",
            "0b 000102030405060708090a0b0c0d0e0f101112131415"
        ),
        Exchange("GATT/SR/GAR/BI-01-C: a value that may not be read", "0a 1300", "01 0a 1300 02"),
        Exchange("GATT/SR/GAR/BI-02-C: an unused handle", "0a 1700", "01 0a 1700 01"),
        Exchange("GATT/SR/GAR/BI-02-C: handle zero", "0a 0000", "01 0a 0000 01"),
        Exchange(
            "GATT/SR/GAR/BV-04-C: the rest of a long value",
            "0c 1000 1600",
            "0d 161718191a1b1c1d1e1f2021222324252627"
        ),
        Exchange("a blob from the very end", "0c 1000 2800", "0d"),
        Exchange(
            "GATT/SR/GAR/BI-13-C: a blob from beyond the end",
            "0c 1000 2900",
            "01 0c 1000 07"
        ),
        Exchange("a blob that may not be read", "0c 1300 0000", "01 0c 1300 02"),
        Exchange("a blob of an absent attribute", "0c 1700 0000", "01 0c 1700 01"),
        Exchange("GATT/SR/GAR/BV-05-C: several values", "0e 0c00 0300", "0f 57 54"),
        Exchange("several values, one unreadable", "0e 0c00 1300", "01 0e 1300 02"),
        Exchange("several values, one absent", "0e 0c00 ffff", "01 0e ffff 01"),
        Exchange(
            "GATT/SR/GAR/BV-09-C: several with their lengths",
            "20 0c00 0300",
            "21 0100 57 0100 54"
        ),
        Exchange(
            "several with their lengths, cut off where the MTU ends",
            "20 0c00 1000",
            "21 0100 57 2800 000102030405060708090a0b0c0d0e0f10"
        ),
        Exchange("GATT/SR/GAR/BV-06-C: a declaration", "0a 0a00", "0b 0f18"),
        Exchange("GATT/SR/GAR/BV-06-C: a descriptor", "0a 1100", "0b 4c6f6e67"),
        Exchange("a configuration that was never written", "0a 0d00", "0b 0000"),
        Exchange("the appearance", "0a 0500", "0b 4103"),
    ]

    @Test("The server answers read requests", arguments: exchanges)
    func requests(exchange: Exchange) {
        var client = ServerClient()
        #expect(client.ask(exchange.request) == exchange.response)
    }
}

/// Malformed and unsupported requests.
@Suite struct InvalidRequestTests {
    static let exchanges = [
        Exchange("GATT/SR/UNS/BI-01-C: an unknown request", "3f 0102", "01 3f 0000 06"),
        Exchange("GATT/SR/UNS/BI-02-C: an unknown command", "7f 0102", ""),
        Exchange("a request that is too short", "0a 01", "01 0a 0000 04"),
        Exchange("a request that is too long", "0a 0100 00", "01 0a 0000 04"),
        Exchange("a UUID of an invalid size", "08 0100 ffff 010203", "01 08 0000 04"),
        Exchange("invalid execute flags", "18 02", "01 18 0000 04"),
        Exchange("an unexpected response", "0b 57", ""),
        Exchange("a malformed unexpected response", "09", ""),
        Exchange("a notification from a client", "1b 0300 57", ""),
        Exchange("a signed write, which is not served", "d2 1000 55 000000000000000000000000", ""),
        Exchange("an empty PDU", "", ""),
    ]

    @Test("The server continues after an invalid request", arguments: exchanges)
    func requests(exchange: Exchange) {
        var client = ServerClient()
        #expect(client.ask(exchange.request) == exchange.response)
        #expect(client.ask("0a 0c00") == "0b57")
    }
}
