// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import ServerTestSupport
import Testing

@Suite("Service Changed at the client")
struct ServiceChangedTests {
    /// Returns a client that has discovered Service Changed, with its value at handle 3.
    private func client() -> DrivenClient {
        var script = Script()
        let operation = GATT.Operation.discoverCharacteristics(
            first: .init(1),
            last: .init(3),
            uuid: nil
        )
        _ = script.play(
            operation,
            answers: [
                [0x09, 7, 2, 0, 0x20, 3, 0, 0x05, 0x2A], [0x01, 0x08, 3, 0, 0x0A],
            ]
        )
        return script.client
    }

    private func changes(_ actions: [DrivenClient.Action]) -> [DrivenClient.Action] {
        actions.filter {
            guard case .servicesChanged = $0 else { return false }
            return true
        }
    }

    @Test("An indication of Service Changed reports the changed handles")
    func reportedHandles() {
        var client = client()
        let actions = client.receive([0x1D, 3, 0, 0x10, 0, 0x2F, 0], now: .zero)
        #expect(
            actions == [
                .notified(.init(3), value: [0x10, 0, 0x2F, 0], .indication),
                .servicesChanged(.init(0x10) ... .init(0x2F)),
            ]
        )
        #expect(client.nextPDU(now: .zero)?.bytes == [0x1E])
    }

    @Test(
        "A malformed change counts as a change of all handles",
        arguments: [[], [1, 0, 2], [2, 0, 1, 0], [1, 0, 2, 0, 3]] as [[UInt8]]
    )
    func unreadable(_ value: [UInt8]) {
        var client = client()
        let actions = client.receive(([0x1D, 3, 0] + value)[...], now: .zero)
        #expect(changes(actions) == [.servicesChanged(.first ... .last)])
    }

    @Test("Other notifications and indications are not Service Changed")
    func otherHandles() {
        var client = client()
        #expect(changes(client.receive([0x1D, 4, 0, 1, 0, 2, 0], now: .zero)).isEmpty)
        #expect(changes(client.receive([0x1B, 3, 0, 1, 0, 2, 0], now: .zero)).isEmpty)
        var unaware = DrivenClient()
        #expect(changes(unaware.receive([0x1D, 3, 0, 1, 0, 2, 0], now: .zero)).isEmpty)
    }

    @Test("Services in a changed range are no longer known as primary")
    func forgets() throws {
        var pair = Pair(Accessory.server())
        pair.server.attributes.insert(
            .init(handle: .init(4), type: .init(0x2803), value: [0x20, 5, 0, 0x05, 0x2A]),
            at: 3
        )
        _ = try pair.succeed(.discoverPrimaryServices(uuid: nil))
        _ = try pair.succeed(.discoverCharacteristics(first: .init(1), last: .init(5), uuid: nil))
        let actions = pair.client.receive([0x1D, 5, 0, 0x10, 0, 0xFF, 0xFF], now: .zero)
        #expect(changes(actions).count == 1)
        let included = try pair.succeed(.findIncludedServices(first: .init(16), last: .init(31)))
        guard case .includedServices(let services) = included else {
            Issue.record("\(included)")
            return
        }
        #expect(services.map(\.service.isPrimary) == [true, false])
    }
}
