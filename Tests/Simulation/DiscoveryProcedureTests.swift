// SPDX-License-Identifier: Apache-2.0
import BluetoothGAP
import BluetoothHost
import BluetoothTypes
import Testing

/// The general and the limited discovery procedure. Each test first advertises in a way that the
/// procedure must not report, until an observing scan has received it. The test then changes the
/// advertisement into one that the procedure must report. This one must be the first report.
@Suite("Discovery procedures, in virtual time")
struct DiscoveryProcedureTests {
    private static let general: AdvertisingData.Flags = [.generalDiscoverable, .brEdrNotSupported]
    private static let limited: AdvertisingData.Flags = [.limitedDiscoverable, .brEdrNotSupported]

    /// Returns the first advertisement that a discovery procedure reports. The device advertises
    /// `hidden` until an observing scan has received it, and then `shown`.
    private static func discovery(
        _ procedure: ScanFilter.DiscoveryProcedure,
        of hidden: Advertising,
        then shown: Advertising
    ) async throws -> Advertisement? {
        let phoneAddress = DeviceAddress(value: 0xC0DE_0000_0001, kind: .random)
        let found = Found()
        try await BroadcastTests.withHosts(phoneAddress: phoneAddress) { beacon, phone in
            var filter = ScanFilter()
            filter.discoveryProcedure = procedure
            let scan = phone.scan(for: filter, reportsDuplicates: true)
            var reports = scan.makeAsyncIterator()
            let set = try await beacon.advertise(hidden)
            let isDirected = if case .directed = hidden.kind { true } else { false }
            for _ in 0..<3 {
                _ = try await BroadcastTests.receive(phone) { $0.isDirected == isDirected }
            }
            await set.stop()
            _ = try await beacon.advertise(shown)
            await found.set(try await reports.next())
        }
        return await found.advertisement
    }

    private actor Found {
        private(set) var advertisement: Advertisement?
        func set(_ advertisement: Advertisement?) { self.advertisement = advertisement }
    }

    private static func lamp(
        _ name: String,
        _ flags: AdvertisingData.Flags?,
        _ kind: Advertising.Kind = .connectable
    ) -> Advertising {
        Advertising(AdvertisingContent(localName: name, flags: flags), kind: kind)
    }

    @Test("GAP/DISC/GENP/BV-03-C: General discovery does not report a broadcaster")
    func broadcaster() async throws {
        let found = try await Self.discovery(
            .general,
            of: Self.lamp("Hidden", nil, .nonConnectable),
            then: Self.lamp("Shown", Self.general, .nonConnectable)
        )
        #expect(found?.data.localName == "Shown")
    }

    @Test("GAP/DISC/GENP/BV-04-C: General discovery does not report a non-discoverable device")
    func nonDiscoverable() async throws {
        let found = try await Self.discovery(
            .general,
            of: Self.lamp("Hidden", [.brEdrNotSupported]),
            then: Self.lamp("Shown", Self.limited)
        )
        #expect(found?.data.localName == "Shown")
    }

    @Test("GAP/DISC/GENP/BV-05-C: General discovery does not report a directed advertiser")
    func directed() async throws {
        let phone = DeviceAddress(value: 0xC0DE_0000_0001, kind: .random)
        let found = try await Self.discovery(
            .general,
            of: Advertising(kind: .directed(phone, .low)),
            then: Self.lamp("Shown", Self.general)
        )
        #expect(found?.data.localName == "Shown" && found?.isDirected == false)
    }

    @Test(
        "GAP/DISC/LIMP/BV-01-C: Limited discovery reports only a limited discoverable device",
        arguments: [
            ("GAP/DISC/LIMP/BV-02-C", lamp("Hidden", general)),
            ("GAP/DISC/LIMP/BV-03-C", lamp("Hidden", nil, .nonConnectable)),
            ("GAP/DISC/LIMP/BV-04-C", lamp("Hidden", [.brEdrNotSupported])),
        ]
    )
    func limitedDiscovery(_ name: String, hidden: Advertising) async throws {
        let found = try await Self.discovery(
            .limited,
            of: hidden,
            then: Self.lamp("Shown", Self.limited)
        )
        #expect(found?.data.localName == "Shown")
    }
}
