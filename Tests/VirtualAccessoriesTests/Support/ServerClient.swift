// SPDX-License-Identifier: Apache-2.0
import BluetoothATT
import BluetoothTypes
import Testing

@testable import VirtualAccessories

/// A client that talks to an accessory's server in hexadecimal digits.
struct ServerClient {
    var server = AccessoryServer(TestProfile.profile)

    init() {
        server.clientCame()
    }

    /// What the server answers: empty if it answers nothing.
    mutating func ask(_ request: String) -> String {
        exchange(request).answer
    }

    /// What the server answers, and what the accessory is to do.
    mutating func exchange(
        _ request: String
    ) -> (answer: String, events: [AccessoryServer.Event]) {
        let digits = request.filter { $0 != " " }
        let events = server.receive(([UInt8](hexadecimal: digits) ?? [])[...], now: .zero)
        var answers: [String] = []
        while let pdu = server.nextPDU(now: .zero) { answers.append(pdu.hexadecimal) }
        return (answers.joined(separator: " "), events)
    }

    /// Has the server serve something more.
    mutating func publish(_ service: AccessoryProfile.Service) {
        let isServed = server.add(service)
        #expect(isServed)
    }

    /// What the server sends unasked; nil if it sends nothing.
    mutating func takePDU() -> String? {
        server.nextPDU(now: .zero)?.hexadecimal
    }

    /// Leaves, and comes again.
    mutating func reconnect() {
        server.clientLeft()
        server.clientCame()
    }
}

/// A request and how it is answered, in hexadecimal digits with blanks between fields.
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
