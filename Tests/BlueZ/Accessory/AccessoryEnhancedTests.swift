// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// Enhanced ATT: several bearers on one link, if BlueZ offers them. Debian 12's kernel supports
/// channels for these bearers only with an option.
@Suite(.machines) struct AccessoryEnhancedTests {
    private static let configuration = {
        var configuration = BlueZConfiguration()
        configuration.channels = 4
        return configuration
    }()

    /// Reads take a free bearer. Writes keep their order on the first bearer (Vol 3, Part G, 5.3).
    @Test(
        "Bearers open on an encrypted link and carry reads that would otherwise wait",
        arguments: Setting.all.filter { $0.release == .trixie }
    )
    func bearers(_ setting: Setting) async throws {
        try await withAccessory(setting, "Enhanced ATT", Self.configuration) { fixture in
            let (link, database) = try await fixture.connectAndExplore()
            _ = try await link.pair()
            // The host opens one bearer at a time: if a request is for two, Linux 6.12 sometimes
            // opens only the first before it answers.
            for _ in 0..<2 { try await link.openEnhancedBearers(1) }
            #expect(await link.enhancedBearerCount >= 2)
            let label = try database.handle(BlueZTable.label)
            let page = try database.handle(BlueZTable.page)
            let count = fixture.recorder.count(of: .readRequest)
            async let long = link.readLong(page)
            async let short = link.read(label)
            async let other = link.readLong(page)
            #expect(try await short == BlueZTable.labelValue)
            #expect(try await long == BlueZTable.pageValue)
            #expect(try await other == BlueZTable.pageValue)
            // Not all three requests used the first bearer.
            #expect(fixture.recorder.count(of: .readRequest) < count + 3)
            let slate = try database.handle(BlueZTable.slate)
            let writes = fixture.recorder.count(of: .writeRequest)
            try await link.write([1, 2, 3], to: slate)
            #expect(fixture.recorder.count(of: .writeRequest) == writes + 1)
            #expect(try await fixture.bluez.servedValue(BlueZTable.slate) == [1, 2, 3])
        }
    }
}
