// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import VirtualRadio

@Suite("Scanning for extended advertisements")
struct ExtendedScanningTests {
    let world = World(seed: 23)
    let scanner: TestHost
    let advertiser: TestHost
    let sniffer: Sniffer

    init() throws {
        scanner = try TestHost(world, "scanner", at: 0)
        advertiser = try TestHost(world, "advertiser", at: 1)
        sniffer = Sniffer(world)
    }

    private func advertise(
        _ parameters: HCI.LESetExtendedAdvertisingParameters,
        data: [UInt8] = [],
        response: [UInt8] = []
    ) throws {
        try advertiser.perform(parameters)
        if !data.isEmpty { try advertiser.setData(data) }
        if !response.isEmpty { try advertiser.setResponse(response) }
        try advertiser.enable(HCI.AdvertisingSetRun(advertisingHandle: 1))
    }

    private static func pattern(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    }

    @Test(
        "LL/DDI/SCN/BV-19-C: Extended data arrives whole in fragments of up to 229 bytes",
        arguments: [0, 1, 31, 191, 228, 229, 230, 245, 458, 700, 1650]
    )
    func data(count: Int) throws {
        let data = Self.pattern(count)
        try advertise(TestHost.setParameters(), data: data)
        try scanner.scanExtended(duplicates: .on)
        world.run(for: .seconds(10))
        let reports = scanner.extendedReports
        #expect(reports.last?.type.dataStatus == .complete)
        #expect(reports.dropLast().allSatisfy { $0.type.dataStatus == .incomplete })
        #expect(reports.flatMap { Array($0.data) } == data)
        for report in reports {
            #expect(report.data.count <= 229)
            #expect(report.address == HCI.PeerAddress(advertiser.publicAddress))
            // Without data, the set sends only ADV_EXT_IND without an ADI.
            #expect(report.setIdentifier == (count == 0 ? 0xFF : 1))
            #expect(report.primaryPHY == .le1M && report.transmitPower == 127)
            #expect(!report.type.isLegacy && !report.type.isConnectable)
        }
    }

    @Test("Properties and transmit power are reported")
    func properties() throws {
        try advertise(
            TestHost.setParameters(1, [.connectable, .includesTransmitPower]),
            data: [1, 2]
        )
        try scanner.scanExtended()
        world.run(for: .seconds(1))
        let report = try #require(scanner.extendedReports.first)
        #expect(report.type.isConnectable && !report.type.isScannable)
        #expect(report.transmitPower != 127)
        #expect(report.secondaryPHY == .le1M)
    }

    @Test("An anonymous advertiser is reported without an address")
    func anonymous() throws {
        try advertise(TestHost.setParameters(1, [.anonymous]), data: [1, 2])
        try scanner.scanExtended()
        world.run(for: .seconds(1))
        let report = try #require(scanner.extendedReports.first)
        #expect(report.address == HCI.PeerAddress(type: .anonymous, value: 0))
    }

    @Test("The Filter Accept List excludes anonymous advertisers without an entry for them")
    func anonymousFiltered() throws {
        try advertise(TestHost.setParameters(1, [.anonymous]), data: [1, 2])
        try scanner.scanExtended(policy: .filterAcceptList)
        world.run(for: .seconds(1))
        #expect(scanner.events.isEmpty)
        try scanner.perform(HCI.LESetExtendedScanEnable(isEnabled: false, duplicates: .off))
        let entry = HCI.PeerAddress(type: .anonymous, value: 0)
        try scanner.perform(HCI.LEAddDeviceToFilterAcceptList(address: entry))
        try scanner.scanExtended(policy: .filterAcceptList)
        world.run(for: .seconds(1))
        #expect(!scanner.extendedReports.isEmpty)
    }

    @Test(
        "The secondary PHY may differ from the primary PHY",
        arguments: [PHY.le1M, .le2M, .leCoded]
    )
    func secondary(phy: PHY) throws {
        var parameters = TestHost.setParameters()
        parameters.secondaryPHY = phy
        try advertise(parameters, data: Self.pattern(300))
        try scanner.scanExtended(duplicates: .on)
        world.run(for: .seconds(5))
        #expect(scanner.extendedReports.flatMap { Array($0.data) } == Self.pattern(300))
        #expect(scanner.extendedReports.allSatisfy { $0.secondaryPHY == phy })
    }

    @Test("LE Coded is received only if it is scanned", arguments: [false, true])
    func coded(isScanned: Bool) throws {
        var parameters = TestHost.setParameters()
        parameters.primaryPHY = .leCoded
        parameters.secondaryPHY = .leCoded
        try advertise(parameters, data: [1, 2, 3])
        let timing: (interval: UInt16, window: UInt16) = (0x60, 0x60)
        try scanner.perform(
            TestHost.extendedScanParameters(
                le1M: isScanned ? nil : timing,
                coded: isScanned ? timing : nil
            )
        )
        #expect(try scanner.enableExtendedScan() == .success)
        world.run(for: .seconds(5))
        #expect(scanner.extendedReports.isEmpty != isScanned)
        #expect(scanner.extendedReports.allSatisfy { $0.primaryPHY == .leCoded })
    }

    @Test("Both PHYs can be scanned alternately")
    func bothPHYs() throws {
        var parameters = TestHost.setParameters()
        parameters.primaryPHY = .leCoded
        parameters.secondaryPHY = .leCoded
        try advertise(parameters, data: [1, 2, 3])
        let other = try TestHost(world, "other", at: 2)
        try other.advertise(.nonConnectable)
        try scanner.perform(
            TestHost.extendedScanParameters(le1M: (0x60, 0x60), coded: (0x60, 0x60))
        )
        #expect(try scanner.enableExtendedScan() == .success)
        world.run(for: .seconds(10))
        #expect(scanner.extendedReports.contains { $0.primaryPHY == .leCoded })
        #expect(scanner.extendedReports.contains { $0.type.isLegacy })
    }

    @Test("LL/DDI/SCN/BV-20-C: The response of a scannable set is requested")
    func response() throws {
        let response = Self.pattern(600)
        try advertise(TestHost.setParameters(1, [.scannable]), response: response)
        try scanner.scanExtended(.active, duplicates: .on)
        world.run(for: .seconds(10))
        let reports = scanner.extendedReports
        let first = try #require(reports.first)
        #expect(first.type.isScannable && !first.type.isScanResponse && first.data.isEmpty)
        let responses = reports.filter(\.type.isScanResponse)
        #expect(responses.flatMap { Array($0.data) } == response)
        #expect(responses.last?.type.dataStatus == .complete)
        #expect(responses.allSatisfy { $0.setIdentifier == 1 && $0.type.isScannable })
        #expect(reports.count == responses.count + 1)
    }

    private var pending: PendingScanRequest? {
        world.core.controllers[scanner.id.radio.index].scanner.request
    }

    @Test("The radio receives a long response completely")
    func longResponse() throws {
        try advertise(TestHost.setParameters(1, [.scannable]), response: Self.pattern(245))
        try scanner.scanExtended(.active)
        world.run(until: { pending != nil }, bound: .seconds(5))
        let request = try #require(pending)
        world.run(until: { sniffer.packets.last?.scanRequest != nil }, bound: .seconds(1))
        let schedule = world.core.ether.schedules[scanner.id.radio.index]
        let end = request.reservedUntil + .milliseconds(1)
        #expect(!schedule.isFree(from: end, to: end + .microseconds(1)))
        world.run(for: .milliseconds(3))
        #expect(scanner.extendedReports.last?.type.isScanResponse == true)
    }

    @Test("A long response that a link interrupts is requested again")
    func cutOff() throws {
        try advertise(TestHost.setParameters(1, [.scannable]), response: Self.pattern(245))
        try scanner.scanExtended(.active)
        world.run(until: { pending != nil }, bound: .seconds(5))
        let request = try #require(pending)
        let start = request.reservedUntil + .microseconds(100)
        world.core.ether.schedules[scanner.id.radio.index].reserve(
            from: start,
            to: start + .microseconds(100),
            for: LinkID(rawValue: 1),
            now: world.now
        )
        world.run(for: .milliseconds(5))
        #expect(pending == nil)
        #expect(scanner.extendedReports.allSatisfy { !$0.type.isScanResponse })
        world.run(for: .seconds(5))
        #expect(scanner.extendedReports.contains { $0.type.isScanResponse })
    }

    @Test(
        "A set with lower transmit power is received with lower power",
        arguments: [[.legacy, .scannable], [], [.scannable]] as [HCI.AdvertisingProperties]
    )
    func weaker(properties: HCI.AdvertisingProperties) throws {
        let carriesData = properties != [.scannable]
        try scanner.scanExtended(.active)
        var strengths: [Set<Int8>] = []
        for power in [0, -15] as [Int8] {
            var parameters = TestHost.setParameters(1, properties)
            parameters.transmitPower = power
            try advertise(
                parameters,
                data: carriesData ? Self.pattern(30) : [],
                response: properties.contains(.scannable) ? Self.pattern(20) : []
            )
            scanner.forget()
            world.run(for: .seconds(2))
            try advertiser.disable()
            strengths.append(Set(scanner.extendedReports.map(\.rssi)))
        }
        let strong = try #require(strengths[0].first)
        #expect(strengths == [[strong], [strong - 15]])
    }

    @Test("Legacy advertising is reported in extended form")
    func legacyForm() throws {
        try advertiser.advertise(data: [2, 1, 6], response: [1, 9])
        try scanner.scanExtended(.active, duplicates: .on)
        world.run(for: .seconds(3))
        #expect(scanner.extendedReports.map(\.type.rawValue) == [0x13, 0x1B])
        #expect(scanner.extendedReports.map { Array($0.data) } == [[2, 1, 6], [1, 9]])
        for report in scanner.extendedReports {
            #expect(report.secondaryPHY == nil && report.setIdentifier == 0xFF)
            #expect(report.transmitPower == 127 && report.target == .none)
        }
    }

    @Test(
        "Legacy advertising in extended form has the correct event type",
        arguments: [
            (.connectableUndirected, 0x13), (.directedLowDutyCycle, 0x15), (.scannable, 0x12),
            (.nonConnectable, 0x10),
        ] as [(HCI.AdvertisingType, UInt16)]
    )
    func legacyTypes(type: HCI.AdvertisingType, reported: UInt16) throws {
        try advertiser.advertise(type, peer: scanner.publicAddress)
        try scanner.scanExtended()
        world.run(for: .seconds(1))
        #expect(!scanner.extendedReports.isEmpty)
        #expect(scanner.extendedReports.allSatisfy { $0.type.rawValue == reported })
    }

    @Test("A legacy scan does not receive extended advertising")
    func legacyScan() throws {
        try advertise(TestHost.setParameters(), data: [1, 2])
        try scanner.scan()
        world.run(for: .seconds(1))
        #expect(scanner.events.isEmpty)
    }

    @Test("New data of a set is not a duplicate")
    func newData() throws {
        try advertise(TestHost.setParameters(), data: [1, 2])
        try scanner.scanExtended(duplicates: .on)
        world.run(for: .seconds(2))
        #expect(scanner.extendedReports.map { Array($0.data) } == [[1, 2]])
        try advertiser.setData([3, 4])
        world.run(for: .seconds(2))
        #expect(scanner.extendedReports.map { Array($0.data) } == [[1, 2], [3, 4]])
    }

    @Test("Under the extended unfiltered policy, an unresolved target is reported as unresolved")
    func unresolvedTarget() throws {
        let target = DeviceAddress(value: 0x4000_0000_0001, kind: .random)
        try advertiser.advertise(.directedLowDutyCycle, peer: target)
        try scanner.scanExtended(policy: .unfilteredExtended)
        world.run(for: .seconds(1))
        let report = try #require(scanner.extendedReports.first)
        #expect(report.target == HCI.PeerAddress(type: .unresolved, value: target.value))
        #expect(report.type.isDirected)
    }

    @Test("A report of an incomplete chain is marked as truncated")
    func truncated() throws {
        try advertise(TestHost.setParameters(), data: Self.pattern(1650))
        try scanner.scanExtended()
        world.run(
            until: { scanner.extendedReports.contains { $0.type.dataStatus == .incomplete } },
            bound: .seconds(5)
        )
        world.core.ether.environment.setLoss(
            200,
            between: scanner.id.radio,
            and: advertiser.id.radio
        )
        world.run(for: .seconds(2))
        let reports = scanner.extendedReports
        #expect(reports.last?.type.dataStatus == .truncated)
        #expect(reports.last?.data.isEmpty == true)
        #expect(reports.count { $0.type.dataStatus == .truncated } == 1)
    }

    @Test("A scanner on a secondary channel receives no primary packets")
    func elsewhere() throws {
        try advertise(TestHost.setParameters(1, [], interval: 32...32), data: Self.pattern(1650))
        try scanner.scanExtended()
        let crowd = try (0..<10).map { try TestHost(world, "legacy \($0)", at: 2) }
        for host in crowd { try host.advertise(.nonConnectable, interval: 32) }
        world.run(for: .seconds(5))
        var auxiliary: [(Instant, Instant)] = []
        for packet in sniffer.packets where packet.extended?.kind == .chained {
            auxiliary.append((packet.start, packet.end))
        }
        // Legacy reports arrive at the end of their packets, which take 152 µs.
        for (event, end) in zip(scanner.events, scanner.instants) {
            guard case .extendedAdvertisingReports(let reports) = event,
                reports.allSatisfy(\.type.isLegacy)
            else { continue }
            let start = Instant(nanoseconds: end.nanoseconds - 152_000)
            let isDuring = auxiliary.contains { $0.0 < end && start < $0.1 && wasReported($0.1) }
            #expect(!isDuring)
        }
    }

    /// Returns whether a packet of the extended set was reported at that instant.
    private func wasReported(_ end: Instant) -> Bool {
        zip(scanner.events, scanner.instants).contains { event, instant in
            guard instant == end, case .extendedAdvertisingReports(let reports) = event else {
                return false
            }
            return reports.contains { !$0.type.isLegacy }
        }
    }

    @Test("Invalid pointers to secondary channels are ignored")
    func invalidPointers() throws {
        try scanner.scanExtended()
        let channels = RadioChannel.primaryAdvertising
        let now = world.now
        let places: [(RadioChannel?, Instant)] = [
            (RadioChannel(5), now), (RadioChannel(5), now + .seconds(100)),
            (channels[0], now + .milliseconds(5)), (RadioChannel(5), Instant(nanoseconds: .max)),
        ]
        for (channel, start) in places {
            let channel = try #require(channel)
            for primary in channels {
                let pdu = ExtendedAdvertisement(
                    kind: .primary,
                    set: 0,
                    advertiser: nil,
                    target: nil,
                    isConnectable: false,
                    isScannable: false,
                    sid: 1,
                    dataID: 2,
                    pointer: .init(channel: channel, modulation: .le1M, start: start),
                    transmitPower: nil,
                    data: [],
                    length: 9
                )
                let packet = AdvertisingPacket(
                    .extended(pdu),
                    from: advertiser.id.radio,
                    on: primary,
                    start: world.now
                )
                world.core.ether.transmit(packet)
                world.run(for: .milliseconds(1))
            }
        }
        world.run(for: .seconds(1))
        #expect(scanner.events.isEmpty)
    }
}
