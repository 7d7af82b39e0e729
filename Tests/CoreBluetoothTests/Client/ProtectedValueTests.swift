// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothGATT
import BluetoothHost
import BluetoothSMP
import BluetoothTypes
import Foundation
import Synchronization
import Testing
import VirtualAccessories

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("Protected values", .timeLimit(.minutes(2)))
struct ProtectedValueTests {
    @Test("8.1 A protected value causes pairing, and only the final result is reported")
    func pairing() async throws {
        let fixture = try Fixture(.safe(pairing: AccessoryPairing(.noInputNoOutput)))
        try await fixture.run {
            let phone = fixture.central()
            let safe = try await phone.connectedPeripheral("Safe")
            await phone.explore(safe)
            safe.readValue(for: try safe.characteristic("E001"))
            await phone.journal.wait(for: "value E001")
            #expect(phone.journal.lines == ["value E001 05 ok"])
            safe.setNotifyValue(true, for: try safe.characteristic("E001"))
            await phone.journal.wait(for: "notifying E001 on ok")
            #expect(Self.bondCount(of: fixture) == 1)
        }
    }

    @Test("8.2 If pairing fails, the peripheral's own error is reported", arguments: [false, true])
    func refusal(canPair: Bool) async throws {
        var refusing = AccessoryPairing(.noInputNoOutput)
        refusing.requiresAuthentication = true
        let fixture = try Fixture(.safe(pairing: canPair ? refusing : nil))
        try await fixture.run {
            let phone = fixture.central()
            let safe = try await phone.connectedPeripheral("Safe")
            await phone.explore(safe)
            safe.readValue(for: try safe.characteristic("E001"))
            await phone.journal.wait(for: "value E001")
            #expect(phone.journal.lines.last == "value E001 nil CBATTError 5")
            #expect(safe.state == .connected)
            #expect(Self.bondCount(of: fixture) == 0)
        }
    }

    @Test("8.3 An insufficient authorization does not cause pairing")
    func authorization() async throws {
        let fixture = try Fixture(.safe(pairing: AccessoryPairing(.noInputNoOutput)))
        try await fixture.run {
            let phone = fixture.central()
            let safe = try await phone.connectedPeripheral("Safe")
            await phone.explore(safe)
            let value = try safe.characteristic("E002")
            safe.writeValue(Data([1]), for: value, type: .withResponse)
            await phone.journal.wait(for: "wrote E002 CBATTError 8")
            #expect(Self.bondCount(of: fixture) == 0)
        }
    }

    @Test(
        "8.4 A peripheral that deleted its bond is reported with error 14",
        arguments: [true, false]
    )
    func lostBond(hasDelegate: Bool) async throws {
        let person = Person(pairsAgain: false)
        try await reconnectAfterLostBond(asking: hasDelegate ? person : nil) { phone, _ in
            await phone.journal.wait { lines in
                lines.contains { $0.hasSuffix("CBError 14") }
            }
        }
        #expect(person.lostBonds == (hasDelegate ? 1 : 0))
        #expect(person.results == (hasDelegate ? [true] : []))
    }

    @Test("8.4 A peripheral that deleted its bond is paired again if the delegate agrees")
    func pairsAgain() async throws {
        let person = Person(pairsAgain: true)
        try await reconnectAfterLostBond(asking: person) { phone, kit in
            // The name of the host, which the phone read at the first connection.
            await phone.journal.wait(for: "connected Lanyard")
            await phone.explore(kit)
            kit.readValue(for: try kit.characteristic("E001"))
            await phone.journal.wait(for: "value E001 05 ok")
        }
        #expect(person.lostBonds == 1)
        #expect(person.results == [true, true])
    }

    @Test(
        "8.1 The capabilities of both devices determine the pairing method",
        arguments: [
            (Pairing.IOCapability.keyboardDisplay, Pairing.Method.numericComparison),
            (.displayOnly, .justWorks),
            (.keyboardOnly, .passkeyEntry),
            (.noInputNoOutput, .justWorks),
        ]
    )
    func capability(_ capability: Pairing.IOCapability, _ method: Pairing.Method) async throws {
        let fixture = try Fixture(.safe(pairing: AccessoryPairing(.displayYesNo)))
        let person = Person(pairsAgain: false) {
            fixture.air.world.screen(of: fixture.accessories[0]).flatMap { UInt32($0) }
        }
        fixture.adapter.ioCapability = capability
        fixture.adapter.pairingDelegate = person
        try await fixture.run {
            let phone = fixture.central()
            let safe = try await phone.connectedPeripheral("Safe")
            await phone.explore(safe)
            safe.readValue(for: try safe.characteristic("E001"))
            await phone.journal.wait(for: "value E001 05 ok")
            #expect(person.methods == [method])
        }
    }

    /// Pairs with a peripheral, which then deletes its bond and is connected again.
    private func reconnectAfterLostBond(
        asking person: Person?,
        _ body: @escaping @Sendable (CentralRecorder, CBPeripheral) async throws -> Void
    ) async throws {
        let fixture = try Fixture()
        fixture.adapter.pairingDelegate = person
        try await fixture.run {
            try await fixture.host(configure: { $0.pairingDelegate = ConsentingDelegate() }) {
                host in
                _ = try await host.publish(Self.protectedService)
                _ = try await host.advertise(Advertising(AdvertisingContent(localName: "Kit")))
                let phone = fixture.central()
                let kit = try await phone.connectedPeripheral("Kit")
                await phone.explore(kit)
                kit.readValue(for: try kit.characteristic("E001"))
                await phone.journal.wait(for: "value E001 05 ok")
                phone.manager.cancelPeripheralConnection(kit)
                await phone.journal.wait(for: "disconnected")
                for bond in await host.bonds { await host.removeBond(bond.identifier) }
                _ = try await host.advertise(Advertising(AdvertisingContent(localName: "Kit")))
                phone.journal.clear()
                phone.manager.connect(kit)
                try await body(phone, kit)
            }
        }
    }

    private static let protectedService = GATT.ServiceDefinition(
        BluetoothUUID(0xE000),
        [
            .init(
                BluetoothUUID(0xE001),
                .read,
                permissions: GATT.Permissions(read: .encrypted),
                value: .stored([5])
            )
        ]
    )

    private struct ConsentingDelegate: PairingDelegate {
        func consents(to pairing: PairingRequest) async -> Bool { true }
    }

    /// The delegate of the phone, which agrees to every pairing and records the calls.
    private final class Person: PairingDelegate {
        private let answer: Bool
        private let digits: @Sendable () -> UInt32?
        private let calls = Mutex((lostBonds: 0, results: [Bool](), methods: [Pairing.Method]()))

        init(pairsAgain answer: Bool, digits: @escaping @Sendable () -> UInt32? = { nil }) {
            self.answer = answer
            self.digits = digits
        }

        var lostBonds: Int { calls.withLock { $0.lostBonds } }
        /// Whether each pairing succeeded.
        var results: [Bool] { calls.withLock { $0.results } }
        /// The methods of the questions.
        var methods: [Pairing.Method] { calls.withLock { $0.methods } }

        func consents(to pairing: PairingRequest) async -> Bool {
            calls.withLock { $0.methods.append(pairing.method) }
            return true
        }

        func confirms(_ digits: PairingDigits, of pairing: PairingRequest) async -> Bool {
            calls.withLock { $0.methods.append(pairing.method) }
            return true
        }

        func enterDigits(
            for pairing: PairingRequest,
            _ entry: DigitEntry
        ) async -> PairingDigits? {
            calls.withLock { $0.methods.append(pairing.method) }
            return digits().flatMap { PairingDigits($0) }
        }

        func pairsAgain(with peer: BondedPeer, on link: Link) async -> Bool {
            calls.withLock { $0.lostBonds += 1 }
            return answer
        }

        func pairingEnded(on link: Link, with result: Result<LinkSecurity, any Error>) async {
            calls.withLock { $0.results.append((try? result.get()) != nil) }
        }
    }

    private static func bondCount(of fixture: Fixture) -> Int? {
        fixture.adapter.usage.running?.facts.withLock { $0.bonds.count }
    }
}

extension SimpleAccessoryProfile {
    /// Returns an accessory with a value that requires encryption, and one that refuses writes.
    fileprivate static func safe(pairing: AccessoryPairing?) -> SimpleAccessoryProfile {
        SimpleAccessoryProfile(
            name: "Safe",
            services: [
                Service(
                    BluetoothUUID(0xE000),
                    [
                        Characteristic(
                            BluetoothUUID(0xE001),
                            [.read, .notify],
                            value: [5],
                            requirement: .encrypted
                        ),
                        Characteristic(
                            BluetoothUUID(0xE002),
                            .write,
                            reaction: WriteReaction { _, _ in .refused(.insufficientAuthorization) }
                        ),
                    ]
                )
            ],
            pairing: pairing
        )
    }
}
