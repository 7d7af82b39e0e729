// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Testing
import VirtualAccessories

struct FirstTests {
    @Test("1.1, 5.2 A manager starts in unknown, powers on, discovers, connects and disconnects")
    func visit() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let phone = fixture.central()
            await phone.journal.wait(for: "state poweredOn")
            phone.manager.scanForPeripherals(withServices: [CBUUID(string: "180D")])
            await phone.journal.wait(for: "discovered Strap")
            phone.manager.stopScan()
            let strap = try #require(phone["Strap"])
            phone.manager.connect(strap)
            await phone.journal.wait(for: "connected Strap")
            #expect(strap.state == .connected)
            phone.manager.cancelPeripheralConnection(strap)
            await phone.journal.wait(for: "disconnected Strap ok")
            #expect(strap.state == .disconnected)
        }
    }
}
