// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothL2CAP

/// What only a caller can do wrong traps; nothing that arrives from a peer does.
@Suite("A caller's mistakes")
struct CallerMistakeTests {
    @Test("A Central does not ask for parameters")
    func askingAsCentral() async {
        await #expect(processExitsWith: .failure) {
            var channel = SignallingChannel(role: .central)
            _ = channel.request(.ordinary, now: .zero)
        }
    }

    @Test("Nobody asks for parameters that no link can have")
    func askingForTheImpossible() async {
        await #expect(processExitsWith: .failure) {
            var channel = SignallingChannel(role: .peripheral)
            _ = channel.request(.impossible, now: .zero)
        }
    }

    @Test("A frame carries 65,535 octets at most")
    func sendingTooMuch() async {
        await #expect(processExitsWith: .failure) {
            _ = L2CAPFrame.encode([UInt8](repeating: 0, count: 0x10000), on: .att)
        }
    }

    @Test("Zero identifies no command")
    func identifyingByZero() async {
        await #expect(processExitsWith: .failure) {
            _ = Signalling.CommandReject.notUnderstood.encode(identifier: 0)
        }
    }
}
