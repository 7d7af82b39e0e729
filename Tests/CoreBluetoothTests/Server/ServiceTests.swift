// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHost
import BluetoothTypes
import Foundation
import LanyardTestSupport
import Testing

@testable import CoreBluetooth

@Suite("Services that are published")
struct ServiceTests {
    @Test("9.1, 9.3, 9.5 What is added is found by centrals, descriptors and inclusions with it")
    func found() async throws {
        let (shop, _) = Shop.make()
        let described = Shop.characteristic("B001", [.read, .notify], .readable)
        described.descriptors = [
            CBMutableDescriptor(type: CBUUID(string: "2901"), value: "Words"),
            CBMutableDescriptor(type: CBUUID(string: "2904"), value: Data(repeating: 1, count: 7)),
        ]
        let including = CBMutableService(type: CBUUID(string: "B000"), primary: false)
        including.characteristics = [described]
        including.includedServices = [shop]
        let stage = try Stage()
        try await stage.serve([shop, including]) { app in
            #expect(
                app.journal.lines.filter { $0.hasPrefix("added") } == [
                    "added A000 ok", "added B000 ok",
                ]
            )
            try await stage.visitor { visitor in
                let services =
                    try await visitor.link.discoverServices()
                    + visitor.link.discoverSecondaryServices()
                let found = try #require(services.first { $0.uuid == BluetoothUUID(0xB000) })
                let included = try await visitor.link.discoverIncludedServices(of: found)
                #expect(included.map(\.service.uuid) == [BluetoothUUID(0xA000)])
                let characteristics = try await visitor.link.discoverCharacteristics(of: found)
                let descriptors = try await visitor.link.discoverDescriptors(
                    of: try #require(characteristics.first)
                )
                #expect(
                    descriptors.map(\.uuid) == [0x2901, 0x2904, 0x2902].map { BluetoothUUID($0) }
                )
                #expect(try await visitor.link.read(descriptors[0]) == [UInt8]("Words".utf8))
            }
        }
    }

    @Test("9.1 A service that includes one which is not published is refused")
    func unknownInclusion() async throws {
        nonisolated(unsafe) let including = CBMutableService(
            type: CBUUID(string: "B000"),
            primary: true
        )
        including.includedServices = [CBMutableService(type: CBUUID(string: "B001"), primary: true)]
        try await Stage().serve([including]) { app in
            #expect(app.journal.lines.contains("added B000 CBError 1"))
            #expect(!including.isPublished)
        }
    }

    @Test("9.1 A published tree is frozen, and free again when it was removed")
    func frozen() async throws {
        let (shop, _) = Shop.make()
        nonisolated(unsafe) let service = shop
        try await Stage().serve([shop]) { app in
            #expect(service.isPublished)
            app.manager.remove(service)
            #expect(!service.isPublished)
            service.characteristics = nil
        }
    }

    #if os(Linux)
        @Test("9.1 To change a published service traps")
        func changing() async {
            let result = await #expect(
                processExitsWith: .failure,
                observing: [\.standardErrorContent]
            ) {
                let (shop, _) = Shop.make()
                nonisolated(unsafe) let service = shop
                try await Stage().serve([shop]) { _ in service.characteristics = [] }
            }
            #expect(result.said("cannot be changed once they are published"))
        }

        @Test("9.2 A cached value that can be written traps, in Apple's words")
        func cachedValues() async {
            let result = await #expect(
                processExitsWith: .failure,
                observing: [\.standardErrorContent]
            ) {
                let service = CBMutableService(type: CBUUID(string: "A000"), primary: true)
                service.characteristics = [
                    Shop.characteristic(
                        "A001",
                        [.read, .write],
                        [.readable, .writeable],
                        value: Data()
                    )
                ]
                try await Stage().serve([service]) { _ in }
            }
            #expect(result.said("Characteristics with cached values must be read-only"))
        }

        @Test("9.2 A cached value that can be notified traps as well")
        func cachedNotifications() async {
            let result = await #expect(
                processExitsWith: .failure,
                observing: [\.standardErrorContent]
            ) {
                let service = CBMutableService(type: CBUUID(string: "A000"), primary: true)
                service.characteristics = [
                    Shop.characteristic("A001", [.read, .notify], .readable, value: Data([1]))
                ]
                try await Stage().serve([service]) { _ in }
            }
            #expect(result.said("Characteristics with cached values must be read-only"))
        }
    #endif

    @Test(
        "9.3 Properties that need descriptors of the system's are refused",
        arguments: [0x1, 0x80]
    )
    func refusedProperties(bits: UInt) async throws {
        let service = CBMutableService(type: CBUUID(string: "A000"), primary: true)
        let properties = CBCharacteristicProperties(rawValue: bits)
        service.characteristics = [Shop.characteristic("A001", [.read, properties], .readable)]
        try await Stage().serve([service]) { app in
            #expect(app.journal.lines.contains("added A000 CBError 1"))
        }
    }

    @Test(
        "9.4 Services that the system keeps for itself are refused",
        arguments: [
            "1800", "1801", "1805", "180A", "180F", "1812", "0000180F-0000-1000-8000-00805F9B34FB",
        ]
    )
    func reserved(uuid: String) async throws {
        nonisolated(unsafe) let service = CBMutableService(
            type: CBUUID(string: uuid),
            primary: true
        )
        try await Stage().serve([service]) { app in
            #expect(app.journal.lines.contains("added \(uuid) CBError 8"))
            #expect(!service.isPublished)
        }
    }

    @Test("9.4 The refusal carries Apple's words")
    func words() {
        let error = CBError(delivering: .uuidNotAllowed)
        #expect(
            error.localizedDescription == "The specified UUID is not allowed for this operation."
        )
    }

    @Test("9.7 Who removes a service hears nothing of it; centrals are told by Service Changed")
    func removal() async throws {
        let (shop, _) = Shop.make()
        nonisolated(unsafe) let service = shop
        let stage = try Stage()
        try await stage.serve([shop]) { app in
            try await stage.visitor { visitor in
                var changes = try await visitor.link.serviceChanges().makeAsyncIterator()
                let lineCount = app.journal.lines.count
                app.manager.remove(service)
                #expect(try await changes.next() != nil)
                let left = try await visitor.link.discoverServices().map(\.uuid)
                #expect(!left.contains(BluetoothUUID(0xA000)))
                #expect(app.journal.lines.count == lineCount)
                app.manager.add(service)
                #expect(try await changes.next() != nil)
                await app.journal.wait(for: "added A000 ok", count: 2)
                app.manager.removeAllServices()
                #expect(try await changes.next() != nil)
                #expect(!service.isPublished)
            }
        }
    }

    @Test("9.7 An included service that is removed goes with the last that includes it")
    func includedRemoval() async throws {
        let (shop, _) = Shop.make()
        let including = CBMutableService(type: CBUUID(string: "B000"), primary: true)
        including.includedServices = [shop]
        nonisolated(unsafe) let services = [shop, including]
        let stage = try Stage()
        try await stage.serve(services) { app in
            try await stage.visitor { visitor in
                app.manager.remove(services[0])
                app.manager.remove(services[1])
                var changes = try await visitor.link.serviceChanges().makeAsyncIterator()
                let late = CBMutableService(type: CBUUID(string: "C000"), primary: true)
                app.manager.add(late)
                _ = try await changes.next()
                let left = try await visitor.link.discoverServices().map(\.uuid)
                #expect(left.map(\.short16) == [0x1800, 0x1801, 0xC000])
            }
        }
    }

    @Test("9.8 Several adds may be open; each is answered, in order, the same object once more too")
    func order() async throws {
        nonisolated(unsafe) let services = (0..<20).map { number in
            CBMutableService(type: CBUUID(string: String(format: "B%03X", number)), primary: true)
        }
        try await Stage().serve(services + [services[3]]) { app in
            let added = app.journal.lines.filter { $0.hasPrefix("added") }
            #expect(added == (services + [services[3]]).map { "added \($0.uuid.uuidString) ok" })
        }
    }

    @Test("9.8 The same object added twice is in the table once")
    func twice() async throws {
        let (shop, _) = Shop.make()
        let stage = try Stage()
        try await stage.serve([shop, shop]) { _ in
            try await stage.visitor { visitor in
                let found = try await visitor.link.discoverServices(uuid: BluetoothUUID(0xA000))
                #expect(found.count == 1)
            }
        }
    }

    @Test("Commands before Bluetooth is on are dropped, and said in the log")
    func notReady() async throws {
        let said = Journal()
        try await Misuse.observing(said.add) {
            let stage = try Stage()
            try await stage.run {
                let app = stage.peripheral()
                app.manager.add(Shop.make().0)
                app.manager.startAdvertising(nil)
                let (_, all) = Shop.make()
                let notified = try #require(all[Shop.notified])
                #expect(!app.manager.updateValue(Data(), for: notified, onSubscribedCentrals: nil))
                await app.journal.wait(for: "state poweredOn")
                #expect(app.journal.lines == ["state poweredOn"])
            }
        }
        let misuse = said.lines.filter {
            $0.contains("can only accept this command while in the powered on state")
        }
        #expect(misuse.count >= 3)
    }
}
