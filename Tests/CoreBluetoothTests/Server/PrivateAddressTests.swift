// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes
import Foundation
import Testing

@testable import BluetoothClients
@testable import BluetoothHost
@testable import CoreBluetooth

@Suite("Advertised addresses")
struct PrivateAddressTests {
    @Test("12.5 Named adapters use private addresses")
    func named() async throws {
        let environment = try #require(
            AdapterEnvironment("virtual", CBAdapter.virtual.usage)
        )
        defer { environment.end() }
        let adapter = try #require(environment.port as? HostAdapter)
        let privacy = await adapter.host.configuration.privacy
        #expect(privacy == .on)
    }

    @Test("12.5 The advertised address changes")
    func rotation() async throws {
        let fixture = try Fixture { $0.privacy = .on }
        try await fixture.run(bound: .seconds(3_600)) {
            let app = fixture.peripheral()
            await app.journal.wait(for: "state poweredOn")
            app.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Shop"])
            await app.journal.wait(for: "advertising ok")
            let seen = LockedState<[DeviceAddress]>([])
            try await fixture.host(named: "scanner", number: 0xF9) { scanner in
                for try await advertisement in scanner.scan()
                where advertisement.data.localName == "Shop" {
                    seen.change {
                        if !$0.contains(advertisement.address) { $0.append(advertisement.address) }
                    }
                    if seen.current.count == 2 { break }
                }
            }
            #expect(seen.current.count == 2)
            #expect(seen.current.allSatisfy { $0.randomKind == .resolvablePrivate })
        }
    }
}
