// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHCI
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Scanning")
struct ScanningStories {
    private let peers = [ModelPeer(1, name: "Lamp"), ModelPeer(2, name: "Clock")]

    private func names(_ bench: Bench, _ scan: RequestIdentifier) -> [String?] {
        bench.sightings.filter { $0.scan == scan }.map(\.sighting.data.localName)
    }

    @Test(
        "Every scan gets the discoveries that match its filter",
        arguments: [ModelProfile.rich, .poor]
    )
    func severalScans(_ profile: ModelProfile) {
        var bench = Bench.ready(profile, peers: peers)
        let all = bench.scan()
        let lamps = bench.scan(for: ScanFilter(name: "Lamp"))
        bench.drive()
        bench.controller.advertise()
        bench.drive()
        #expect(names(bench, all) == ["Lamp", "Clock"])
        #expect(names(bench, lamps) == ["Lamp"])
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("A scan with duplicates gets them, and another scan does not")
    func duplicates() {
        var bench = Bench.ready(peers: [peers[0]])
        let once = bench.scan()
        let often = bench.scan(reportsDuplicates: true)
        bench.drive()
        let before = names(bench, often).count
        for _ in 0..<3 { bench.controller.advertise() }
        bench.drive()
        #expect(names(bench, once) == ["Lamp"])
        #expect(names(bench, often).count == before + 3)
    }

    @Test("A second scan restarts the controller's scan if that filters duplicates")
    func renewed() {
        var bench = Bench.ready(peers: peers)
        _ = bench.scan()
        bench.drive()
        let before = bench.count(of: .leSetExtendedScanEnable)
        _ = bench.scan()
        bench.drive()
        #expect(bench.count(of: .leSetExtendedScanEnable) == before + 2, "off, and on")
        #expect(bench.controller.isScanning)
        _ = bench.scan(reportsDuplicates: true)
        bench.drive()
        let now = bench.count(of: .leSetExtendedScanEnable)
        _ = bench.scan()
        bench.drive()
        #expect(bench.count(of: .leSetExtendedScanEnable) == now, "nothing is left out")
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("The controller scans as long as there is a scan")
    func stops() {
        var bench = Bench.ready(peers: peers)
        let first = bench.scan()
        let second = bench.scan()
        bench.drive()
        bench.core.stopScan(first, now: bench.now)
        bench.drive()
        #expect(bench.controller.isScanning)
        bench.core.stopScan(second, now: bench.now)
        bench.drive()
        #expect(!bench.controller.isScanning)
        #expect(bench.isPending(first) && bench.isPending(second))
        bench.core.stopScan(second, now: bench.now)
        bench.drive()
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("A scan before the start begins with it")
    func beforeStart() {
        var bench = Bench(peers: peers)
        let scan = bench.scan()
        bench.open()
        bench.drive()
        #expect(names(bench, scan) == ["Lamp", "Clock"])
    }

    @Test("Scans continue after a reset of the controller", arguments: 0..<8)
    func restored(afterPackets count: Int) {
        var bench = Bench.ready(peers: peers)
        let scan = bench.scan()
        bench.drive(atMost: count)
        bench.feed([0x04, 0x10, 0x01, 0x09])
        bench.controller.forget()
        // The packets for the reset are lost with the controller's state, so the host sends it
        // again.
        bench.advance(by: .seconds(10))
        #expect(bench.core.state == .ready)
        #expect(bench.controller.isScanning)
        #expect(bench.isPending(scan))
        #expect(bench.controller.violations.isEmpty)
    }

    @Test(
        "Scanning and connecting alternate on a radio that cannot do both",
        arguments: [true, false]
    )
    func concurrently(isPoor: Bool) throws {
        var bench = Bench.ready(isPoor ? .poor : .rich, peers: peers)
        let scan = bench.scan()
        bench.drive()
        let dial = bench.dial(peers[0].address)
        bench.advance(by: .seconds(6))
        #expect(throws: Never.self) { try bench.link(of: dial) }
        bench.advance(by: .seconds(6))
        #expect(bench.controller.isScanning)
        #expect(bench.isPending(scan))
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("A controller that refuses to scan fails every scan")
    func refused() {
        var bench = Bench.ready(peers: peers)
        bench.controller.refusals = [.leSetExtendedScanEnable: .memoryCapacityExceeded]
        let scans = [bench.scan(), bench.scan()]
        bench.advance(by: .seconds(5))
        for scan in scans {
            #expect(bench.error(scan) == .controller(.memoryCapacityExceeded))
        }
        #expect(bench.core.state == .ready)
    }

    @Test("A scan that the controller ends is started again")
    func ended() {
        var bench = Bench.ready(peers: peers)
        let scan = bench.scan()
        bench.drive()
        bench.controller.isScanning = false
        bench.feed([0x04, 0x3E, 0x01, 0x11])
        bench.advance(by: .seconds(2))
        #expect(bench.controller.isScanning)
        #expect(bench.isPending(scan))
    }

    @Test("A scan beyond the limit is refused")
    func limit() {
        var bench = Bench.ready(peers: peers)
        let scans = (0..<HostCore.scanLimit).map { _ in bench.scan() }
        let surplus = bench.scan()
        #expect(bench.error(surplus) == .tooManyRequests)
        #expect(scans.allSatisfy { bench.isPending($0) })
    }
}
