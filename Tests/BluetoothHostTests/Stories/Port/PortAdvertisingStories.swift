// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Advertising sets with the port")
struct PortAdvertisingStories {
    private static let shade = Advertising(AdvertisingContent(localName: "Shade"))

    /// Returns whether each advertising set contains the shade's name.
    private func areShades(on bench: PortBench) -> [Bool] {
        bench.transport.controller.setsOnAir.map { set in
            String(decoding: set.data + set.response, as: UTF8.self).contains("Shade")
        }
    }

    @Test("A set changes its content and keeps its identity")
    func change() throws {
        let bench = PortBench.ready()
        let set = try bench.get { [journal = bench.journal] in
            $0.beginAdvertising(AdvertisingStories.lamp, then: journal.noting("lamp"))
        }
        #expect(areShades(on: bench) == [false])
        bench.on { [journal = bench.journal] host in
            host.beginUpdate(of: set, to: Self.shade, then: journal.noting("shade"))
        }
        #expect(bench.journal.take() == ["lamp: advertising", "shade: advertising"])
        #expect(areShades(on: bench) == [true])
        bench.on { $0.endAdvertising(set) }
        #expect(bench.journal.take() == ["set stopped"])
        bench.on { [journal = bench.journal] host in
            host.beginUpdate(of: set, to: Self.shade, then: journal.noting("late"))
        }
        #expect(bench.journal.take() == ["late: \(AdvertisingError.ended)"])
        #expect(bench.transport.controller.setsOnAir.isEmpty)
    }
}
