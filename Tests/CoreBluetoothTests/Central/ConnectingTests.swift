// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import CoreBluetoothEnumerations
import Foundation
import LanyardTestSupport
import Testing
import VirtualAccessories

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("Connecting and disconnecting")
struct ConnectingTests {
    @Test(
        "5.1 Connecting has no timeout: it succeeds when the peripheral appears ten minutes later"
    )
    func noTimeout() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run(bound: .seconds(1_200)) {
            let phone = await fixture.phone(finding: "Strap")
            let strap = try phone.discovered("Strap")
            fixture.air.world.switchOff(fixture.accessories[0])
            phone.manager.connect(strap)
            try await fixture.air.sleep(for: .seconds(600))
            #expect(strap.state == .connecting)
            #expect(!phone.journal.lines.contains { $0.hasPrefix("failed") })
            fixture.air.world.switchOn(fixture.accessories[0])
            await phone.journal.wait(for: "connected Strap")
            #expect(strap.state == .connected)
        }
    }

    @Test("5.2.7 Connecting fails if the controller has no room for another link")
    func linkLimit() async throws {
        let fixture = try Fixture(.heartRate(name: "One"), .heartRate(name: "Two"))
        let adapter = try fixture.addAdapter("small", linkLimit: 1)
        try await fixture.run {
            let phone = fixture.central(on: adapter)
            let one = try await phone.connectedPeripheral("One")
            phone.manager.scanForPeripherals(withServices: nil)
            await phone.journal.wait(for: "discovered Two")
            phone.manager.stopScan()
            let two = try phone.discovered("Two")
            phone.manager.connect(two)
            await phone.journal.wait(for: "failed Two CBError 11")
            #expect(two.state == .disconnected)
            // The link that ends makes room.
            phone.manager.cancelPeripheralConnection(one)
            phone.manager.connect(two)
            await phone.journal.wait(for: "connected Two")
        }
    }

    @Test("5.3 The second manager gets the link without radio traffic")
    func sharedLink() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let one = try await fixture.phone(connectedTo: "Strap")
            // The peripheral is connected and does not advertise.
            let other = fixture.central()
            await other.journal.wait(for: "state poweredOn")
            let identifier = try one.discovered("Strap").identifier
            let strap = try #require(
                other.manager.retrievePeripherals(withIdentifiers: [identifier]).first
            )
            #expect(strap.state == .disconnected)
            let before = fixture.air.now
            other.manager.connect(strap)
            await other.journal.wait(for: "connected")
            #expect(fixture.air.now == before)
        }
    }

    @Test("5.2.1, 5.4 Canceling ends one manager's connection and not another manager's")
    func cancelShared() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let one = try await fixture.phone(connectedTo: "Strap")
            let strap = try one.discovered("Strap")
            let other = fixture.central()
            await other.journal.wait(for: "state poweredOn")
            let same = try #require(
                other.manager.retrievePeripherals(withIdentifiers: [strap.identifier]).first
            )
            other.manager.connect(same)
            await other.journal.wait(for: "connected")
            one.manager.cancelPeripheralConnection(strap)
            #expect(strap.state == .disconnecting)
            await one.journal.wait(for: "disconnected Strap ok")
            #expect(strap.state == .disconnected)
            #expect(same.state == .connected)
            try await fixture.air.sleep(for: .seconds(10))
            #expect(other.disconnections.isEmpty)
        }
    }

    @Test("5.5 Canceling a pending connection causes a disconnection without an error")
    func cancelPending() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let phone = await fixture.phone(finding: "Strap")
            let strap = try phone.discovered("Strap")
            fixture.air.world.switchOff(fixture.accessories[0])
            phone.manager.connect(strap)
            #expect(strap.state == .connecting)
            phone.manager.cancelPeripheralConnection(strap)
            await phone.journal.wait(for: "disconnected Strap ok")
            #expect(strap.state == .disconnected)
            phone.manager.cancelPeripheralConnection(strap)
            fixture.air.world.switchOn(fixture.accessories[0])
            try await fixture.air.sleep(for: .seconds(5))
            #expect(phone.disconnections.count == 1)
        }
    }

    @Test("Connecting right after canceling connects again")
    func connectAfterCancel() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let phone = try await fixture.phone(connectedTo: "Strap")
            let strap = try phone.discovered("Strap")
            phone.manager.cancelPeripheralConnection(strap)
            phone.manager.connect(strap)
            #expect(strap.state == .connecting)
            await phone.journal.wait(for: "connected Strap", count: 2)
            #expect(strap.state == .connected)
            #expect(phone.disconnections == ["disconnected Strap ok"])
        }
    }

    @Test("After many commands in a row, the last one applies", arguments: RunSeed.seeds(4))
    func manyCommands(seed: UInt64) async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"), seed: seed)
        try await fixture.run {
            let phone = await fixture.phone(finding: "Strap")
            let strap = try phone.discovered("Strap")
            for _ in 0..<20 {
                phone.manager.connect(strap)
                try await fixture.air.sleep(for: .milliseconds(7 + Int64(seed % 28)))
                phone.manager.cancelPeripheralConnection(strap)
            }
            phone.manager.connect(strap)
            await phone.journal.wait(for: "disconnected Strap ok", count: 20)
            await phone.journal.wait { $0.last == "connected Strap" }
            #expect(strap.state == .connected)
        }
    }

    @Test("5.6, 5.2.2 A peripheral that is switched off disconnects with connectionTimeout")
    func outOfRange() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let phone = try await fixture.phone(connectedTo: "Strap")
            fixture.air.world.switchOff(fixture.accessories[0])
            await phone.journal.wait(for: "disconnected Strap CBError 6")
            #expect(try phone.discovered("Strap").state == .disconnected)
        }
    }

    @Test("5.2.3, 5.7 A peripheral that ends the link is disconnected and loses its services")
    func remoteEnd() async throws {
        let fixture = try Fixture(.leaver(name: "Leaver"))
        try await fixture.run {
            let phone = try await fixture.phone(connectedTo: "Leaver")
            try await phone.triggerDisconnect("Leaver")
            await phone.journal.wait(for: "disconnected Leaver CBError 7")
            let leaver = try phone.discovered("Leaver")
            #expect(leaver.services == nil)
            #expect(!leaver.canSendWriteWithoutResponse)
        }
    }

    @Test("5.8 Objects that were discovered before a disconnection are invalid after it")
    func stale() async throws {
        let fixture = try Fixture(.leaver(name: "Leaver"))
        try await fixture.run {
            let phone = try await fixture.phone(connectedTo: "Leaver")
            let leaver = try phone.discovered("Leaver")
            try await phone.triggerDisconnect("Leaver")
            let former = try #require(leaver.services?.first)
            await phone.journal.wait(for: "disconnected Leaver")
            phone.manager.connect(leaver)
            await phone.journal.wait(for: "connected Leaver", count: 2)
            #expect(leaver.services == nil)
            leaver.discoverServices(nil)
            await phone.journal.wait(for: "services", count: 2)
            #expect(leaver.services?.contains { $0 === former } == false)
        }
    }

    @Test("5.9 Connecting a connected peripheral is answered again")
    func connectTwice() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let phone = try await fixture.phone(connectedTo: "Strap")
            phone.manager.connect(try phone.discovered("Strap"))
            await phone.journal.wait(for: "connected Strap", count: 2)
        }
    }

    @Test("5.10 The connection attempt starts after the start delay")
    func delay() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let phone = await fixture.phone(finding: "Strap")
            let before = fixture.air.now
            phone.manager.connect(
                try phone.discovered("Strap"),
                options: [CBConnectPeripheralOptionStartDelayKey: 20]
            )
            await phone.journal.wait(for: "connected Strap")
            #expect(fixture.air.now - before >= .seconds(20))
            #expect(fixture.air.now - before < .seconds(25))
        }
    }

    @Test("5.10 A connection with the options for alerts succeeds")
    func options() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            _ = try await fixture.phone(
                connectedTo: "Strap",
                options: [
                    CBConnectPeripheralOptionNotifyOnConnectionKey: true,
                    CBConnectPeripheralOptionNotifyOnDisconnectionKey: true,
                    CBConnectPeripheralOptionNotifyOnNotificationKey: true,
                    CBConnectPeripheralOptionStartDelayKey: 1,
                    CBConnectPeripheralOptionRequiresANCS: true,
                    CBConnectPeripheralOptionEnableTransportBridgingKey: true,
                ]
            )
        }
    }

    @Test("3.8 Releasing a peripheral cancels its connection, and is logged")
    func release() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let phone = await fixture.phone(finding: "Strap")
            fixture.air.world.switchOff(fixture.accessories[0])
            var strap: CBPeripheral? = try phone.discovered("Strap")
            let identifier = try #require(strap?.identifier.uuidString)
            if let strap { phone.manager.connect(strap) }
            // The callback with the discovery has returned, so only the test retains the object.
            phone.queue.sync {}
            let lines = await Misuse.lines(about: identifier) {
                phone.drop("Strap")
                strap = nil
            }
            #expect(lines.count == 1)
            #expect(
                lines.first?.hasPrefix(
                    "API MISUSE: Cancelling connection for unused peripheral <CBPeripheral: 0x"
                ) == true
            )
            #expect(
                lines.first?.hasSuffix(">, Did you forget to keep a reference to it?") == true
            )
            fixture.air.world.switchOn(fixture.accessories[0])
            try await fixture.air.sleep(for: .seconds(5))
            #expect(!phone.journal.lines.contains { $0.hasPrefix("connected") })
        }
    }

    @Test("Releasing a manager ends its links")
    func dropManager() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let phone = try await fixture.phone(connectedTo: "Strap")
            phone.dropManager()
            // Only a peripheral that is not connected advertises.
            let next = await fixture.phone(finding: "Strap")
            #expect(try next.discovered("Strap").state == .disconnected)
        }
    }
}

extension SimpleAccessoryProfile {
    /// Returns a peripheral that ends the link when a value is written.
    static func leaver(name: String) -> SimpleAccessoryProfile {
        let leave = Characteristic(
            BluetoothUUID(0xFFF1),
            [.read, .write],
            reaction: WriteReaction { _, _ in .accepted([.disconnect]) }
        )
        return SimpleAccessoryProfile(
            name: name,
            services: [Service(BluetoothUUID(0xFFF0), [leave])]
        )
    }
}

extension CentralRecorder {
    /// Makes a peripheral of the profile `leaver` end its link.
    func triggerDisconnect(_ name: String) async throws {
        let leaver = try discovered(name)
        let found = journal.lines.count { $0.hasPrefix("characteristics") }
        leaver.discoverServices([CBUUID(string: "FFF0")])
        await journal.wait { lines in lines.last?.hasPrefix("services") == true }
        guard let service = leaver.services?.first else { throw NotDiscovered() }
        leaver.discoverCharacteristics(nil, for: service)
        await journal.wait(for: "characteristics", count: found + 1)
        guard let value = service.characteristics?.first else { throw NotDiscovered() }
        leaver.writeValue(Data([1]), for: value, type: .withResponse)
    }
}
