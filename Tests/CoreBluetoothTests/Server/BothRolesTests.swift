// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import Foundation
import Synchronization
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("A central manager and a peripheral manager on two devices")
struct BothRolesTests {
    @Test(
        "6.1, 7.1, 10.2, 10.4, 11.1, 11.3 A central reads, writes and receives published values"
    )
    func meet() async throws {
        let (service, all) = SampleService.make()
        nonisolated(unsafe) let value = try #require(all[SampleService.notified])
        let fixture = try Fixture()
        let other = try fixture.addAdapter("other")
        try await fixture.serve([service]) { app in
            let written = Mutex(Data([1, 2]))
            app.answer { app, requests in
                if let new = requests[0].value {
                    written.withLock { $0 = new }
                } else {
                    requests[0].value = written.withLock { $0 }
                }
                app.manager.respond(to: requests[0], withResult: .success)
            }
            let phone = fixture.central(on: other)
            let sample = try await phone.connectedPeripheral("Shop")
            await phone.explore(sample)
            let dynamic = try sample.characteristic(SampleService.dynamic)
            sample.readValue(for: dynamic)
            await phone.journal.wait(for: "value A002 0102 ok")
            sample.writeValue(Data([3]), for: dynamic, type: .withResponse)
            await phone.journal.wait(for: "wrote A002 ok")
            sample.readValue(for: dynamic)
            await phone.journal.wait(for: "value A002 03 ok")
            sample.setNotifyValue(true, for: try sample.characteristic(SampleService.notified))
            await phone.journal.wait(for: "notifying A003 on ok")
            await app.journal.wait(for: "subscribed A003 1")
            #expect(app.manager.updateValue(Data([9]), for: value, onSubscribedCentrals: nil))
            await phone.journal.wait(for: "value A003 09 ok")
            phone.manager.cancelPeripheralConnection(sample)
            await app.journal.wait(for: "unsubscribed A003 nil")
        }
    }

    @Test(
        "12.2, 12.3 A scan for a service in the overflow area finds the peripheral"
    )
    func overflow() async throws {
        let fixture = try Fixture()
        let other = try fixture.addAdapter("other")
        try await fixture.run {
            let app = fixture.peripheral(options: [CBManagerOptionBackgroundRulesKey: true])
            await app.journal.wait(for: "state poweredOn")
            app.manager.startAdvertising([
                CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "A000")]
            ])
            await app.journal.wait(for: "advertising ok")
            let phone = fixture.central(on: other)
            await phone.journal.wait(for: "state poweredOn")
            phone.manager.scanForPeripherals(withServices: [CBUUID(string: "A000")])
            await phone.journal.wait(for: "discovered")
        }
    }

    @Test("10.2, 10.4 A delegate without methods for requests refuses them at once")
    func silentDelegate() async throws {
        let fixture = try Fixture()
        let silent = SilentDelegate()
        try await fixture.serve([SampleService.make().0]) { app in
            app.manager.delegate = silent
            try await fixture.client { client in
                let dynamic = try await client.find(SampleService.dynamic)
                let read = try await client.refusal { _ = try await client.link.read(dynamic) }
                #expect(read == .requestNotSupported)
                let write = try await client.refusal {
                    try await client.link.write([1], to: dynamic)
                }
                #expect(write == .requestNotSupported)
            }
        }
    }

    @Test("11.2 Values from many threads arrive once each, in the order of each thread")
    func threads() async throws {
        let (service, all) = SampleService.make()
        nonisolated(unsafe) let value = try #require(all[SampleService.notified])
        let fixture = try Fixture()
        try await fixture.serve([service]) { app in
            try await fixture.client { client in
                let found = try await client.find(SampleService.notified)
                var values = try await client.link.subscribe(to: found).makeAsyncIterator()
                await app.journal.wait(for: "subscribed A003 1")
                nonisolated(unsafe) let manager = try #require(app.manager)
                DispatchQueue.concurrentPerform(iterations: 4) { thread in
                    for number in 0..<8 {
                        let bytes = Data([UInt8(thread), UInt8(number)])
                        _ = manager.updateValue(bytes, for: value, onSubscribedCentrals: nil)
                    }
                }
                var next = [UInt8](repeating: 0, count: 4)
                for _ in 0..<32 {
                    let bytes = try #require(try await values.next())
                    #expect(bytes[1] == next[Int(bytes[0])])
                    next[Int(bytes[0])] += 1
                }
                #expect(next == [8, 8, 8, 8])
            }
        }
    }
}

/// A delegate that implements only the required method.
///
/// Unchecked: it has no state.
private final class SilentDelegate: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
}
