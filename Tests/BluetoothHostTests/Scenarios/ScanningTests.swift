// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Scanning")
struct ScanningTests {
    private let peers = [ModelPeer(1, name: "Lamp"), ModelPeer(2, name: "Clock")]

    private func names(_ harness: Harness, _ scan: RequestIdentifier) -> [String?] {
        harness.advertisements.filter { $0.scan == scan }.map(\.entry.data.localName)
    }

    @Test(
        "Every scan gets the discoveries that match its filter",
        arguments: [ModelProfile.rich, .poor]
    )
    func severalScans(_ profile: ModelProfile) {
        var harness = Harness.ready(profile, peers: peers)
        let all = harness.scan()
        let lamps = harness.scan(for: ScanFilter(name: "Lamp"))
        harness.drive()
        harness.controller.advertise()
        harness.drive()
        #expect(names(harness, all) == ["Lamp", "Clock"])
        #expect(names(harness, lamps) == ["Lamp"])
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("A scan that requests duplicates gets them, and another scan does not")
    func duplicates() {
        var harness = Harness.ready(peers: [peers[0]])
        let once = harness.scan()
        let often = harness.scan(reportsDuplicates: true)
        harness.drive()
        let before = names(harness, often).count
        for _ in 0..<3 { harness.controller.advertise() }
        harness.drive()
        #expect(names(harness, once) == ["Lamp"])
        #expect(names(harness, often).count == before + 3)
    }

    @Test("The next scan does not continue data of which a stopped scan received a part")
    func partialData() {
        func report(_ data: [UInt8], isComplete: Bool) -> [UInt8] {
            let report = HCI.ExtendedAdvertisingReport(
                type: .init(rawValue: isComplete ? 0 : 1 << 5),
                address: HCI.PeerAddress(peers[0].address),
                primaryPHY: .le1M,
                secondaryPHY: .le1M,
                setIdentifier: 1,
                transmitPower: 127,
                rssi: -60,
                periodicInterval: .init(rawValue: 0),
                target: .none,
                data: data[...]
            )
            return HCI.Event.extendedAdvertisingReports([report]).packet.h4Bytes
        }
        var harness = Harness.ready()
        let first = harness.scan()
        harness.drive()
        harness.feed(report([0x02, 0x01], isComplete: false))
        harness.core.stopScan(first, now: harness.now)
        harness.drive()
        _ = harness.scan()
        harness.drive()
        harness.feed(report([0x02, 0x01], isComplete: false))
        harness.feed(report([0x06], isComplete: true))
        #expect(harness.advertisements.map(\.entry.rawData) == [[0x02, 0x01, 0x06]])
    }

    @Test("A second scan restarts the controller's scan if the controller filters duplicates")
    func renewed() {
        var harness = Harness.ready(peers: peers)
        _ = harness.scan()
        harness.drive()
        let before = harness.count(of: .leSetExtendedScanEnable)
        _ = harness.scan()
        harness.drive()
        #expect(
            harness.count(of: .leSetExtendedScanEnable) == before + 2,
            "The host stops and restarts the scan"
        )
        #expect(harness.controller.isScanning)
        _ = harness.scan(reportsDuplicates: true)
        harness.drive()
        let now = harness.count(of: .leSetExtendedScanEnable)
        _ = harness.scan()
        harness.drive()
        #expect(
            harness.count(of: .leSetExtendedScanEnable) == now,
            "The host sends no further scan command"
        )
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("The controller scans as long as the host has a scan")
    func stops() {
        var harness = Harness.ready(peers: peers)
        let first = harness.scan()
        let second = harness.scan()
        harness.drive()
        harness.core.stopScan(first, now: harness.now)
        harness.drive()
        #expect(harness.controller.isScanning)
        harness.core.stopScan(second, now: harness.now)
        harness.drive()
        #expect(!harness.controller.isScanning)
        #expect(harness.isPending(first) && harness.isPending(second))
        harness.core.stopScan(second, now: harness.now)
        harness.drive()
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("A scan that is requested before the host starts begins when the host is ready")
    func beforeStart() {
        var harness = Harness(peers: peers)
        let scan = harness.scan()
        harness.open()
        harness.drive()
        #expect(names(harness, scan) == ["Lamp", "Clock"])
    }

    @Test("Scans continue after a reset of the controller", arguments: 0..<8)
    func restored(afterPackets count: Int) {
        var harness = Harness.ready(peers: peers)
        let scan = harness.scan()
        harness.drive(atMost: count)
        harness.feed([0x04, 0x10, 0x01, 0x09])
        harness.controller.forget()
        // The controller's answer to HCI_Reset is lost with its state, so the host opens the
        // transport again.
        harness.advance(by: .seconds(10))
        #expect(harness.core.state == .ready)
        #expect(harness.controller.isScanning)
        #expect(harness.isPending(scan))
        #expect(harness.controller.violations.isEmpty)
    }

    @Test(
        "The host scans and connects, even if the controller cannot do both at once",
        arguments: [true, false]
    )
    func concurrently(isPoor: Bool) throws {
        var harness = Harness.ready(isPoor ? .poor : .rich, peers: peers)
        let scan = harness.scan()
        harness.drive()
        let pending = harness.requestConnection(peers[0].address)
        harness.advance(by: .seconds(6))
        #expect(throws: Never.self) { try harness.link(of: pending) }
        harness.advance(by: .seconds(6))
        #expect(harness.controller.isScanning)
        #expect(harness.isPending(scan))
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("If the controller refuses to scan, every scan fails")
    func refused() {
        var harness = Harness.ready(peers: peers)
        harness.controller.refusals = [.leSetExtendedScanEnable: .memoryCapacityExceeded]
        let scans = [harness.scan(), harness.scan()]
        harness.advance(by: .seconds(5))
        for scan in scans {
            #expect(harness.error(scan) == .controller(.memoryCapacityExceeded))
        }
        #expect(harness.core.state == .ready)
    }

    @Test("The host restarts a scan that the controller ends")
    func ended() {
        var harness = Harness.ready(peers: peers)
        let scan = harness.scan()
        harness.drive()
        harness.controller.isScanning = false
        harness.feed([0x04, 0x3E, 0x01, 0x11])
        harness.advance(by: .seconds(2))
        #expect(harness.controller.isScanning)
        #expect(harness.isPending(scan))
    }

    @Test("A scan beyond the limit is refused")
    func limit() {
        var harness = Harness.ready(peers: peers)
        let scans = (0..<HostCore.scanLimit).map { _ in harness.scan() }
        let surplus = harness.scan()
        #expect(harness.error(surplus) == .tooManyRequests)
        #expect(scans.allSatisfy { harness.isPending($0) })
    }
}
