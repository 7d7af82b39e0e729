// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// The rig itself: machines start, BlueZ answers, and a host of ours stands beside it.
@Suite(.machines) struct RigTests {
    @Test(arguments: Setting.all)
    func theMachineAnswers(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .peripheral, "start") { bluez in
            let properties = try await bluez.powerOn(name: "first")
            #expect(properties["Powered"] == .boolean(true))
            #expect(properties["Alias"].text == "first")
            let host = try await bluez.makeHost()
            #expect(await host.state == .ready)
        }
    }
}
