// SPDX-License-Identifier: Apache-2.0

import JSONText
import Testing

@testable import LanyardFleet

struct RadioTests {
    static let local = FleetRadio(name: "hci0", isUsable: true, linkCount: 1)
    static let gateway = FleetRadio(
        name: "gateway:hall.example:6403",
        isUsable: true,
        linkCount: 2,
        slotLimit: 3
    )

    private func states(_ host: FleetHarness) throws -> [String: [String: JSON]] {
        var states: [String: [String: JSON]] = [:]
        for (message, number) in host.published where message.topic.contains("/radios/") {
            #expect(message.isRetained && number == nil)
            states[message.topic] = try JSON(parsing: message.payload).members
        }
        return states
    }

    @Test("Each radio is announced when the broker is connected, and again when it changes")
    func announced() throws {
        var host = try FleetHarness()
        host.input { core, _ in core.radiosReported([Self.local, Self.gateway]) }
        #expect(try states(host).isEmpty)
        host.connect()
        let first = try states(host)
        #expect(first["lanyard/hosts/hall/radios/1"]?["name"] == .string("hci0"))
        #expect(first["lanyard/hosts/hall/radios/2"]?["status"] == .string("online"))
        #expect(first["lanyard/hosts/hall/radios/2"]?["links"] == .integer(2))
        #expect(first["lanyard/hosts/hall/radios/2"]?["slotLimit"] == .integer(3))
        _ = host.take()
        host.input { core, _ in core.radiosReported([Self.local, Self.gateway]) }
        #expect(host.take().isEmpty)

        var lost = Self.gateway
        (lost.isUsable, lost.linkCount) = (false, 0)
        host.input { core, _ in core.radiosReported([Self.local, lost]) }
        #expect(try Array(states(host).keys) == ["lanyard/hosts/hall/radios/2"])
        #expect(try states(host).values.first?["status"] == .string("offline"))
        #expect(host.actions.contains(.log("The radio \(lost.name) is not usable.")))
    }

    @Test("A host that ends announces its radios as offline, and then itself")
    func shutDown() throws {
        var host = try FleetHarness()
        host.connect()
        host.input { core, _ in core.radiosReported([Self.local]) }
        _ = host.take()
        host.input { core, _ in core.publishEnd() }
        #expect(try states(host).values.first?["status"] == .string("offline"))
        #expect(host.published.last?.message.payload == FleetCore.offline)
    }

    @Test("Moves between radios are counted once")
    func moves() throws {
        var host = try FleetHarness()
        host.input { core, _ in core.radiosReported([Self.local], moveCount: 2) }
        host.input { core, _ in core.radiosReported([Self.local], moveCount: 2) }
        host.input { core, _ in core.radiosReported([Self.local], moveCount: 3) }
        #expect(host.take() == [.measure(.moved(2)), .measure(.moved(1))])
    }
}
