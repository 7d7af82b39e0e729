// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHost
import BluetoothTypes
import Foundation
import LanyardTestSupport
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("Published services")
struct ServiceTests {
    @Test("9.1, 9.3, 9.5 Centrals discover added services with descriptors and included services")
    func found() async throws {
        let (sample, _) = SampleService.make()
        let described = SampleService.characteristic("B001", [.read, .notify], .readable)
        described.descriptors = [
            CBMutableDescriptor(type: CBUUID(string: "2901"), value: "Words"),
            CBMutableDescriptor(type: CBUUID(string: "2904"), value: Data(repeating: 1, count: 7)),
        ]
        let including = CBMutableService(type: CBUUID(string: "B000"), primary: false)
        including.characteristics = [described]
        including.includedServices = [sample]
        let fixture = try Fixture()
        try await fixture.serve([sample, including]) { app in
            #expect(
                app.journal.lines.filter { $0.hasPrefix("added") } == [
                    "added A000 ok", "added B000 ok",
                ]
            )
            try await fixture.client { client in
                let services =
                    try await client.link.discoverServices()
                    + client.link.discoverSecondaryServices()
                let found = try #require(services.first { $0.uuid == BluetoothUUID(0xB000) })
                let included = try await client.link.discoverIncludedServices(of: found)
                #expect(included.map(\.service.uuid) == [BluetoothUUID(0xA000)])
                let characteristics = try await client.link.discoverCharacteristics(of: found)
                let descriptors = try await client.link.discoverDescriptors(
                    of: try #require(characteristics.first)
                )
                #expect(
                    descriptors.map(\.uuid) == [0x2901, 0x2904, 0x2902].map { BluetoothUUID($0) }
                )
                #expect(try await client.link.read(descriptors[0]) == [UInt8]("Words".utf8))
            }
        }
    }

    @Test("9.1 A service that includes an unpublished one is refused")
    func unknownInclusion() async throws {
        nonisolated(unsafe) let including = CBMutableService(
            type: CBUUID(string: "B000"),
            primary: true
        )
        including.includedServices = [CBMutableService(type: CBUUID(string: "B001"), primary: true)]
        try await Fixture().serve([including]) { app in
            #expect(app.journal.lines.contains("added B000 CBError 1"))
            #expect(!including.isPublished)
        }
    }

    @Test("9.1 A service is published from the call of add to the call of remove")
    func publication() async throws {
        let (sample, _) = SampleService.make()
        nonisolated(unsafe) let service = sample
        try await Fixture().serve([sample]) { app in
            #expect(service.isPublished)
            app.manager.remove(service)
            #expect(!service.isPublished)
        }
    }

    #if os(Linux)
        @Test("9.2 A cached value that can be written ends the program, with Apple's text")
        func cachedValues() async {
            let result = await #expect(
                processExitsWith: .failure,
                observing: [\.standardErrorContent]
            ) {
                let service = CBMutableService(type: CBUUID(string: "A000"), primary: true)
                service.characteristics = [
                    SampleService.characteristic(
                        "A001",
                        [.read, .write],
                        [.readable, .writeable],
                        value: Data()
                    )
                ]
                try await Fixture().serve([service]) { _ in }
            }
            #expect(result.wrote("Characteristics with cached values must be read-only"))
        }

        @Test("9.2 A cached value that can be notified ends the program")
        func cachedNotifications() async {
            let result = await #expect(
                processExitsWith: .failure,
                observing: [\.standardErrorContent]
            ) {
                let service = CBMutableService(type: CBUUID(string: "A000"), primary: true)
                service.characteristics = [
                    SampleService.characteristic(
                        "A001",
                        [.read, .notify],
                        .readable,
                        value: Data([1])
                    )
                ]
                try await Fixture().serve([service]) { _ in }
            }
            #expect(result.wrote("Characteristics with cached values must be read-only"))
        }
    #endif

    @Test(
        "9.3 Properties that require descriptors of the system are refused",
        arguments: [0x1, 0x80]
    )
    func refusedProperties(bits: UInt) async throws {
        let service = CBMutableService(type: CBUUID(string: "A000"), primary: true)
        let properties = CBCharacteristicProperties(rawValue: bits)
        service.characteristics = [
            SampleService.characteristic("A001", [.read, properties], .readable)
        ]
        try await Fixture().serve([service]) { app in
            #expect(app.journal.lines.contains("added A000 CBError 1"))
        }
    }

    @Test(
        "9.4 Services that the system reserves are refused",
        arguments: [
            "1800", "1801", "1805", "180A", "180F", "1812", "0000180F-0000-1000-8000-00805F9B34FB",
        ]
    )
    func reserved(uuid: String) async throws {
        nonisolated(unsafe) let service = CBMutableService(
            type: CBUUID(string: uuid),
            primary: true
        )
        try await Fixture().serve([service]) { app in
            #expect(app.journal.lines.contains("added \(uuid) CBError 8"))
            #expect(!service.isPublished)
        }
    }

    @Test("9.4 The refusal has Apple's text")
    func words() {
        let error = CBError(delivering: .uuidNotAllowed)
        #expect(
            error.localizedDescription == "The specified UUID is not allowed for this operation."
        )
    }

    @Test("9.7 Removing a service is reported to centrals only, with Service Changed")
    func removal() async throws {
        let (sample, _) = SampleService.make()
        nonisolated(unsafe) let service = sample
        let fixture = try Fixture()
        try await fixture.serve([sample]) { app in
            try await fixture.client { client in
                var changes = try await client.link.serviceChanges().makeAsyncIterator()
                let lineCount = app.journal.lines.count
                app.manager.remove(service)
                #expect(try await changes.next() != nil)
                let left = try await client.link.discoverServices().map(\.uuid)
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

    @Test("9.7 Centrals do not discover a removed service or a removed service that includes it")
    func includedRemoval() async throws {
        let (sample, _) = SampleService.make()
        let including = CBMutableService(type: CBUUID(string: "B000"), primary: true)
        including.includedServices = [sample]
        nonisolated(unsafe) let services = [sample, including]
        let fixture = try Fixture()
        try await fixture.serve(services) { app in
            try await fixture.client { client in
                app.manager.remove(services[0])
                app.manager.remove(services[1])
                var changes = try await client.link.serviceChanges().makeAsyncIterator()
                let late = CBMutableService(type: CBUUID(string: "C000"), primary: true)
                app.manager.add(late)
                _ = try await changes.next()
                let left = try await client.link.discoverServices().map(\.uuid)
                #expect(left.map(\.short16) == [0x1800, 0x1801, 0xC000])
            }
        }
    }

    @Test("9.7 Centrals discover none of several removed services that include each other")
    func nestedRemoval() async throws {
        let (sample, _) = SampleService.make()
        let middle = CBMutableService(type: CBUUID(string: "B000"), primary: true)
        middle.includedServices = [sample]
        let outer = CBMutableService(type: CBUUID(string: "B001"), primary: true)
        outer.includedServices = [middle]
        nonisolated(unsafe) let services = [sample, middle, outer]
        let fixture = try Fixture()
        try await fixture.serve(services) { app in
            try await fixture.client { client in
                var changes = try await client.link.serviceChanges().makeAsyncIterator()
                for index in [1, 0, 2] { app.manager.remove(services[index]) }
                _ = try await changes.next()
                let left = try await client.link.discoverServices().map(\.uuid)
                #expect(left.map(\.short16) == [0x1800, 0x1801])
            }
        }
    }

    @Test("9.8 Several pending adds are answered in order, even for the same object")
    func order() async throws {
        nonisolated(unsafe) let services = (0..<20).map { number in
            CBMutableService(type: CBUUID(string: String(format: "B%03X", number)), primary: true)
        }
        try await Fixture().serve(services + [services[3]]) { app in
            let added = app.journal.lines.filter { $0.hasPrefix("added") }
            #expect(added == (services + [services[3]]).map { "added \($0.uuid.uuidString) ok" })
        }
    }

    @Test("9.8 Adding the same object twice publishes it once")
    func twice() async throws {
        let (sample, _) = SampleService.make()
        let fixture = try Fixture()
        try await fixture.serve([sample, sample]) { _ in
            try await fixture.client { client in
                let found = try await client.link.discoverServices(uuid: BluetoothUUID(0xA000))
                #expect(found.count == 1)
            }
        }
    }

    @Test("Commands before Bluetooth is on are ignored and logged")
    func notReady() async throws {
        let journal = Journal()
        try await Misuse.observing(journal.add) {
            let fixture = try Fixture()
            try await fixture.run {
                let app = fixture.peripheral()
                app.manager.add(SampleService.make().0)
                app.manager.startAdvertising(nil)
                let (_, all) = SampleService.make()
                let notified = try #require(all[SampleService.notified])
                #expect(!app.manager.updateValue(Data(), for: notified, onSubscribedCentrals: nil))
                await app.journal.wait(for: "state poweredOn")
                #expect(app.journal.lines == ["state poweredOn"])
            }
        }
        let misuse = journal.lines.filter {
            $0.contains("can only accept this command while in the powered on state")
        }
        #expect(misuse.count >= 3)
    }
}
