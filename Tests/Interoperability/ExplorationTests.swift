// SPDX-License-Identifier: Apache-2.0

import Testing

/// `lanyard explore --json` prints exactly the accessory's database, and Wireshark, if it is
/// installed, can decode the packets.
@Suite(.needsPeers) struct ExplorationTests {
    @Test(
        "The explore command prints exactly the database of the accessory",
        arguments: ControllerKind.available,
        [Accessory.Profile.demo, .large, .stream]
    )
    func printsTable(
        kind: ControllerKind,
        profile: Accessory.Profile
    ) async throws {
        try await withPeers { peers in
            let controllers = try await peers.controllers(kind)
            let accessory = try await peers.accessory(profile, on: controllers.adapters[0])
            try await explore(accessory, named: accessory.address, on: controllers.adapters[1])
        }
    }

    @Test("The explore command prints the database with any MTU", arguments: [23, 24, 50, 517])
    func anyMTU(mtu: Int) async throws {
        try await withPeers { peers in
            let controllers = try await peers.controllers(.bumble)
            let accessory = try await peers.accessory(
                .large,
                on: controllers.adapters[0],
                options: ["--mtu", "\(mtu)"]
            )
            try await explore(accessory, named: accessory.name, on: controllers.adapters[1])
        }
    }

    private func explore(
        _ accessory: Accessory,
        named target: String,
        on adapter: String
    ) async throws {
        let trace = Trace()
        let result = try await LanyardTool.run(
            "explore",
            target,
            "--json",
            "--trace",
            trace.path,
            adapter: adapter
        )
        try #require(result.succeeded, "\(result.errors)")
        #expect(try JSON(parsing: result.output).differences(from: accessory.database) == [])
        if Dissection.isPossible { try await trace.expectWellFormed() }
    }
}
