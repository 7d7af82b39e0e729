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
        [CBPeripheralManagerOptionRestoreIdentifierKey: "shop"]
    }

    /// Makes an application answer every read with the same value.
    private static func answerReads(_ app: PeripheralRecorder) {
        app.answer { app, requests in
            requests.first?.value = Data([7])
            requests.first.map { app.manager.respond(to: $0, withResult: .success) }
        }
    }

    @Test(
        "13.2, 13.4 Services keep their handles and are advertised before the application acts"
    )
    func goesOn() async throws {
        let stage = try Stage { $0.store = store }
        try await stage.serve([Shop.make().0], options: Self.options) { app in
            let place = try await stage.place(of: Shop.dynamic)
            await stage.adapter.shutDown()

            let again = stage.peripheral(on: try stage.relaunch(store), options: Self.options)
            Self.answerReads(again)
            await again.journal.wait(for: "state poweredOn")
            #expect(
                again.journal.lines == [
                    "restored kCBRestoredAdvertisement kCBRestoredServices", "state poweredOn",
                ]
            )
            try await stage.visitor(number: 0xF2) { visitor in
                let dynamic = try await visitor.find(Shop.dynamic)
                #expect(dynamic.handle == place)
                #expect(try await visitor.link.read(dynamic.valueHandle) == [7])
                let fixed = try await visitor.find(Shop.fixed)
                #expect(try await visitor.link.read(fixed.valueHandle) == [1, 2, 3])
            }
            let restored = try #require(again.restoredServices.first)
            #expect(restored.characteristics?.count == 6)
            #expect(again.allRequests.first?.characteristic === restored.characteristics?[1])
            #expect(again.manager.isAdvertising)
        }
    }

    @Test("13.4 A restored characteristic can send values, and its service can be removed")
    func usable() async throws {
        let stage = try Stage { $0.store = store }
        try await stage.serve([Shop.make().0], options: Self.options) { app in
            await stage.adapter.shutDown()
            let second = try stage.relaunch(store)
            let again = stage.peripheral(on: second, options: Self.options)
            await again.journal.wait(for: "state poweredOn")
            let service = try #require(again.restoredServices.first)
            again.manager.remove(service)
            again.manager.stopAdvertising()
            again.manager.add(Shop.make().0)
            await again.journal.wait(for: "added A000 ok")
            again.manager.removeAllServices()
            await second.shutDown()

            let last = stage.peripheral(
                on: try stage.relaunch(store, times: 2),
                options: Self.options
            )
            await last.journal.wait(for: "state poweredOn")
            #expect(last.journal.lines == ["state poweredOn"])
        }
    }
}

extension Stage {
    /// Returns the handle of a characteristic of the phone, as a new central discovers it.
    fileprivate func place(of uuid: String) async throws -> AttributeHandle {
        var place = AttributeHandle.invalid
        try await visitor { place = try await $0.find(uuid).handle }
        return place
    }
}
