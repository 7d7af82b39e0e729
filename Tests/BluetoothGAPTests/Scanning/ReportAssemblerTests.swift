// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothGAP
@testable import BluetoothHCI

@Suite("Legacy reports")
struct LegacyReportTests {
    private func report(
        _ type: HCI.AdvertisingReportType,
        _ text: String = "",
        from address: DeviceAddress = .accessory(1),
        rssi: Int8 = -42
    ) throws -> HCI.AdvertisingReport {
        HCI.AdvertisingReport(
            type: type,
            address: HCI.PeerAddress(address),
            data: try advertising(text).bytes[...],
            rssi: rssi
        )
    }

    @Test(
        "The report type states whether the advertiser is connectable and scannable",
        arguments: [
            (.connectable, true, true, false), (.connectableDirected, true, false, true),
            (.scannable, false, true, false), (.nonConnectable, false, false, false),
        ] as [(HCI.AdvertisingReportType, Bool, Bool, Bool)]
    )
    func types(
        type: HCI.AdvertisingReportType,
        isConnectable: Bool,
        isScannable: Bool,
        isDirected: Bool
    ) throws {
        let assembler = ReportAssemblerBox()
        let advertisement = try #require(assembler.receive(report(type, "020106")))
        #expect(advertisement.address == .accessory(1))
        #expect(advertisement.isConnectable == isConnectable)
        #expect(advertisement.isScannable == isScannable)
        #expect(advertisement.isDirected == isDirected)
        #expect(advertisement.isLegacy && !advertisement.isScanResponse)
        #expect(advertisement.rssi == -42)
        #expect(advertisement.rawData == [0x02, 0x01, 0x06])
        #expect(advertisement.primaryPHY == .le1M && advertisement.secondaryPHY == nil)
    }

    @Test("A signal strength of 127 means that the strength is unknown")
    func noSignal() throws {
        let assembler = ReportAssemblerBox()
        #expect(try assembler.receive(report(.connectable, rssi: 127))?.rssi == nil)
    }

    @Test("A scan response is merged with its advertisement and with later advertisements")
    func scanResponse() throws {
        let assembler = ReportAssemblerBox()
        let alone = try #require(assembler.receive(report(.connectable, "020106")))
        #expect(alone.data.localName == nil)
        let response = try #require(assembler.receive(report(.scanResponse, "03094869")))
        #expect(response.isScanResponse && response.isConnectable && response.isScannable)
        #expect(response.data.localName == "Hi" && response.data.flags != nil)
        #expect(response.rawData.count == 4)
        let again = try #require(assembler.receive(report(.connectable, "020106")))
        #expect(again.data == response.data && !again.isScanResponse)
        #expect(again.rawData == alone.rawData)
    }

    @Test("New data replaces the old data and keeps the scan response")
    func changed() throws {
        let assembler = ReportAssemblerBox()
        _ = try assembler.receive(report(.connectable, "04ff590001"))
        _ = try assembler.receive(report(.scanResponse, "03094869"))
        let changed = try #require(assembler.receive(report(.connectable, "04ff590002")))
        #expect(changed.data.manufacturerData?.bytes == [2])
        #expect(changed.data.localName == "Hi")
        let response = try #require(assembler.receive(report(.scanResponse, "03094869")))
        #expect(response.data.manufacturerData?.bytes == [2])
    }

    @Test("A scan response without an advertisement is reported alone")
    func loneResponse() throws {
        let assembler = ReportAssemblerBox()
        let response = try #require(assembler.receive(report(.scanResponse, "03094869")))
        #expect(response.data.localName == "Hi")
        #expect(!response.isConnectable && response.isScannable)
    }

    @Test("Public and random addresses with the same digits are different devices")
    func kinds() throws {
        let assembler = ReportAssemblerBox()
        let random = DeviceAddress.accessory(1)
        let other = DeviceAddress(value: random.value, kind: .public)
        _ = try assembler.receive(report(.connectable, "020106", from: random))
        let response = try assembler.receive(report(.scanResponse, "03094869", from: other))
        #expect(response?.data.flags == nil)
    }

    @Test("An identity address is marked as resolved")
    func identity() {
        let assembler = ReportAssemblerBox()
        let advertisement = assembler.receive(
            HCI.AdvertisingReport(
                type: .connectable,
                address: .init(type: .publicIdentity, value: 0x1122_3344_5566),
                data: [],
                rssi: 0
            )
        )
        #expect(advertisement?.isIdentityResolved == true)
        #expect(advertisement?.address.kind == .public)
    }

    @Test("Reports without an address are dropped")
    func anonymous() {
        let assembler = ReportAssemblerBox()
        let anonymousPeer = HCI.PeerAddress(type: .anonymous, value: 0)
        let legacy = HCI.AdvertisingReport(
            type: .nonConnectable,
            address: anonymousPeer,
            data: [],
            rssi: 0
        )
        #expect(assembler.receive(legacy) == nil)
    }

    @Test("A directed report is connectable")
    func directed() throws {
        let assembler = ReportAssemblerBox()
        let advertisement = try #require(
            assembler.receive(
                HCI.DirectedAdvertisingReport(
                    type: .connectableDirected,
                    address: .init(.accessory(1)),
                    target: .init(.accessory(2)),
                    rssi: -7
                )
            )
        )
        #expect(advertisement.isDirected && advertisement.isConnectable)
        #expect(advertisement.rssi == -7)
    }

    @Test("The transmit power in the data is reported, and a new assembler has no data")
    func powerAndReset() throws {
        let assembler = ReportAssemblerBox()
        #expect(try assembler.receive(report(.connectable, "020a04"))?.txPower == 4)
        assembler.reset()
        #expect(try assembler.receive(report(.scanResponse, "03094869"))?.txPower == nil)
    }

    @Test("The cache is bounded and drops the advertisers received longest ago")
    func bounded() throws {
        let assembler = ReportAssemblerBox()
        _ = try assembler.receive(report(.connectable, "020106"))
        for number in 2...(2 * UInt64(AdvertisementCache.generationLimit) + 2) {
            _ = try assembler.receive(report(.connectable, "020106", from: .accessory(number)))
        }
        #expect(try assembler.receive(report(.scanResponse, "03094869"))?.data.flags == nil)
    }
}

@Suite("Extended reports")
struct ExtendedReportTests {
    private static let more: UInt16 = 0b01 << 5
    private static let lost: UInt16 = 0b10 << 5

    private func report(
        _ data: [UInt8],
        type: UInt16 = 0b0001,
        from address: DeviceAddress = .accessory(1),
        set: UInt8 = 3,
        transmitPower: Int8 = 127
    ) -> HCI.ExtendedAdvertisingReport {
        HCI.ExtendedAdvertisingReport(
            type: .init(rawValue: type),
            address: .init(address),
            primaryPHY: .leCoded,
            secondaryPHY: .le2M,
            setIdentifier: set,
            transmitPower: transmitPower,
            rssi: -50,
            periodicInterval: .init(rawValue: 80),
            target: .none,
            data: data[...]
        )
    }

    @Test("A complete report becomes an advertisement")
    func whole() throws {
        let assembler = ReportAssemblerBox()
        let advertisement = try #require(assembler.receive(report([2, 1, 6], transmitPower: -4)))
        #expect(advertisement.isConnectable && !advertisement.isScannable)
        #expect(!advertisement.isLegacy && !advertisement.isTruncated)
        #expect(advertisement.primaryPHY == .leCoded && advertisement.secondaryPHY == .le2M)
        #expect(advertisement.setIdentifier == 3)
        #expect(advertisement.periodicInterval == .milliseconds(100))
        #expect(advertisement.txPower == -4)
        #expect(advertisement.rawData == [2, 1, 6])
    }

    @Test("Extended reports with legacy PDUs are merged with their scan responses")
    func legacyInExtended() throws {
        let assembler = ReportAssemblerBox()
        let first = try #require(assembler.receive(report([2, 1, 6], type: 0b10011, set: 0xFF)))
        #expect(first.isLegacy && first.isConnectable && first.isScannable)
        #expect(first.setIdentifier == nil)
        let response = try #require(
            assembler.receive(report([3, 9, 0x48, 0x69], type: 0b11011, set: 0xFF))
        )
        #expect(response.isScanResponse && response.isConnectable)
        #expect(response.data.localName == "Hi" && response.data.flags != nil)
    }

    @Test("The fragments of a chain are joined")
    func chain() throws {
        let assembler = ReportAssemblerBox()
        let bytes = [251, 0xFF] + [UInt8](repeating: 9, count: 250)
        #expect(assembler.receive(report(Array(bytes[..<100]), type: Self.more)) == nil)
        #expect(assembler.receive(report(Array(bytes[100..<229]), type: Self.more)) == nil)
        let advertisement = try #require(assembler.receive(report(Array(bytes[229...]), type: 0)))
        #expect(advertisement.rawData == bytes)
        #expect(!advertisement.isTruncated && !advertisement.data.isMalformed)
    }

    @Test("Chains of several sets, advertisers, and scan responses can interleave")
    func interleaved() throws {
        let assembler = ReportAssemblerBox()
        let kinds: [(UInt64, UInt8, UInt16)] = [(1, 1, 0), (1, 2, 0), (2, 1, 0), (1, 1, 0b1000)]
        for (index, kind) in kinds.enumerated() {
            let piece = report(
                [UInt8(index)],
                type: kind.2 | Self.more,
                from: .accessory(kind.0),
                set: kind.1
            )
            #expect(assembler.receive(piece) == nil)
        }
        for (index, kind) in kinds.enumerated() {
            let piece = report([0xEE], type: kind.2, from: .accessory(kind.0), set: kind.1)
            #expect(assembler.receive(piece)?.rawData == [UInt8(index), 0xEE])
        }
    }

    @Test("A chain that the controller truncates is reported as truncated")
    func truncated() throws {
        let assembler = ReportAssemblerBox()
        #expect(assembler.receive(report([2, 1, 6], type: Self.more)) == nil)
        let advertisement = try #require(assembler.receive(report([5], type: Self.lost)))
        #expect(advertisement.isTruncated)
        #expect(advertisement.data.flags != nil)
        #expect(assembler.receive(report([], type: Self.lost))?.isTruncated == true)
    }

    @Test("A chain is cut at the maximum length of advertising data")
    func endlessChain() throws {
        let assembler = ReportAssemblerBox()
        let piece = [UInt8](repeating: 1, count: 229)
        for _ in 0..<100 { #expect(assembler.receive(report(piece, type: Self.more)) == nil) }
        let advertisement = try #require(assembler.receive(report(piece, type: 0)))
        #expect(advertisement.rawData.count == AdvertisingData.extendedLimit)
        #expect(advertisement.isTruncated)
    }

    @Test("A chain beyond the limit displaces the oldest one")
    func manyChains() throws {
        let assembler = ReportAssemblerBox()
        let count = UInt64(ReportAssembler.chainLimit) + 1
        for number in 1...count {
            _ = assembler.receive(report([7], type: Self.more, from: .accessory(number)))
        }
        let oldest = try #require(assembler.receive(report([8], type: 0, from: .accessory(1))))
        #expect(oldest.rawData == [8], "The first fragment is dropped")
        let newest = try #require(assembler.receive(report([8], type: 0, from: .accessory(count))))
        #expect(newest.rawData == [7, 8])
    }

    @Test("Anonymous advertisements are dropped")
    func anonymous() {
        let assembler = ReportAssemblerBox()
        var anonymousReport = report([2, 1, 6])
        anonymousReport.address = .init(type: .anonymous, value: 0)
        #expect(assembler.receive(anonymousReport) == nil)
    }

    @Test(
        "Random reports never trap, and their data stays within its limit",
        arguments: RunSeed.seeds(1)
    )
    func hostile(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let assembler = ReportAssemblerBox()
        for _ in 0..<20_000 {
            let advertisement = assembler.receive(
                HCI.ExtendedAdvertisingReport(
                    type: .init(rawValue: UInt16(truncatingIfNeeded: random.next())),
                    address: .init(
                        type: .init(rawValue: UInt8.random(in: 0...4, using: &random)),
                        value: UInt64.random(in: 0...40, using: &random)
                    ),
                    primaryPHY: .init(rawValue: UInt8.random(in: 0...255, using: &random)),
                    secondaryPHY: .init(rawValue: UInt8.random(in: 0...255, using: &random)),
                    setIdentifier: UInt8.random(in: 0...255, using: &random),
                    transmitPower: Int8.random(in: -128...127, using: &random),
                    rssi: Int8.random(in: -128...127, using: &random),
                    periodicInterval: .init(rawValue: UInt16.random(in: 0...9, using: &random)),
                    target: .none,
                    data: random.bytes(Int.random(in: 0...229, using: &random))[...]
                )
            )
            #expect((advertisement?.rawData.count ?? 0) <= AdvertisingData.extendedLimit)
        }
    }
}
