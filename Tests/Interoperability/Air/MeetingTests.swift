// SPDX-License-Identifier: Apache-2.0

import Testing

/// Third-party hosts connect to each other over our virtual radio.
@Suite(.needsPeers) struct MeetingTests {
    @Test("Two Bumble hosts discover, read, write and notify over the virtual radio")
    func twoBumbleHosts() async throws {
        try await withAir { air in
            let accessory = try await air.accessory()
            let facts = try await air.central()
            #expect(facts["found"]["received"].text == accessory.address)
            expectWhole(facts["explored"])
        }
    }

    @Test("A Bumble host explores a virtual accessory")
    func virtualAccessory() async throws {
        let scenario = #"{"devices": [{"name": "Lanyard Demo", "accessory": "demo"}]}"#
        try await withAir(scenario: scenario) { air in
            let facts = try await air.central()
            expectWhole(facts["explored"])
        }
    }

    @Test("Devices that are out of range do not discover each other")
    func outOfRange() async throws {
        let scenario = """
            {"devices": [
                {"name": "Lanyard Demo", "accessory": "demo", "position": [0, 0]},
                {"name": "Far", "accessory": "demo", "position": [5000, 0]},
                {"name": "here", "position": [3, 0]},
                {"name": "nowhere", "position": [0, 5000]}
            ]}
            """
        try await withAir(scenario: scenario) { air in
            let here = try await air.central(options: ["--look", "2"])
            let nowhere = try await air.central(options: ["--look", "2"])
            #expect(here["seen"].elements.map { $0["name"].text } == ["Lanyard Demo"])
            #expect(nowhere["seen"].elements.isEmpty)
        }
    }

    @Test("The signal strength decreases with the distance")
    func signalStrength() async throws {
        let scenario = """
            {"devices": [
                {"name": "Lanyard Demo", "accessory": "demo", "position": [0, 0]},
                {"name": "near", "position": [1, 0]},
                {"name": "farther", "position": [10, 0]}
            ]}
            """
        try await withAir(scenario: scenario) { air in
            let strengths = [
                try await air.central(options: ["--look", "1"]),
                try await air.central(options: ["--look", "1"]),
            ].map { $0["seen"].elements.first?["rssi"].integer ?? 127 }
            #expect((-50 ... -30).contains(strengths[0]))
            #expect((-80 ... -60).contains(strengths[1]))
        }
    }

    /// Expects that central.py found the whole demo profile.
    private func expectWhole(_ explored: JSON, at location: SourceLocation = #_sourceLocation) {
        #expect(explored["mtu"].integer == 247, sourceLocation: location)
        #expect(explored["services"].elements.count == 6, sourceLocation: location)
        #expect(explored["short"] == .boolean(true), sourceLocation: location)
        #expect(explored["long"] == .boolean(true), sourceLocation: location)
        #expect(explored["written"].text == "012a", sourceLocation: location)
        #expect(explored["writeCount"].integer == 2, sourceLocation: location)
        #expect(
            explored["notified"].elements.map(\.text)
                == ["083c0000", "003d", "003e", "003f", "08400400"],
            sourceLocation: location
        )
        #expect(
            explored["indicated"].elements.map(\.text) == ["00000000", "01000000", "02000000"],
            sourceLocation: location
        )
    }
}
