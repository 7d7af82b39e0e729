// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import ProcessTestSupport
import Testing

/// Link-layer procedures and numbers of links that btvirt's two controllers do not support. Here
/// Linux drives our virtual controller.
@Suite(.machines) struct LinkLayerTests {
    @Test(
        "The host and Linux agree on longer packets and on the PHY",
        arguments: Setting.eachRelease
    )
    func packetLengthAndPHY(_ setting: Setting) async throws {
        try await withKernel(setting, as: .peripheral, "packet length and PHY") { fixture in
            let host = try await fixture.kernelAir.makeHost()
            try await fixture.serveSharedService()
            let link = try await host.connect(to: KernelAir.kernelAddress)
            let phy = try await link.requestPHY(transmit: .le2M, receive: .le2M)
            let read = try await link.readPHY()
            #expect(read == phy)
            // Linux 6.1 sets LE 1M as the only preferred PHY of its controller.
            let wanted: PHY = setting.release == .bookworm ? .le1M : .le2M
            #expect(phy.transmit == wanted && phy.receive == wanted)
            try await within(Limits.step, "longer packets") {
                while try await link.properties.dataLength.transmitBytes != 251 {
                    _ = try await link.readRSSI()
                }
            }
            try await fixture.isExplored(host)
            try await fixture.end(link)
        }
    }

    @Test("Three links carry channels at once", arguments: Setting.eachRelease)
    func threeLinks(_ setting: Setting) async throws {
        try await withKernel(setting, as: .peripheral, "L2CAP: three links at once") { fixture in
            try await fixture.serveSharedService(for: 3)
            let work = KernelChannel(work: .listenAndReceive, psm: 0x0081, length: 500)
            try await fixture.bluez.start(work)
            var channels: [L2CAPChannel] = []
            for _ in 0..<3 {
                let host = try await fixture.kernelAir.makeHost()
                let link = try await host.connect(to: KernelAir.kernelAddress)
                channels.append(try await link.openChannel(psm: 0x0081))
            }
            try await withThrowingTaskGroup { group in
                for channel in channels {
                    group.addTask { try await send(20, of: 500, on: channel) }
                }
                try await group.waitForAll()
            }
            var report = KernelReport()
            try await fixture.bluez.follow(&report) { $0.byteCount == 3 * 20 * 500 }
            #expect(report.mismatches == [])
        }
    }
}
