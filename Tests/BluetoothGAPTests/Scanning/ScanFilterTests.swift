// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothGAP

@Suite("A scan filter")
struct ScanFilterTests {
    /// Returns an advertisement with the Heart Rate Service, a solicited service 0x1805, the name
    /// "Lanyard 7", data of company 0x0059, and service data of 0xFEAA.
    private func entry(rssi: Int? = -60, isConnectable: Bool = true) throws -> Advertisement {
        Advertisement(
            address: .accessory(1),
            isConnectable: isConnectable,
            rssi: rssi,
            data: try advertising(
                "03030d18 03140518 0a094c616e796172642037 06ff5900a1b2c3 0516aafe1020"
            )
        )
    }

    private func admits(_ change: (inout ScanFilter) -> Void) throws -> Bool {
        var filter = ScanFilter()
        change(&filter)
        return filter.matches(try entry())
    }

    @Test("A filter without conditions admits everything")
    func empty() throws {
        #expect(try admits { _ in })
        #expect(ScanFilter().matches(Advertisement(address: .accessory(1))))
    }

    @Test("A filter with several services admits an advertiser of one of them")
    func services() throws {
        #expect(try admits { $0.services = [BluetoothUUID(0x180D), BluetoothUUID(0x1234)] })
        #expect(try !admits { $0.services = [BluetoothUUID(0x180F)] })
        #expect(
            try !admits { $0.services = [BluetoothUUID(0x1805)] },
            "A solicited service is not an advertised service"
        )
        #expect(try admits { $0.solicitedServices = [BluetoothUUID(0x1805)] })
        #expect(try !admits { $0.solicitedServices = [BluetoothUUID(0x180D)] })
    }

    @Test("A filter admits a complete name or a prefix")
    func names() throws {
        #expect(try admits { $0.name = "Lanyard 7" })
        #expect(try !admits { $0.name = "Lanyard" })
        #expect(try admits { $0.namePrefix = "Lany" })
        #expect(try !admits { $0.namePrefix = "any" })
        #expect(try !admits { $0.namePrefix = "lany" })
        #expect(
            try admits {
                $0.isNameCaseSensitive = false
                ($0.name, $0.namePrefix) = ("lanyard 7", "LANY")
            }
        )
        var filter = ScanFilter(namePrefix: "")
        #expect(
            !filter.matches(Advertisement(address: .accessory(1))),
            "An advertisement without a name does not match"
        )
        filter.namePrefix = nil
        #expect(filter.matches(Advertisement(address: .accessory(1))))
    }

    @Test("A filter admits manufacturer data, with and without pattern and mask")
    func manufacturer() throws {
        #expect(try admits { $0.manufacturerData = [0x0059: .init()] })
        #expect(try !admits { $0.manufacturerData = [0x004C: .init()] })
        #expect(try admits { $0.manufacturerData = [0x0059: .init([0xA1, 0xB2])] })
        #expect(try !admits { $0.manufacturerData = [0x0059: .init([0xA1, 0xB3])] })
        let masked = ScanFilter.Pattern([0xA1, 0xB3], mask: [0xFF, 0xF0])
        #expect(try admits { $0.manufacturerData = [0x0059: masked] })
        #expect(try !admits { $0.manufacturerData = [0x0059: .init([1, 2, 3, 4, 5])] })
    }

    @Test("A filter admits matching service data")
    func serviceData() throws {
        #expect(try admits { $0.serviceData = [BluetoothUUID(0xFEAA): .init([0x10])] })
        #expect(try !admits { $0.serviceData = [BluetoothUUID(0xFEAA): .init([0x11])] })
        #expect(try !admits { $0.serviceData = [BluetoothUUID(0x180D): .init()] })
    }

    @Test("A filter admits a sufficient or unknown signal strength")
    func signal() throws {
        #expect(try admits { $0.minimumRSSI = -60 })
        #expect(try !admits { $0.minimumRSSI = -59 })
        #expect(ScanFilter(minimumRSSI: 0).matches(try entry(rssi: nil)))
    }

    @Test("A filter can require that the advertiser is connectable")
    func connectable() throws {
        var filter = ScanFilter()
        filter.requiresConnectable = true
        #expect(filter.matches(try entry()))
        #expect(!filter.matches(try entry(isConnectable: false)))
    }

    @Test("A discovery procedure requires the flags of its mode and undirected advertising")
    func discovery() throws {
        /// The data, and whether general and limited discovery report it.
        let cases: [(data: String, general: Bool, limited: Bool)] = [
            ("020106", true, false), ("020105", true, true), ("020107", true, true),
            ("020104", false, false), ("0101", false, false), ("03030d18", false, false),
            ("", false, false),
        ]
        for (data, general, limited) in cases {
            var advertisement = Advertisement(
                address: .accessory(1),
                data: try advertising(data)
            )
            var filter = ScanFilter()
            #expect(filter.matches(advertisement), "\(data)")
            filter.discoveryProcedure = .general
            #expect(filter.matches(advertisement) == general, "\(data)")
            filter.discoveryProcedure = .limited
            #expect(filter.matches(advertisement) == limited, "\(data)")
            advertisement.isDirected = true
            #expect(!filter.matches(advertisement), "\(data)")
        }
    }

    @Test("A filter with several conditions requires all of them")
    func all() throws {
        let services: Set = [BluetoothUUID(0x180D)]
        #expect(ScanFilter(services: services, name: "Lanyard 7").matches(try entry()))
        #expect(!ScanFilter(services: services, name: "Other").matches(try entry()))
    }
}

@Suite("An advertisement filter")
struct AdvertisementFilterTests {
    private func entry(_ text: String, rssi: Int = -50, from number: UInt64 = 1) throws
        -> Advertisement
    {
        Advertisement(address: .accessory(number), rssi: rssi, data: try advertising(text))
    }

    @Test("Equal data of one advertiser passes once")
    func once() throws {
        let filter = AdvertisementFilterBox()
        #expect(filter.admits(try entry("020106")))
        #expect(!filter.admits(try entry("020106", rssi: -40)))
        #expect(filter.admits(try entry("020105")), "New data is reported")
        #expect(!filter.admits(try entry("020106")), "Known data is not reported again")
        #expect(
            filter.admits(try entry("020106", from: 2)),
            "The same data from another address is reported"
        )
    }

    @Test("Advertising sets of one advertiser are distinct")
    func sets() throws {
        let filter = AdvertisementFilterBox()
        var advertisement = try entry("020106")
        advertisement.setIdentifier = 1
        #expect(filter.admits(advertisement))
        advertisement.setIdentifier = 2
        #expect(filter.admits(advertisement))
    }

    @Test("Duplicates pass if they are requested")
    func duplicates() throws {
        let filter = AdvertisementFilterBox(allowsDuplicates: true)
        for _ in 0..<3 { #expect(filter.admits(try entry("020106"))) }
    }

    @Test("An advertiser that was too weak passes when its signal is strong enough")
    func closer() throws {
        let filter = AdvertisementFilterBox(filter: ScanFilter(minimumRSSI: -70))
        #expect(!filter.admits(try entry("020106", rssi: -80)))
        #expect(filter.admits(try entry("020106", rssi: -60)))
    }

    @Test("A device is reported even if directed advertising with the same data came before")
    func directedBefore() throws {
        let filter = AdvertisementFilterBox(filter: ScanFilter(discoveryProcedure: .general))
        var advertisement = try entry("020106")
        advertisement.isDirected = true
        #expect(!filter.admits(advertisement))
        advertisement.isDirected = false
        #expect(filter.admits(advertisement))
    }

    @Test("The duplicate filter is limited in size and drops the oldest advertisers")
    func bounded() throws {
        let filter = DuplicateFilterBox()
        let first = try entry("020106", from: 0)
        #expect(filter.isNew(first))
        let limit = UInt64(DuplicateFilter.generationLimit)
        for number in 1..<limit { #expect(filter.isNew(try entry("020106", from: number))) }
        #expect(!filter.isNew(first), "The filter still has the first advertiser")
        for number in limit..<(3 * limit) { _ = filter.isNew(try entry("020106", from: number)) }
        #expect(filter.isNew(first), "The filter has dropped the first advertiser")
    }

    @Test("An advertiser that is received again and again stays a duplicate")
    func refreshed() throws {
        let filter = DuplicateFilterBox()
        let frequent = try entry("020106", from: 0)
        #expect(filter.isNew(frequent))
        for number in 1...(UInt64(DuplicateFilter.generationLimit) * 4) {
            _ = filter.isNew(try entry("020106", from: number))
            if number % 500 == 0 { #expect(!filter.isNew(frequent)) }
        }
    }
}
