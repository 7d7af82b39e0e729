// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHost
import BluetoothTypes
import Foundation
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("Two peripheral managers of one process")
struct SharingTests {
    private static func other() -> (CBMutableService, CBMutableCharacteristic) {
        let service = CBMutableService(type: CBUUID(string: "B000"), primary: true)
        let characteristic = SampleService.characteristic(
            "B001",
            [.read, .write, .notify],
            [.readable, .writeable]
        )
        service.characteristics = [characteristic]
        return (service, characteristic)
    }

    @Test("9.5 Each manager has its own events, and removing its services affects no other manager")
    func sideBySide() async throws {
        let fixture = try Fixture()
        try await fixture.serve([SampleService.make().0]) { first in
            let second = fixture.peripheral()
            await second.journal.wait(for: "state poweredOn")
            second.manager.add(Self.other().0)
            await second.journal.wait(for: "added B000 ok")
            first.answer { $0.manager.respond(to: $1[0], withResult: .success) }
            second.answer { $0.manager.respond(to: $1[0], withResult: .insufficientResources) }
            try await fixture.client { client in
                _ = try await client.link.read(client.find(SampleService.dynamic))
                let refusal = try await client.refusal {
                    _ = try await client.link.read(client.find("B001"))
                }
                #expect(refusal == .insufficientResources)
                second.manager.removeAllServices()
                _ = try await client.link.read(client.find(SampleService.dynamic))
            }
            #expect(first.allRequests.count == 2 && second.allRequests.count == 1)
        }
    }

    @Test("10.4 A unit of writes to both managers needs the consent of both")
    func unit() async throws {
        let fixture = try Fixture()
        try await fixture.serve([SampleService.make().0]) { first in
            let second = fixture.peripheral()
            await second.journal.wait(for: "state poweredOn")
            second.manager.add(Self.other().0)
            await second.journal.wait(for: "added B000 ok")
            first.answer { $0.manager.respond(to: $1[0], withResult: .success) }
            second.answer { app, requests in
                let agrees = requests[0].value == Data([1])
                app.manager.respond(to: requests[0], withResult: agrees ? .success : .invalidPdu)
            }
            try await fixture.client { client in
                let own = try await client.find(SampleService.dynamic).valueHandle
                let others = try await client.find("B001").valueHandle
                func write(_ value: UInt8) async throws {
                    try await client.link.writeReliably([
                        .init(handle: own, value: [value]),
                        .init(handle: others, value: [value]),
                    ])
                }
                try await write(1)
                // The response names the value of the manager that refuses, not the first of the
                // request.
                await #expect(throws: GATT.Failure.attribute(.invalidPDU, handle: others)) {
                    try await write(2)
                }
            }
        }
    }

    @Test("Releasing a manager removes only its own services")
    func goes() async throws {
        let fixture = try Fixture()
        try await fixture.serve([SampleService.make().0]) { first in
            let second = fixture.peripheral()
            await second.journal.wait(for: "state poweredOn")
            second.manager.add(Self.other().0)
            await second.journal.wait(for: "added B000 ok")
            second.dropManager()
            try await fixture.client { client in
                let found = try await client.link.discoverServices().compactMap(\.uuid.short16)
                #expect(found == [0x1800, 0x1801, 0xA000])
            }
            #expect(first.manager.isAdvertising)
        }
    }

    @Test("Each manager has its own space for values")
    func queues() async throws {
        let (service, all) = SampleService.make()
        nonisolated(unsafe) let indicated = try #require(all[SampleService.indicated])
        let (otherService, otherValue) = Self.other()
        nonisolated(unsafe) let (added, sent) = (otherService, otherValue)
        let fixture = try Fixture()
        try await fixture.serve([service]) { first in
            let second = fixture.peripheral()
            await second.journal.wait(for: "state poweredOn")
            second.manager.add(added)
            await second.journal.wait(for: "added B000 ok")
            try await fixture.client { client in
                let slow = try await client.link.subscribe(to: client.find(SampleService.indicated))
                var fast = try await client.link.subscribe(to: client.find("B001"))
                    .makeAsyncIterator()
                await first.journal.wait(for: "subscribed A004")
                await second.journal.wait(for: "subscribed B001")
                while first.manager.updateValue(
                    Data(),
                    for: indicated,
                    onSubscribedCentrals: nil
                ) {}
                #expect(second.manager.updateValue(Data([5]), for: sent, onSubscribedCentrals: nil))
                #expect(try await fast.next() == [5])
                withExtendedLifetime(slow) {}
            }
        }
    }
}
