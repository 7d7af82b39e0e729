// SPDX-License-Identifier: Apache-2.0
import BluetoothATT
import BluetoothTypes
import Testing

@testable import VirtualAccessories

/// A client of an accessory's server, with PDUs as hexadecimal digits.
struct ServerClient {
    var server = AccessoryServer(TestProfile.profile)

    init() {
        server.clientConnected()
    }

    /// Returns the server's answer; empty if there is none.
    mutating func ask(_ request: String) -> String {
        exchange(request).answer
    }

    /// Returns the server's answer, and the events for the accessory.
    mutating func exchange(
        _ request: String
    ) -> (answer: String, events: [AccessoryServer.Event]) {
        let digits = request.filter { $0 != " " }
        let events = server.receive(([UInt8](hexadecimal: digits) ?? [])[...], now: .zero)
        var answers: [String] = []
        while let pdu = server.nextPDU(now: .zero) { answers.append(pdu.hexadecimal) }
        return (answers.joined(separator: " "), events)
    }

    /// Adds a service to the server.
    mutating func publish(_ service: SimpleAccessoryProfile.Service) {
        let isServed = server.add(service)
        #expect(isServed)
    }

    /// Returns a PDU that the server sends by itself, or `nil` if there is none.
    mutating func takePDU() -> String? {
        server.nextPDU(now: .zero)?.hexadecimal
    }

    /// Disconnects, and connects again.
    mutating func reconnect() {
        server.clientLeft()
        server.clientConnected()
    }
}

/// A request and its answer, in hexadecimal digits with blanks between fields.
struct Exchange: CustomTestStringConvertible, Sendable {
    let name: String
    let request: String
    let response: String

    init(_ name: String, _ request: String, _ response: String) {
        self.name = name
        self.request = request
        self.response = response.filter { $0 != " " }
    }

    var testDescription: String { name }
}
