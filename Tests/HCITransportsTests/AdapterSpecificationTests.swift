// SPDX-License-Identifier: Apache-2.0

import HCITransports
import Testing

@Suite("Adapter specification")
struct AdapterSpecificationTests {
    @Test(
        "reads what it prints",
        arguments: [
            ("tcp:localhost:9000", AdapterSpecification.tcp(host: "localhost", port: 9000)),
            ("tcp:[::1]:65535", .tcp(host: "::1", port: 65535)),
            ("tcp:10.0.0.7:1", .tcp(host: "10.0.0.7", port: 1)),
            ("unix:/run/controller.sock", .unix(path: "/run/controller.sock")),
            ("unix:a:b", .unix(path: "a:b")),
        ]
    )
    func reads(text: String, specification: AdapterSpecification) throws {
        #expect(try AdapterSpecification(text) == specification)
        #expect(specification.description == text)
        #expect(specification.makeTransport().name == text)
    }

    @Test(
        "says what is wrong and what is accepted",
        arguments: [
            ("", AdapterSpecificationError.Problem.noKind), ("hci0", .noKind),
            ("usb:0", .unknownKind), (":", .unknownKind), ("TCP:a:1", .unknownKind),
            ("tcp:", .malformedTCP), ("tcp:host", .malformedTCP), ("tcp:host:", .malformedTCP),
            ("tcp::9000", .malformedTCP), ("tcp:host:0", .malformedTCP),
            ("tcp:host:65536", .malformedTCP), ("tcp:host:-1", .malformedTCP),
            ("tcp:::1:9000", .malformedTCP), ("tcp:[]:9000", .malformedTCP),
            ("unix:", .emptyPath),
        ]
    )
    func refuses(text: String, problem: AdapterSpecificationError.Problem) {
        let error = #expect(throws: AdapterSpecificationError.self) {
            try AdapterSpecification(text)
        }
        #expect(error?.problem == problem)
        #expect(error?.text == text)
        #expect(error?.description.contains("tcp:HOST:PORT or unix:PATH") == true)
    }
}
