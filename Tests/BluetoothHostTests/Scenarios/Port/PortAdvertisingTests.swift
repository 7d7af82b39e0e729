// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothPort
import BluetoothTypes
import Synchronization
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

    @Test("The adapter of the host reports the failures of advertising as errors of the port")
    func errors() throws {
        let harness = PortHarness.ready()
        let adapter = HostAdapter(harness.host)
        let errors = Mutex<[any Error]>([])
        harness.on { _ in
            let note: PortCompletion<Void> = { result in
                guard case .failure(let error) = result else { return }
                errors.withLock { $0.append(error) }
            }
            _ = adapter.advertise(Advertising(rawAdvertisingData: [9, 9]), then: note)
            adapter.update(RequestIdentifier(rawValue: 4_096), to: Self.shade, then: note)
        }
        #expect(
            errors.withLock { $0.map { $0 as? PortError } } == [
                .other(AdvertisingError.malformedData.description), .refused(.unknown),
            ]
        )
    }
}
