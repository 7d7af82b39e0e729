// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothL2CAP

@Suite("Caller mistakes")
struct CallerMistakeTests {
    @Test("Requesting connection parameters as the central traps")
    func requestAsCentral() async {
        await #expect(processExitsWith: .failure) {
            var channel = SignalingChannel(role: .central)
            _ = channel.request(.ordinary, now: .zero)
        }
    }

    @Test("A request for impossible connection parameters traps")
    func impossibleParameters() async {
        await #expect(processExitsWith: .failure) {
            var channel = SignalingChannel(role: .peripheral)
            _ = channel.request(.impossible, now: .zero)
        }
    }

    @Test("A frame with more than 65,535 bytes traps")
    func longFrame() async {
        await #expect(processExitsWith: .failure) {
            _ = L2CAPFrame.encode([UInt8](repeating: 0, count: 0x10000), on: .att)
        }
    }

    @Test("A command with the identifier zero traps")
    func zeroIdentifier() async {
        await #expect(processExitsWith: .failure) {
            _ = Signaling.CommandReject.notUnderstood.encode(identifier: 0)
        }
    }
}
