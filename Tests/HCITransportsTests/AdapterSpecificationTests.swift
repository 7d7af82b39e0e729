// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import HCITransports
import Testing

@Suite("Adapter specification")
struct AdapterSpecificationTests {
    @Test(
        "A printed specification is read again",
        arguments: [
            ("hci0", AdapterSpecification.hci(index: 0)), ("hci65534", .hci(index: 65534)),
            (
                "hci:C4:F0:00:00:00:01",
                .hciAddress(DeviceAddress(value: 0xC4F0_0000_0001, kind: .public))
            ),
            ("tcp:localhost:9000", AdapterSpecification.tcp(host: "localhost", port: 9000)),
            ("tcp:[::1]:65535", .tcp(host: "::1", port: 65535)),
            ("tcp:10.0.0.7:1", .tcp(host: "10.0.0.7", port: 1)),
            ("gateway:hall:6403", .gateway(host: "hall", port: 6403)),
            ("gateway:[::1]:6403", .gateway(host: "::1", port: 6403)),
            ("unix:/run/controller.sock", .unix(path: "/run/controller.sock")),
            ("unix:a:b", .unix(path: "a:b")),
            ("serial:/dev/ttyS0@9600", .serial(SerialLine(path: "/dev/ttyS0", speed: 9600))),
        ]
    )
    func reads(text: String, specification: AdapterSpecification) throws {
        #expect(try AdapterSpecification(text) == specification)
        #expect(specification.description == text)
        #expect(specification.makeTransport().name == text)
    }

    @Test(
        "An error names the mistake and the accepted forms",
        arguments: [
            ("", AdapterSpecificationError.Problem.noKind), ("hci", .noKind), ("hci00", .noKind),
            ("hci-1", .noKind), ("hci+1", .noKind), ("hci65535", .noKind), ("hci99999", .noKind),
            ("HCI0", .noKind), ("hci0 ", .noKind), ("hci:", .malformedAddress),
            ("hci:0", .malformedAddress), ("hci:C4:F0:00:00:00:01:", .malformedAddress),
            ("hci:C4:F0:00:00:00:0G", .malformedAddress),
            ("usb:0", .unknownKind), (":", .unknownKind), ("TCP:a:1", .unknownKind),
            ("tcp:", .malformedTCP), ("tcp:host", .malformedTCP), ("tcp:host:", .malformedTCP),
            ("gateway:hall", .malformedGateway), ("gateway::1", .malformedGateway),
            ("tcp::9000", .malformedTCP), ("tcp:host:0", .malformedTCP),
            ("tcp:host:65536", .malformedTCP), ("tcp:host:-1", .malformedTCP),
            ("tcp:::1:9000", .malformedTCP), ("tcp:[]:9000", .malformedTCP),
            ("unix:", .emptyPath), ("serial:", .malformedSerial(.noDevice)),
            ("serial:/dev/ttyS0@0", .malformedSerial(.badSpeed("0"))),
        ]
    )
    func refuses(text: String, problem: AdapterSpecificationError.Problem) {
        let error = #expect(throws: AdapterSpecificationError.self) {
            try AdapterSpecification(text)
        }
        #expect(error?.problem == problem)
        #expect(error?.text == text)
        #expect(error?.description.contains(AdapterSpecification.forms) == true)
    }

    @Test(
        "A specification without a socket cannot be listened on",
        arguments: ["hci0", "hci:00:00:00:00:00:01", "serial:/dev/ttyUSB0"]
    )
    func listening(text: String) {
        let error = #expect(throws: AdapterSpecificationError.self) {
            try AdapterSpecification(listening: text)
        }
        #expect(error?.problem == .noSocket)
        let forms = "use tcp:HOST:PORT or unix:PATH"
        #expect(error?.description == "'\(text)' is not an adapter: it is not a socket; \(forms)")
    }

    @Test("An address may be written in lowercase letters") func smallLetters() throws {
        #expect(
            try AdapterSpecification("hci:c4:f0:00:00:00:0a").description == "hci:C4:F0:00:00:00:0A"
        )
    }

    @Test("The name of a store comes from a lasting property: an address or a port's path")
    func storeName() throws {
        let address = try #require(DeviceAddress("AA:BB:CC:DD:EE:FF", kind: .public))
        let adapters = [
            SystemAdapter(index: 0, address: address), SystemAdapter(index: 1),
            SystemAdapter(index: 2, state: .settingUp),
        ]
        let names = [
            "hci0": "hci:AA:BB:CC:DD:EE:FF", "hci:00:11:22:33:44:55": "hci:00:11:22:33:44:55",
            "serial:/dev/ttyACM0@1000000,flow=none": "serial:/dev/ttyACM0",
            "tcp:host:9000": "tcp:host:9000", "unix:/x": "unix:/x",
            // This adapter is set up and has no address.
            "hci1": "hci1",
        ]
        for (text, name) in names {
            let specification = try AdapterSpecification(text)
            #expect(specification.storeName { adapters } == name)
        }
    }

    @Test("An adapter that is absent or not set up has no store name yet")
    func noStoreNameYet() throws {
        let unready = [SystemAdapter(index: 2, state: .settingUp)]
        #expect(try AdapterSpecification("hci2").storeName { unready } == nil)
        #expect(try AdapterSpecification("hci7").storeName { unready } == nil)
        // This adapter will have a name soon.
        #expect(try !AdapterSpecification("hci2").isAbsent { unready })
        #expect(try AdapterSpecification("hci7").isAbsent { unready })
        #expect(try !AdapterSpecification("tcp:host:9000").isAbsent { unready })
    }

    @Test("A list of adapters has at least two different ones")
    func list() throws {
        let lists = [
            "hci0+hci1", "tcp:host:1+tcp:host:2+unix:/x",
            "serial:/dev/ttyACM0@1000000,flow=none+hci3",
        ]
        for text in lists {
            let adapters = try #require(AdapterSpecification.list(text))
            #expect(adapters.map(\.description).joined(separator: "+") == text)
        }
        // A plus before the name of an adapter always separates, even in a path.
        #expect(AdapterSpecification.list("unix:/a+hci0") == [.unix(path: "/a"), .hci(index: 0)])
        for text in ["hci0", "hci0+hci0", "hci0+", "+hci0", "+", "", "unix:/a+b", "hci0+virtual"] {
            #expect(AdapterSpecification.list(text) == nil, "\(text)")
        }
    }
}
