// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

@Suite("Scanning for legacy advertisements")
struct LegacyScanningTests {
    let world = World(seed: 17)
    let scanner: TestHost
    let advertiser: TestHost
    let sniffer: Sniffer

    init() throws {
        scanner = try TestHost(world, "scanner", at: 0)
        advertiser = try TestHost(world, "advertiser", at: 1)
        sniffer = Sniffer(world)
    }

    private var requestCount: Int {
        sniffer.packets.count { if case .scanRequest = $0.pdu { true } else { false } }
    }

    @Test("LL/DDI/SCN/BV-01-C: A passive scan reports non-connectable advertising")
    func passive() throws {
        try advertiser.advertise(.nonConnectable, data: [3, 0xFF, 1, 2])
        try scanner.scan()
        world.run(for: .seconds(5))
        #expect(scanner.reports.count > 40)
        for report in scanner.reports {
            #expect(report.type == .nonConnectable)
            #expect(report.address == HCI.PeerAddress(advertiser.publicAddress))
            #expect(report.data == [3, 0xFF, 1, 2])
            #expect((-60 ... -30).contains(report.rssi))
        }
        #expect(requestCount == 0)
    }

    @Test("LL/DDI/SCN/BV-02-C: A filtered passive scan reports non-connectable advertising")
    func filteredPassive() throws {
        let other = try TestHost(world, "other", at: 2)
        try advertiser.advertise(.nonConnectable)
        try other.advertise(.nonConnectable)
        let address = HCI.PeerAddress(advertiser.publicAddress)
        try scanner.perform(HCI.LEAddDeviceToFilterAcceptList(address: address))
        try scanner.scan(policy: .filterAcceptList)
        world.run(for: .seconds(5))
        #expect(scanner.reports.count > 40)
        #expect(scanner.reports.allSatisfy { $0.address == address })
    }

    @Test("LL/DDI/SCN/BV-03-C: An active scan reports connectable advertising")
    func active() throws {
        try advertiser.advertise(data: [2, 1, 6], response: [3, 0x09, 0x49, 0x58])
        try scanner.scan(.active)
        world.run(for: .seconds(5))
        let reports = scanner.reports
        let responses = reports.filter { $0.type == .scanResponse }
        #expect(responses.count > 40)
        #expect(responses.allSatisfy { $0.data == [3, 0x09, 0x49, 0x58] })
        #expect(reports.contains { $0.type == .connectable && $0.data == [2, 1, 6] })
        #expect(requestCount == responses.count)
    }

    @Test("A request follows its advertisement after exactly T_IFS")
    func requestTiming() throws {
        try advertiser.advertise(response: [2, 0x0A, 0])
        try scanner.scan(.active)
        world.run(for: .seconds(1))
        let requests = sniffer.packets.indices.filter {
            if case .scanRequest = sniffer.packets[$0].pdu { true } else { false }
        }
        #expect(requests.count > 5)
        for index in requests {
            let (asked, request) = (sniffer.packets[index - 1], sniffer.packets[index])
            #expect(request.start - asked.end == FrameSpace.betweenFrames)
            #expect(request.channel == asked.channel)
            #expect(request.end - request.start == .microseconds(176))
        }
    }

    @Test("LL/DDI/SCN/BV-04-C: A filtered active scan reports connectable advertising")
    func filteredActive() throws {
        let other = try TestHost(world, "other", at: 2)
        try advertiser.advertise(response: [1])
        try other.advertise(response: [2])
        let address = HCI.PeerAddress(advertiser.publicAddress)
        try scanner.perform(HCI.LEAddDeviceToFilterAcceptList(address: address))
        try scanner.scan(.active, policy: .filterAcceptList)
        world.run(for: .seconds(3))
        #expect(scanner.reports.contains { $0.type == .scanResponse })
        #expect(scanner.reports.allSatisfy { $0.address == address })
        for packet in sniffer.packets {
            guard case .scanRequest(let request) = packet.pdu else { continue }
            #expect(request.advertiser == advertiser.publicAddress)
        }
    }

    @Test(
        "LL/DDI/SCN/BV-05-C: Each kind of undirected advertising is reported with its type",
        arguments: [
            (.connectableUndirected, .connectable), (.scannable, .scannable),
            (.nonConnectable, .nonConnectable),
        ] as [(HCI.AdvertisingType, HCI.AdvertisingReportType)]
    )
    func kinds(type: HCI.AdvertisingType, reported: HCI.AdvertisingReportType) throws {
        try advertiser.advertise(type)
        try scanner.scan()
        world.run(for: .seconds(1))
        #expect(!scanner.reports.isEmpty)
        #expect(scanner.reports.allSatisfy { $0.type == reported })
    }

    @Test("Only active scanners send requests, and only to scannable advertisers")
    func onlyScannable() throws {
        try advertiser.advertise(.nonConnectable)
        try scanner.scan(.active)
        world.run(for: .seconds(1))
        #expect(requestCount == 0)
        try scanner.stopScan()
        try advertiser.perform(HCI.LESetAdvertisingEnable(isEnabled: false))
        try advertiser.advertise(.scannable, response: [1])
        try scanner.scan(.passive)
        world.run(for: .seconds(1))
        #expect(requestCount == 0)
    }

    @Test("Directed advertising is reported by its target only")
    func directed() throws {
        let other = try TestHost(world, "other", at: 2)
        try advertiser.advertise(.directedLowDutyCycle, peer: scanner.publicAddress)
        try scanner.scan()
        try other.scan()
        world.run(for: .seconds(1))
        #expect(!scanner.reports.isEmpty)
        #expect(scanner.reports.allSatisfy { $0.type == .connectableDirected && $0.data.isEmpty })
        #expect(other.events.isEmpty)
    }

    @Test("An unknown private target is reported under the extended policies")
    func unresolvedTarget() throws {
        let target = DeviceAddress(value: 0x4000_0000_0001, kind: .random)
        try advertiser.advertise(.directedLowDutyCycle, peer: target)
        try scanner.scan(policy: .unfilteredExtended)
        world.run(for: .seconds(1))
        #expect(scanner.reports.isEmpty)
        #expect(!scanner.directedReports.isEmpty)
        for report in scanner.directedReports {
            #expect(report.type == .connectableDirected)
            #expect(report.address == HCI.PeerAddress(advertiser.publicAddress))
            #expect(report.target == HCI.PeerAddress(target))
        }
        try scanner.stopScan()
        scanner.forget()
        try scanner.scan(policy: .filterAcceptListExtended)
        world.run(for: .seconds(1))
        #expect(scanner.events.isEmpty)
        try scanner.stopScan()
        let address = HCI.PeerAddress(advertiser.publicAddress)
        try scanner.perform(HCI.LEAddDeviceToFilterAcceptList(address: address))
        try scanner.scan(policy: .filterAcceptListExtended)
        world.run(for: .seconds(1))
        #expect(!scanner.directedReports.isEmpty)
    }

    @Test("A duplicate filter passes the advertisement once and the response once")
    func duplicates() throws {
        try advertiser.advertise(data: [1], response: [2])
        try scanner.scan(.active, filtersDuplicates: true)
        world.run(for: .seconds(5))
        #expect(scanner.reports.map(\.type) == [.connectable, .scanResponse])
        #expect(requestCount == 1)
        // The data of an advertisement has no influence on the filter.
        let data = try #require(HCI.LegacyAdvertisingData([9]))
        try advertiser.perform(HCI.LESetAdvertisingData(data: data))
        world.run(for: .seconds(1))
        #expect(scanner.reports.count == 2)
    }

    @Test("A new scan reports the same devices again")
    func duplicatesForgotten() throws {
        try advertiser.advertise(.nonConnectable)
        for _ in 0..<3 {
            try scanner.scan(filtersDuplicates: true)
            world.run(for: .seconds(1))
            try scanner.stopScan()
        }
        #expect(scanner.reports.count == 3)
    }

    @Test("The duplicate filter can be changed during a scan")
    func filterSwitched() throws {
        try advertiser.advertise(.nonConnectable)
        try scanner.scan(filtersDuplicates: true)
        world.run(for: .seconds(1))
        #expect(scanner.reports.count == 1)
        try scanner.perform(HCI.LESetScanEnable(isEnabled: true, filtersDuplicates: false))
        world.run(for: .seconds(1))
        #expect(scanner.reports.count > 5)
    }

    @Test("After disabling and after Reset, nothing is received", arguments: [false, true])
    func ended(byReset: Bool) throws {
        try advertiser.advertise(response: [1])
        try scanner.scan(.active)
        world.run(for: .milliseconds(517))
        if byReset { try scanner.perform(HCI.Reset()) } else { try scanner.stopScan() }
        scanner.forget()
        world.run(for: .seconds(2))
        #expect(scanner.events.isEmpty)
        #expect(world.core.ether.listeners.isEmpty)
    }

    @Test("Requests have the address that the host has chosen")
    func requestAddress() throws {
        let random = DeviceAddress(value: 0xC123_4567_89AB, kind: .random)
        try scanner.perform(HCI.LESetRandomAddress(address: .init(random)))
        try advertiser.advertise(response: [1])
        try scanner.scan(.active, own: .random)
        world.run(for: .milliseconds(500))
        #expect(requestCount > 0)
        for packet in sniffer.packets {
            guard case .scanRequest(let request) = packet.pdu else { continue }
            #expect(request.scanner == random)
        }
    }

    @Test("Responses to other scanners are ignored")
    func othersResponses() throws {
        let bystander = try TestHost(world, "bystander", at: 1)
        try advertiser.advertise(response: [7])
        try scanner.scan(.active)
        try bystander.scan()
        world.run(for: .seconds(2))
        #expect(scanner.reports.contains { $0.type == .scanResponse })
        #expect(!bystander.reports.contains { $0.type == .scanResponse })
    }

    @Test("Scanners that request at the same time do not collide forever")
    func crowd() throws {
        let others = try (0..<4).map { try TestHost(world, "scanner \($0)", at: 0.5) }
        try advertiser.advertise(response: [7])
        for host in [scanner] + others { try host.scan(.active, filtersDuplicates: true) }
        world.run(for: .seconds(60))
        for host in [scanner] + others {
            #expect(host.reports.map(\.type) == [.connectable, .scanResponse])
        }
    }
}
