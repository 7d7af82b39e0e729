// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Advertising sets with the port")
struct PortAdvertisingTests {
    private static let shade = Advertising(AdvertisingContent(localName: "Shade"))

    /// Returns whether each advertising set contains the shade's name.
    private func areShades(on harness: PortHarness) -> [Bool] {
        harness.transport.controller.setsOnAir.map { set in
            String(decoding: set.data + set.response, as: UTF8.self).contains("Shade")
        }
    }

    @Test("A set changes its content and keeps its identity")
    func change() throws {
        let harness = PortHarness.ready()
        let set = try harness.get { [journal = harness.journal] in
            $0.beginAdvertising(AdvertisingTests.lamp, then: journal.noting("lamp"))
        }
        #expect(areShades(on: harness) == [false])
        harness.on { [journal = harness.journal] host in
            host.beginUpdate(of: set, to: Self.shade, then: journal.noting("shade"))
        }
        #expect(harness.journal.take() == ["lamp: advertising", "shade: advertising"])
        #expect(areShades(on: harness) == [true])
        harness.on { $0.endAdvertising(set) }
        #expect(harness.journal.take() == ["set stopped"])
        harness.on { [journal = harness.journal] host in
            host.beginUpdate(of: set, to: Self.shade, then: journal.noting("late"))
        }
        #expect(harness.journal.take() == ["late: \(AdvertisingError.ended)"])
        #expect(harness.transport.controller.setsOnAir.isEmpty)
    }
}
