// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHost
import BluetoothTypes
import Foundation
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("Changes of published objects")
struct PublishedChangeTests {
    /// Answers reads with the characteristic's own value and stores written values in it, like the
    /// code in Apple's programming guide.
    @Sendable private static func storeInCharacteristic(
        _ app: PeripheralRecorder,
        _ requests: [CBATTRequest]
    ) {
        guard let request = requests.first,
            let characteristic = request.characteristic as? CBMutableCharacteristic
        else { return }
        if request.value == nil {
            request.value = characteristic.value
        } else {
            characteristic.value = request.value
        }
        app.manager.respond(to: request, withResult: .success)
    }

    @Test("9.2 The app may set the value of a dynamic characteristic at any time")
    func ownValue() async throws {
        let fixture = try Fixture()
        let (sample, all) = SampleService.make()
        nonisolated(unsafe) let service = sample
        nonisolated(unsafe) let characteristic = try #require(all[SampleService.dynamic])
        let lines = try await Misuse.lines(about: Misuse.address(characteristic)) {
            try await fixture.serve([sample]) { app in
                app.answer(Self.storeInCharacteristic)
                for value in 1...2 as ClosedRange<UInt8> {
                    try await fixture.client { client in
                        let dynamic = try await client.find(SampleService.dynamic)
                        try await client.link.write([value], to: dynamic)
                        #expect(try await client.link.read(dynamic) == [value])
                    }
                    #expect(characteristic.value == Data([value]))
                    // The characteristic stays dynamic when its service is published again.
                    app.manager.remove(service)
                    app.manager.add(service)
                    await app.journal.wait(for: "added A000 ok", count: Int(value) + 1)
                }
                #expect(app.journal.lines.count { $0.hasPrefix("read A002") } == 2)
            }
        }
        #expect(lines.isEmpty)
    }

    @Test("9.1 A change of a published service is logged, and published with the next add")
    func change() async throws {
        let fixture = try Fixture()
        let (sample, all) = SampleService.make()
        nonisolated(unsafe) let service = sample
        nonisolated(unsafe) let fixed = try #require(all[SampleService.fixed])
        nonisolated(unsafe) let dynamic = try #require(all[SampleService.dynamic])
        let journal = Journal()
        try await Misuse.observing(journal.add) {
            try await fixture.serve([sample]) { app in
                app.answer(Self.storeInCharacteristic)
                fixed.value = Data([9])
                dynamic.properties = .write
                dynamic.permissions = .writeable
                dynamic.descriptors = [
                    CBMutableDescriptor(type: CBUUID(string: "2901"), value: "Words")
                ]
                service.characteristics = [dynamic, fixed]
                try await fixture.client { client in
                    let old = try await client.find(SampleService.fixed)
                    #expect(try await client.link.read(old) == [1, 2, 3])
                    let open = try await client.find(SampleService.dynamic)
                    #expect(open.properties == [.read, .write, .writeWithoutResponse])
                    try await client.link.write([5], to: open)
                    #expect(app.allRequests.last?.characteristic === dynamic)
                }
                app.manager.add(service)
                await app.journal.wait(for: "added A000 ok", count: 2)
                try await fixture.client(number: 0xF2) { client in
                    let found = try await client.link.discoverServices(uuid: BluetoothUUID(0xA000))
                    #expect(found.count == 1)
                    let service = try #require(found.first)
                    let new = try await client.link.discoverCharacteristics(of: service)
                    #expect(new.map(\.uuid.short16) == [0xA002, 0xA001])
                    #expect(new.first?.properties == .write)
                    #expect(try await client.link.read(try #require(new.last)) == [9])
                    let descriptors = try await client.link.discoverDescriptors(
                        of: try #require(new.first)
                    )
                    #expect(descriptors.map(\.uuid.short16) == [0x2901])
                }
            }
        }
        for object in [service, fixed, dynamic] {
            let place = Misuse.address(object)
            let lines = journal.lines.filter { $0.contains(place) }
            #expect(lines.count == (object === dynamic ? 3 : 1))
            #expect(lines.allSatisfy { $0.hasPrefix("API MISUSE: ") })
        }
    }

    @Test(
        "9.6 Services can be built again after a power cycle, with nothing in the log",
        arguments: [false, true]
    )
    func rebuilding(isBelowOff: Bool) async throws {
        let fixture = try Fixture()
        let (sample, all) = SampleService.make()
        nonisolated(unsafe) let service = sample
        nonisolated(unsafe) let fixed = try #require(all[SampleService.fixed])
        let journal = Journal()
        try await Misuse.observing(journal.add) {
            try await fixture.serve([sample]) { app in
                app.answer(Self.storeInCharacteristic)
                if isBelowOff {
                    fixture.adapter.authorization = .denied
                    await app.journal.wait(for: "state unauthorized")
                    fixture.adapter.authorization = .allowedAlways
                } else {
                    fixture.adapter.isPoweredOn = false
                    await app.journal.wait(for: "state poweredOff")
                    fixture.adapter.isPoweredOn = true
                }
                await app.journal.wait(for: "state poweredOn", count: 2)
                fixed.descriptors = [
                    CBMutableDescriptor(type: CBUUID(string: "2901"), value: "Words")
                ]
                service.characteristics = [fixed]
                app.manager.add(service)
                app.manager.startAdvertising(nil)
                await app.journal.wait(for: "added A000 ok", count: 2)
                await app.journal.wait(for: "advertising ok", count: 2)
                try await fixture.client { client in
                    let services = try await client.link.discoverServices()
                    #expect(services.compactMap(\.uuid.short16) == [0x1800, 0x1801, 0xA000])
                    let found = try await client.find(SampleService.fixed)
                    let descriptors = try await client.link.discoverDescriptors(of: found)
                    #expect(descriptors.map(\.uuid.short16) == [0x2901])
                }
            }
        }
        for object in [service, fixed] {
            #expect(!journal.lines.contains { $0.contains(Misuse.address(object)) })
        }
    }

    @Test("9.1 A subscriber of a changed service is unsubscribed and can subscribe again")
    func subscribers() async throws {
        let fixture = try Fixture()
        let (sample, all) = SampleService.make()
        nonisolated(unsafe) let service = sample
        nonisolated(unsafe) let notified = try #require(all[SampleService.notified])
        try await fixture.serve([sample]) { app in
            try await fixture.client { client in
                let old = try await client.link.subscribe(to: client.find(SampleService.notified))
                await app.journal.wait(for: "subscribed A003 1")
                service.characteristics = [notified]
                app.manager.add(service)
                await app.journal.wait(for: "added A000 ok", count: 2)
                #expect(notified.subscribedCentrals == nil)
                let new = try await client.link.subscribe(to: client.find(SampleService.notified))
                await app.journal.wait(for: "subscribed A003 1", count: 2)
                #expect(
                    app.manager.updateValue(Data([4]), for: notified, onSubscribedCentrals: nil)
                )
                var values = new.makeAsyncIterator()
                #expect(try await values.next() == [4])
                withExtendedLifetime(old) {}
            }
        }
    }
}
