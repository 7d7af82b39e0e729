// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

@Suite(.needsPeers) struct ScanTests {
    private static let services = [0x180F, 0x180D, 0x180A].map { BluetoothUUID(UInt16($0)) }

    @Test(
        "A scan reports the name, the services and the flags",
        arguments: ControllerKind.available
    )
    func advertisedData(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            _ = try await fixture.accessory(.demo)
            let received = try await first(of: fixture.host.scan())
            #expect(received.address == HostFixture.address())
            #expect(received.isConnectable)
            // Bumble's controller reports every advertisement as an extended one.
            #expect(received.isLegacy == (kind != .bumble))
            #expect(received.data.localName == "Lanyard Demo")
            #expect(received.data.serviceUUIDs == Self.services)
            #expect(received.data.flags == [.generalDiscoverable, .brEdrNotSupported])
        }
    }

    @Test(
        "General discovery reports a general discoverable device, and limited discovery does not",
        arguments: ControllerKind.available
    )
    func discoveryProcedure(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind) { fixture in
            _ = try await fixture.accessory(.demo)
            let general = ScanFilter(discoveryProcedure: .general)
            let scan = fixture.host.scan(for: general, reportsDuplicates: true)
            let limited = ScanFilter(discoveryProcedure: .limited)
            for received in try await collect(5, of: scan) {
                #expect(received.address == HostFixture.address())
                #expect(!limited.matches(received))
            }
        }
    }

    /// Bumble's controller answers scan requests with the advertisement instead.
    @Test("An active scan merges the scan response", .needsRootCanal)
    func activeScan() async throws {
        try await withHostFixture(on: .rootCanal) { fixture in
            _ = try await fixture.accessory(.demo)
            let received = try await first(of: fixture.host.scan(), where: \.isScanResponse)
            let data = try #require(received.data.manufacturerData)
            #expect(data.company == 0xFFFF)
            #expect(data.bytes == Array("Lanyard".utf8))
            #expect(received.data.localName == "Lanyard Demo")
            #expect(received.isConnectable)
        }
    }

    /// Bumble's controller reports scan responses that no host requested.
    @Test("A passive scan requests no scan responses", .needsRootCanal)
    func passiveScan() async throws {
        try await withHostFixture(on: .rootCanal) { fixture in
            _ = try await fixture.accessory(.demo)
            var parameters = ScanParameters()
            (parameters.isActive, parameters.filtersDuplicates) = (false, false)
            let scan = fixture.host.scan(parameters: parameters, reportsDuplicates: true)
            let received = try await collect(10, of: scan)
            #expect(received.allSatisfy { !$0.isScanResponse && $0.data.manufacturerData == nil })
            #expect(received.allSatisfy { $0.data.localName == "Lanyard Demo" })
        }
    }

    @Test(
        "Concurrent scans report the advertisements that match their own filters",
        arguments: ControllerKind.available
    )
    func concurrentScans(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind, accessoryLimit: 2) { fixture in
            let host = fixture.host
            let streaming = host.scan(for: ScanFilter(name: "Lanyard 2"), reportsDuplicates: true)
            let beating = host.scan(for: ScanFilter(services: [Self.services[1]]))
            _ = try await fixture.accessory(.stream, at: 1)
            _ = try await fixture.accessory(.demo)
            let found = try await first(of: beating)
            #expect(found.address == HostFixture.address())
            // An additional scan does not affect the others.
            _ = try await first(of: host.scan(for: ScanFilter(namePrefix: "Lanyard")))
            let again = try await collect(5, of: streaming)
            #expect(again.allSatisfy { $0.address == HostFixture.address(at: 1) })
        }
    }

    @Test("A scan reports identical advertisements once", arguments: ControllerKind.available)
    func duplicates(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind, accessoryLimit: 2) { fixture in
            let scan = fixture.host.scan()
            _ = try await fixture.accessory(.demo)
            _ = try await first(of: fixture.host.scan(reportsDuplicates: true))
            _ = try await fixture.accessory(.stream, at: 1)
            var reportsByAddress: [DeviceAddress: [[UInt8]]] = [:]
            for received in try await collect(of: scan, until: { $0.data.localName == "Lanyard 2" })
            {
                reportsByAddress[received.address, default: []].append(received.data.bytes)
            }
            for reports in reportsByAddress.values { #expect(Set(reports).count == reports.count) }
        }
    }

    @Test(
        "A scan continues while the host connects and uses a link",
        arguments: ControllerKind.available
    )
    func scanBesideLink(kind: ControllerKind) async throws {
        try await withHostFixture(on: kind, accessoryLimit: 2) { fixture in
            let scan = fixture.host.scan()
            _ = try await fixture.accessory(.demo)
            let link = try await fixture.connect()
            _ = try await fixture.accessory(.stream, at: 1)
            let received = try await first(of: scan) { $0.address == HostFixture.address(at: 1) }
            #expect(received.data.localName == "Lanyard 2")
            #expect(try await !link.discoverServices().isEmpty)
        }
    }
}

/// Returns the first advertisement that satisfies a condition.
func first(
    of scan: AsyncThrowingStream<Advertisement, any Error>,
    where condition: @escaping @Sendable (Advertisement) -> Bool = { _ in true }
) async throws -> Advertisement {
    try #require(try await collect(of: scan, until: condition).last)
}

private func collect(
    _ count: Int,
    of scan: AsyncThrowingStream<Advertisement, any Error>
) async throws -> [Advertisement] {
    try await within(HostFixture.limit, "\(count) advertisements") {
        var received: [Advertisement] = []
        for try await advertisement in scan {
            received.append(advertisement)
            if received.count == count { break }
        }
        return received
    }
}

private func collect(
    of scan: AsyncThrowingStream<Advertisement, any Error>,
    until condition: @escaping @Sendable (Advertisement) -> Bool
) async throws -> [Advertisement] {
    try await within(HostFixture.limit, "the advertisement") {
        var received: [Advertisement] = []
        for try await advertisement in scan {
            received.append(advertisement)
            if condition(advertisement) { break }
        }
        return received
    }
}
