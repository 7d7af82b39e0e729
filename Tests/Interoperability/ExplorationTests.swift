// SPDX-License-Identifier: Apache-2.0

import Testing

/// `lanyard explore --json` prints exactly what the accessory has.
@Suite(.needsPeers, .serialized) struct ExplorationTests {
    @Test(arguments: ControllerKind.available, [Accessory.Profile.demo, .large, .stream])
    func explorePrintsExactlyTheDatabase(
        kind: ControllerKind,
        profile: Accessory.Profile
    ) async throws {
        try await withPeers { peers in
            let controllers = try await peers.controllers(kind)
            let accessory = try await peers.accessory(profile, on: controllers.adapters[0])
            let result = try await LanyardTool.run(
                "explore",
                accessory.address,
                "--json",
                adapter: controllers.adapters[1]
            )
            try #require(result.succeeded, "\(result.errors)")
            #expect(try JSON(parsing: result.output).differences(from: accessory.database) == [])
        }
    }

    @Test(arguments: [23, 24, 50, 517])
    func theDatabaseIsTheSameWithAnyMTU(mtu: Int) async throws {
        try await withPeers { peers in
            let controllers = try await peers.controllers(.bumble)
            let accessory = try await peers.accessory(
                .large,
                on: controllers.adapters[0],
                options: ["--mtu", "\(mtu)"]
            )
            let result = try await LanyardTool.run(
                "explore",
                accessory.name,
                "--json",
                adapter: controllers.adapters[1]
            )
            try #require(result.succeeded, "\(result.errors)")
            #expect(try JSON(parsing: result.output).differences(from: accessory.database) == [])
        }
    }
}
