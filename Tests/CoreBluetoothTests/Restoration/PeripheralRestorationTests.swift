// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import Foundation
import HCITransports
import Testing

@Suite("Restoring peripheral managers")
struct PeripheralRestorationTests {
    private let store = MemoryStore()

    private static var options: [String: Any] {
        [CBPeripheralManagerOptionRestoreIdentifierKey: "sample"]
    }

    /// Makes an app answer every read with the same value.
    private static func answerReads(_ app: PeripheralRecorder) {
        app.answer { app, requests in
            requests.first?.value = Data([7])
            requests.first.map { app.manager.respond(to: $0, withResult: .success) }
        }
    }

    @Test(
        "13.2, 13.4 Services keep their handles and are advertised before the app acts"
    )
    func goesOn() async throws {
        let fixture = try Fixture { $0.store = store }
        try await fixture.serve([SampleService.make().0], options: Self.options) { app in
            let place = try await fixture.place(of: SampleService.dynamic)
            await fixture.adapter.shutDown()

            let again = fixture.peripheral(on: try fixture.relaunch(store), options: Self.options)
            Self.answerReads(again)
            await again.journal.wait(for: "state poweredOn")
            #expect(
                again.journal.lines == [
                    "restored kCBRestoredAdvertisement kCBRestoredServices", "state poweredOn",
                ]
            )
            #expect(again.wasAdvertising == [true])
            try await fixture.client(number: 0xF2) { client in
                let dynamic = try await client.find(SampleService.dynamic)
                #expect(dynamic.handle == place)
                #expect(try await client.link.read(dynamic.valueHandle) == [7])
                let fixed = try await client.find(SampleService.fixed)
                #expect(try await client.link.read(fixed.valueHandle) == [1, 2, 3])
            }
            let restored = try #require(again.restoredServices.first)
            #expect(restored.characteristics?.count == 6)
            #expect(again.allRequests.first?.characteristic === restored.characteristics?[1])
            #expect(again.manager.isAdvertising)
        }
    }

    @Test("13.4 A restored service can be removed, and what was removed is not restored again")
    func usable() async throws {
        let fixture = try Fixture { $0.store = store }
        try await fixture.serve([SampleService.make().0], options: Self.options) { app in
            await fixture.adapter.shutDown()
            let second = try fixture.relaunch(store)
            let again = fixture.peripheral(on: second, options: Self.options)
            await again.journal.wait(for: "state poweredOn")
            let service = try #require(again.restoredServices.first)
            again.manager.remove(service)
            again.manager.stopAdvertising()
            again.manager.add(SampleService.make().0)
            await again.journal.wait(for: "added A000 ok")
            again.manager.removeAllServices()
            await second.shutDown()

            let last = fixture.peripheral(
                on: try fixture.relaunch(store, times: 2),
                options: Self.options
            )
            await last.journal.wait(for: "state poweredOn")
            #expect(last.journal.lines == ["state poweredOn"])
        }
    }
}

extension Fixture {
    /// Returns the handle of a characteristic of the phone, as a new central discovers it.
    fileprivate func place(of uuid: String) async throws -> AttributeHandle {
        var place = AttributeHandle.invalid
        try await client { place = try await $0.find(uuid).handle }
        return place
    }
}
