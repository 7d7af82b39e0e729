// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HCITransports

@Suite("The name of a device")
struct DeviceNameTests {
    @Test(
        "The environment comes before the host name, and the host name before the default",
        arguments: [
            ("Kitchen", "box", "Kitchen"),
            ("", "box", "box"),
            ("\n", "box", "box"),
            (nil, "box", "box"),
            (nil, "", "Lanyard"),
            (nil, nil, "Lanyard"),
        ] as [(String?, String?, String)]
    )
    func order(chosen: String?, hostName: String?, expected: String) {
        #expect(DefaultDeviceName.standard(chosen: chosen, hostName: hostName) == expected)
    }

    @Test(
        "A name has at most 248 bytes and is cut between two characters",
        arguments: [
            (String(repeating: "a", count: 248), 248),
            (String(repeating: "a", count: 249), 248),
            ("a" + String(repeating: "\u{E4}", count: 200), 247),
            (String(repeating: "e\u{301}", count: 100), 246),
        ]
    )
    func bound(text: String, length: Int) {
        let name = DefaultDeviceName.fitting(text)
        #expect(name?.utf8.count == length)
        #expect(name.map(text.hasPrefix) == true)
    }

    @Test("Control characters are removed")
    func control() {
        #expect(DefaultDeviceName.fitting("Kit\u{1B}[2J\r\nchen") == "Kit[2Jchen")
    }

    @Test("The host name has no domain")
    func hostName() throws {
        let name = try #require(DefaultDeviceName.systemHostName)
        #expect(!name.contains("."))
    }
}
