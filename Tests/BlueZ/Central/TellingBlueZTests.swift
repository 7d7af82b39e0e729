// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Testing

/// BlueZ subscribes to values and receives them.
@Suite(.machines) struct TellingBlueZTests {
    @Test(arguments: Setting.all)
    func notificationsComeInOrderAndEnd(_ setting: Setting) async throws {
        try await withVisit(setting, "notifications") { stall in
            let (visitor, link) = try await stall.arrive()
            let handle = try stall.handle(Stall.notified)
            let path = try await visitor.subscribe(to: Stall.notified)
            try await stall.keeper.subscription(of: handle, .notification)
            let values = (0..<100).map { Stall.pattern(20, start: $0) }
            for value in values { try await link.notify(value, of: handle) }
            #expect(try await visitor.values(values.count, by: path) == values)
            let longest = Stall.pattern(try await link.mtu - 3)
            try await link.notify(longest, of: handle)
            #expect(try await visitor.values(1, by: path) == [longest])
            try await visitor.unsubscribe(from: Stall.notified)
            try await stall.keeper.subscription(of: handle, nil)
            await #expect(throws: HostError.notSubscribed) {
                try await link.notify([0], of: handle)
            }
        }
    }

    /// Sending an indication returns when BlueZ has confirmed it, so a loop of indications keeps
    /// their order.
    @Test(arguments: Setting.all)
    func indicationsAreConfirmed(_ setting: Setting) async throws {
        try await withVisit(setting, "indications") { stall in
            let (visitor, link) = try await stall.arrive()
            let handle = try stall.handle(Stall.indicated)
            let path = try await visitor.subscribe(to: Stall.indicated)
            try await stall.keeper.subscription(of: handle, .indication)
            let values = (0..<20).map { Stall.pattern(20, start: $0) }
            for value in values { try await link.notify(value, of: handle) }
            #expect(try await visitor.values(values.count, by: path) == values)
            try await visitor.unsubscribe(from: Stall.indicated)
            try await stall.keeper.subscription(of: handle, nil)
        }
    }
}
