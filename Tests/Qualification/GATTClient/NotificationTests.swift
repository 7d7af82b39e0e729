// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

/// GATT/CL/GAN, GAI and GAS: notifications and indications of the server.
@Suite struct NotificationTests {
    @Test("GATT/CL/GAN/BV-01-C: Characteristic Value Notification")
    func notification() {
        Dialogue {
            application(
                asks: .subscribe(valueHandle: 0x03, descriptor: 0x04, .notification)
            )
            client(sends: "12 0400 0100")
            server(sends: "13")
            operation(endsWith: .success(.done))
            server(sends: "1B 0300 010203")
            application(receives: .notified(0x0003, value: [1, 2, 3], .notification))
        }.play()
    }

    @Test("A notification that arrives before the subscription is confirmed is delivered")
    func earlyNotification() {
        Dialogue {
            application(
                asks: .subscribe(valueHandle: 0x03, descriptor: 0x04, .notification)
            )
            client(sends: "12 0400 0100")
            server(sends: "1B 0300 01")
            application(receives: .notified(0x0003, value: [1], .notification))
            server(sends: "13")
            operation(endsWith: .success(.done))
        }.play()
    }

    @Test("Unsubscribing writes zero")
    func unsubscribe() {
        Dialogue {
            application(asks: .unsubscribe(valueHandle: 0x03, descriptor: 0x04))
            client(sends: "12 0400 0000")
            server(sends: "13")
            operation(endsWith: .success(.done))
        }.play()
    }

    @Test("GATT/CL/GAN/BV-02-C: Handle Value Multiple Notification")
    func multipleNotification() {
        Dialogue {
            application(asks: .write(0x0009, [0x04]))
            client(sends: "12 0900 04")
            server(sends: "13")
            operation(endsWith: .success(.done))
            server(sends: "23 0300 0200 0102 0600 0100 03")
            application(receives: .notified(0x0003, value: [1, 2], .notification))
            application(receives: .notified(0x0006, value: [3], .notification))
        }.play()
    }

    @Test("GATT/CL/GAI/BV-01-C: Confirm Characteristic Value Indication")
    func indication() {
        Dialogue {
            application(asks: .subscribe(valueHandle: 0x03, descriptor: 0x04, .indication))
            client(sends: "12 0400 0200")
            server(sends: "13")
            operation(endsWith: .success(.done))
            server(sends: "1D 0300 010203")
            application(receives: .notified(0x0003, value: [1, 2, 3], .indication))
            client(sends: "1E")
        }.play()
    }

    @Test("GATT/CL/GAI/BI-01-C: Multiple Characteristic Value Indication Requests")
    func outOfSequenceIndication() {
        Dialogue {
            server(sends: "1D 0300 01")
            application(receives: .notified(0x0003, value: [1], .indication))
            server(sends: "1D 0600 02")
            application(receives: .violated(.outOfSequence(.handleValueIndication)))
            client(sends: "1E")
        }.play()
    }

    @Test("An indication is confirmed while a request is unanswered")
    func confirmationPassesRequests() {
        Dialogue {
            application(asks: .read(0x0003))
            client(sends: "0A 0300")
            server(sends: "1D 0600 01")
            application(receives: .notified(0x0006, value: [1], .indication))
            client(sends: "1E")
            server(sends: "0B 02")
            operation(endsWith: .success(.value([2])))
        }.play()
    }

    @Test("GATT/CL/GAS/BV-01-C: Service Changed Characteristic")
    func serviceChanged() {
        Dialogue {
            application(asks: .discoverCharacteristics(first: 0x01, last: 0x04, uuid: nil))
            client(sends: "08 0100 0400 0328")
            server(sends: "09 07 0200 20 0300 052A")
            client(sends: "08 0300 0400 0328")
            server(sends: "01 08 0300 0A")
            operation(
                endsWith: .success(
                    .characteristics([
                        .init(
                            uuid: 0x2A05,
                            handle: 0x02,
                            valueHandle: 0x03,
                            properties: .indicate,
                            endHandle: 0x04
                        )
                    ])
                )
            )
            application(asks: .subscribe(valueHandle: 0x03, descriptor: 0x04, .indication))
            client(sends: "12 0400 0200")
            server(sends: "13")
            operation(endsWith: .success(.done))
            server(sends: "1D 0300 1000 FFFF")
            application(
                receives: .notified(0x0003, value: [0x10, 0x00, 0xFF, 0xFF], .indication)
            )
            application(receives: .servicesChanged(0x0010...0xFFFF))
            client(sends: "1E")
        }.play()
    }

    @Test("GATT/CL/GAS/BV-02-C: Reading the Database Hash Characteristic")
    func readDatabaseHash() {
        Dialogue {
            application(asks: .readUsingUUID(0x2B2A, first: 0x0001, last: 0xFFFF))
            client(sends: "08 0100 FFFF 2A2B")
            server(sends: "09 12 0900 \(bytes(0..<16))")
            client(sends: "08 0A00 FFFF 2A2B")
            server(sends: "01 08 0A00 0A")
            operation(
                endsWith: .success(.values([.init(handle: 0x0009, value: Array(0..<16))]))
            )
        }.play()
    }
}
