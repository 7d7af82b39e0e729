// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

@MainActor
@Suite("A phone in real time")
struct RealTimePhoneTests {
    @Test("A model pairs an accessory from its list, and receives a value")
    func pairs() async throws {
        let description = AccessoryDescription(
            kind: "strap",
            matching: .service("180D"),
            services: [ServiceDescription("180D", [.subscribe("2A37")])]
        )
        let world = RealTimeWorld(seed: 5)
        let strap = world.add(
            VirtualAccessory("Strap", services: [VirtualService("180D", [.notifying("2A37")])])
        )
        let configuration = await world.addPhone("Phone")
        let model = CentralModel(for: [description], configuration: configuration)

        var paired: AccessoryModel?
        for await nearby in try model.central.nearby(matching: .service("180D")) {
            guard let device = nearby.devices.first else { continue }
            paired = await model.pair(description, with: device)
            break
        }
        let accessory = try #require(paired).accessory
        #expect(model.problem == nil && accessory.state == .ready && accessory.name == "Strap")

        let values = try accessory.values(of: "2A37")
        strap.notify([0x06, 72], on: "2A37")
        var received: Data?
        for await value in values {
            received = value
            break
        }
        #expect(received == Data([0x06, 72]))
        await model.central.shutDown()
        await world.shutDown()
    }
}

@Suite("A world in real time")
struct RealTimeWorldEndTests {
    @Test("A world that is released without a shutdown ends, even while an accessory acts")
    func release() async {
        // An access to the released world would end the process.
        await #expect(processExitsWith: .success) {
            let strap = VirtualAccessory(
                "Strap",
                services: [
                    VirtualService(
                        "180D",
                        [.notifying("2A37").changing(every: .milliseconds(1)) { $0 }]
                    )
                ]
            )
            for _ in 0..<50 {
                let world = RealTimeWorld()
                let first = world.add(strap)
                let phone = await world.addPhone("Phone")
                first.reboot(after: .milliseconds(1))
                for _ in 0..<20 { world.add(strap).switchOff() }
                _ = phone
            }
        }
    }
}
