// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import Testing

/// GATT/CL/GAC: server configuration.
@Suite struct ServerConfigurationTests {
    @Test("GATT/CL/GAC/BV-01-C: Exchange MTU")
    func exchangeMTU() {
        Dialogue(receiveMTU: 512) {
            application(asks: .exchangeMTU)
            client(sends: "02 0002")
            server(sends: "03 4000")
            operation(endsWith: .success(.mtu(64)))
        }.play()
    }

    @Test("A server without support for the exchange leaves the MTU at 23")
    func exchangeNotSupported() {
        Dialogue {
            application(asks: .exchangeMTU)
            client(sends: "02 0502")
            server(sends: "01 02 0000 06")
            operation(endsWith: .success(.mtu(23)))
        }.play()
    }

    @Test("A client exchanges the MTU once for each link")
    func exchangeOnce() {
        Dialogue {
            application(asks: .exchangeMTU)
            client(sends: "02 0502")
            server(sends: "03 F700")
            operation(endsWith: .success(.mtu(247)))
            application(asks: .exchangeMTU)
            operation(endsWith: .success(.mtu(247)))
        }.play()
    }
}
