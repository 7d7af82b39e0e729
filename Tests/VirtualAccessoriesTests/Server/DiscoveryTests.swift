// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import Testing

@testable import VirtualAccessories

/// Discovery requests on the database of `TestProfile`. The exchanges use the smallest MTU.
@Suite struct DiscoveryTests {
    private static let ownService = "00f0 0000 0000 00a0 0044 5241 594e 414c"

    static let exchanges = [
        Exchange(
            "GATT/SR/GAD/BV-01-C: primary services, UUIDs of one size in each response",
            "10 0100 ffff 0028",
            "11 06 0100 0500 0018 0600 0900 0118 0a00 0d00 0f18"
        ),
        Exchange(
            "GATT/SR/GAD/BV-01-C: primary services with 128-bit UUIDs",
            "10 0e00 ffff 0028",
            "11 14 0e00 1600 \(ownService)"
        ),
        Exchange("no more primary services", "10 0f00 ffff 0028", "01 10 0f00 0a"),
        Exchange("no secondary services", "10 0100 ffff 0128", "01 10 0100 0a"),
        Exchange("a group request for characteristics", "10 0100 ffff 0328", "01 10 0100 10"),
        Exchange("a group request from handle zero", "10 0000 ffff 0028", "01 10 0000 01"),
        Exchange(
            "a group request that ends before it starts",
            "10 0500 0400 0028",
            "01 10 0500 01"
        ),
        Exchange(
            "GATT/SR/GAD/BV-02-C: a primary service by its 16-bit UUID",
            "06 0100 ffff 0028 0f18",
            "07 0a00 0d00"
        ),
        Exchange(
            "GATT/SR/GAD/BV-02-C: a primary service by its 128-bit UUID",
            "06 0100 ffff 0028 \(ownService)",
            "07 0e00 1600"
        ),
        Exchange("an absent service", "06 0100 ffff 0028 0d18", "01 06 0100 0a"),
        Exchange(
            "an attribute by its value, which is its own group",
            "06 0100 ffff 192a 57",
            "07 0c00 0c00"
        ),
        Exchange("a find request from handle zero", "06 0000 ffff 0028 0f18", "01 06 0000 01"),
        Exchange(
            "GATT/SR/GAD/BV-04-C: characteristics of a service",
            "08 0100 0500 0328",
            "09 07 0200 02 0300 002a 0400 02 0500 012a"
        ),
        Exchange(
            "GATT/SR/GAD/BV-04-C: a characteristic with a 128-bit UUID",
            "08 0e00 1600 0328",
            "09 15 0f00 0e 1000 01f0 0000 0000 00a0 0044 5241 594e 414c"
        ),
        Exchange("no included services", "08 0100 ffff 0228", "01 08 0100 0a"),
        Exchange("values by type that fit", "08 0100 ffff 192a", "09 03 0c00 57"),
        Exchange(
            "values by type that do not fit are truncated",
            "08 0100 ffff 01f0 0000 0000 00a0 0044 5241 594e 414c",
            "09 15 1000 000102030405060708090a0b0c0d0e0f101112"
        ),
        Exchange(
            "values by type that may not be read",
            "08 0100 ffff 052a",
            "01 08 0800 02"
        ),
        Exchange("an invalid range", "08 0500 0400 0328", "01 08 0500 01"),
        Exchange(
            "GATT/SR/GAD/BV-06-C: descriptors",
            "04 0d00 0d00",
            "05 01 0d00 0229"
        ),
        Exchange(
            "Find Information: the 16-bit types of a range with types of both sizes",
            "04 0e00 1600",
            "05 01 0e00 0028 0f00 0328"
        ),
        Exchange(
            "Find Information: the 128-bit type at the start of a range",
            "04 1000 1600",
            "05 02 1000 01f0 0000 0000 00a0 0044 5241 594e 414c"
        ),
        Exchange("no attributes beyond the database", "04 1700 ffff", "01 04 1700 0a"),
        Exchange("a Find Information request from handle zero", "04 0000 ffff", "01 04 0000 01"),
    ]

    @Test("The server answers discovery requests", arguments: exchanges)
    func requests(exchange: Exchange) {
        var client = ServerClient()
        #expect(client.ask(exchange.request) == exchange.response)
    }

    @Test("With a larger MTU, a response contains more attributes")
    func largerMTU() {
        var client = ServerClient()
        #expect(client.ask("02 0002") == "034000")
        #expect(client.server.bearer.mtu == 64)
        #expect(client.ask("04 0100 ffff").count == 2 * (2 + 15 * 4))
        #expect(
            client.ask("08 0100 ffff 01f00000000000a000445241594e414c").count == 2 * (2 + 2 + 40)
        )
    }

    @Test("An MTU below the minimum counts as the minimum")
    func smallestMTU() {
        var client = ServerClient()
        #expect(client.ask("02 0500") == "034000")
        #expect(client.server.bearer.mtu == 23)
    }
}
