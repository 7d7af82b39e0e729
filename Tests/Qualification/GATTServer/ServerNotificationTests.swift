// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import ServerTestSupport
import Testing

/// GATT/SR/GAN, GAI, GAS and GAT: notifications and indications of our server, and its timeouts.
@Suite struct ServerNotificationTests {
    @Test("GATT/SR/GAN/BV-01-C: Characteristic Value Notification")
    func notifies() {
        Dialogue(serving: .none) {
            client(sends: "12 3500 0100")
            server(sends: "13")
            application(receives: .subscribed(0x0034, .notification))
            client(sends: "0A 3500")
            server(sends: "0B 0100")
            application(sends: [1, 2], of: 0x0034)
            server(sends: "1B 3400 0102")
            application(sends: Array(0..<40), of: 0x0034)
            server(sends: "1B 3400 \(bytes(0..<20))")
            client(sends: "12 3500 0000")
            server(sends: "13")
            application(receives: .subscribed(0x0034, nil))
        }.play()
    }

    @Test("GATT/SR/GAI/BV-01-C: Characteristic Value Indication")
    func indicates() {
        Dialogue(serving: .none) {
            client(sends: "12 3500 0200")
            server(sends: "13")
            application(receives: .subscribed(0x0034, .indication))
            application(sends: [1], of: 0x0034)
            server(sends: "1D 3400 01")
            application(sends: [2], of: 0x0034)
            client(sends: "0A 2200")
            server(sends: "0B 010203")
            client(sends: "1E")
            server(sends: "1D 3400 02")
            client(sends: "1E")
        }.play()
    }

    @Test("A Client Characteristic Configuration can be written with prepared writes")
    func subscribesReliably() {
        Dialogue(serving: .none) {
            client(sends: "16 3500 0000 0100")
            server(sends: "17 3500 0000 0100")
            client(sends: "18 01")
            server(sends: "19")
            application(receives: .subscribed(0x0034, .notification))
        }.play()
    }

    @Test("A Client Characteristic Configuration has two bytes")
    func refusesConfigurations() {
        Dialogue(serving: .none) {
            client(sends: "12 3500 01")
            server(sends: "01 12 3500 0D")
            client(sends: "12 3500 010000")
            server(sends: "01 12 3500 0D")
        }.play()
    }

    @Test("GATT/SR/GAS/BV-01-C: Service Changed")
    func indicatesChange() {
        let definition = GATT.ServiceDefinition(0xA0FF, [], handle: 0x0070)
        Dialogue(serving: .none) {
            client(sends: "12 0B00 0200")
            server(sends: "13")
            application(receives: .subscribed(0x000A, .indication))
            application(publishes: definition)
            server(sends: "1D 0A00 7000 7000")
            client(sends: "1E")
        }.play()
    }

    @Test("GATT/SR/GAS/BV-02-C: Database Hash")
    func readsHash() throws {
        let hash = try SampleTable.server().database.hash.hexadecimal
        Dialogue(serving: .none) {
            client(sends: "08 0100 FFFF 2A2B")
            server(sends: "09 12 0F00 \(hash)")
        }.play()
    }

    @Test("GATT/SR/GAS/BV-05-C, BV-06-C: A change-unaware client gets Database Out Of Sync")
    func outOfSync() throws {
        var changed = try SampleTable.server()
        let definition = GATT.ServiceDefinition(0xA0FF, [], handle: 0x0070)
        _ = try changed.publish(definition)
        Dialogue(serving: .none) {
            client(sends: "12 0D00 01")
            server(sends: "13")
            application(publishes: definition)
            client(sends: "52 2200 09")
            client(sends: "0A 2200")
            server(sends: "01 0A 2200 12")
            client(sends: "08 0100 FFFF 2A2B")
            server(sends: "09 12 0F00 \(changed.database.hash.hexadecimal)")
            client(sends: "0A 2200")
            server(sends: "0B 010203")
        }.play()
    }

    @Test("GATT/SR/GAT/BV-01-C: An unconfirmed indication ends the bearer")
    func waitsForConfirmation() {
        Dialogue(serving: .none) {
            client(sends: "12 3500 0200")
            server(sends: "13")
            application(receives: .subscribed(0x0034, .indication))
            application(sends: [1], of: 0x0034)
            server(sends: "1D 3400 01")
            application(sends: [2], of: 0x0034)
            time(passes: .seconds(29))
            client(sends: "0A 2200")
            server(sends: "0B 010203")
            time(passes: .seconds(1))
            client(sends: "1E")
            client(sends: "0A 2200")
        }.play()
    }

    @Test("A client gets an error if the application does not answer")
    func answersForApplication() {
        Dialogue(serving: .none) {
            client(sends: "0A 3200")
            application(isAsked: .read(.client, 0x0032, offset: 0))
            time(passes: .seconds(24))
            time(passes: .seconds(1))
            server(sends: "01 0A 3200 0E")
            application(answers: .success([1]))
            client(sends: "0A 2200")
            server(sends: "0B 010203")
        }.play()
    }
}
