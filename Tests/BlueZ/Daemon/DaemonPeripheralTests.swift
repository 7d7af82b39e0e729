// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import PairingTestSupport
import ProcessTestSupport
import Testing

/// Apps of a user without permissions, which serve centrals through bluetoothd.
@Suite(.machines) struct DaemonPeripheralTests {
    @Test("An app serves a central through bluetoothd", arguments: Setting.eachRelease)
    func serves(_ setting: Setting) async throws {
        try await withKernel(setting, as: .peripheral, "daemon: a central") { fixture in
            let person = Person()
            var configuration = HostConfiguration()
            configuration.pairingDelegate = person
            let host = try await fixture.kernelAir.makeHost(configuration)
            try await fixture.bluez.powerOn()
            let program = try await DaemonProgram(in: fixture.bluez)
            try await program.perform("serve Served")
            #expect(try await program.prints("published") == "")
            #expect(try await program.prints("advertising") == "")
            let found = try await fixture.discover(host) { $0.data.localName == "Served" }
            #expect(found.data.serviceUUIDs == [SharedService.service])

            let link = try await host.connect(to: KernelAir.kernelAddress)
            let shared = try await FoundSharedService(on: link)
            #expect(try await link.read(shared.value) == SharedService.firstValue)
            #expect(try await program.prints("asked for FFE1 from ") == "0")
            try await link.write([1, 2, 3], to: shared.value)
            #expect(try await program.prints("asked to write ") == "010203")
            try await link.writeWithoutResponse([4], to: shared.value)
            #expect(try await program.prints("asked to write ") == "04")
            #expect(try await link.read(shared.value) == [4])
            // The daemon answers all writes of a value that accepts commands, before the app
            // refuses them.
            try await link.write([0xEE], to: shared.value)
            #expect(try await program.prints("asked to write ") == "ee")
            #expect(try await link.read(shared.value) == [4])
            try await notifies(program, shared)
            _ = try await link.pair()
            #expect(try await link.read(shared.secret) == SharedService.secretValue)
            try await opensChannel(program, link)
            try await fixture.end(link)

            try await fixture.bluez.powerOff()
            try await program.prints("peripheral off")
            try await fixture.bluez.powerOn()
            try await program.prints("peripheral on")
            let again = try await fixture.discover(host) { $0.data.localName == "Served" }
            #expect(again.data.serviceUUIDs == [SharedService.service])
            try await program.end()
        }
    }

    private func opensChannel(_ program: DaemonProgram, _ link: Link) async throws {
        let text = try await program.perform("listen", until: "listening ")
        let number = try #require(UInt16(text))
        let channel = try await link.openChannel(psm: L2CAP.SPSM(rawValue: number))
        #expect(try await program.prints("accepted") == "")
        try await channel.send([1, 2])
        #expect(try await program.prints("received ") == "0102")
        try await program.perform("answer 03", until: "transmitted 1")
        let sdu = try await within(Limits.step, "an SDU") { try await channel.receive() }
        #expect(sdu == [3])
        await channel.close()
        try await program.prints("channel ended")
    }

    private func notifies(_ program: DaemonProgram, _ shared: FoundSharedService) async throws {
        // The end of the block releases the stream, which unsubscribes.
        let received = try await within(DaemonProgram.limit, "5 notifications") {
            let ticks = try await shared.link.subscribe(to: shared.ticker)
            try await program.prints("central subscribed")
            for number in 1...5 { try await program.perform("tick 0\(number)") }
            var received: [[UInt8]] = []
            for try await tick in ticks {
                received.append(tick)
                if received.count == 5 { break }
            }
            return received
        }
        #expect(received == (1...5).map { [$0] })
        try await program.prints("central unsubscribed")
    }
}
