// SPDX-License-Identifier: Apache-2.0
import BluetoothATT
import BluetoothTypes
import Testing

@testable import VirtualAccessories

/// A client that talks to an attribute server in hexadecimal digits.
struct ServerClient {
    var server = AttributeServer(TestProfile.profile)

    /// What the server answers: empty if it answers nothing.
    mutating func ask(_ request: String) -> String {
        results(request).compactMap {
            if case .respond(let pdu) = $0 { pdu.hexadecimal } else { nil }
        }.joined(separator: " ")
    }

    mutating func results(_ request: String) -> [AttributeServer.Result] {
        let digits = request.filter { $0 != " " }
        return server.receive(([UInt8](hexadecimal: digits) ?? [])[...])
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
