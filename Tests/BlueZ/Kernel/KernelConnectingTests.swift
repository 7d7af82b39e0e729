// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import ProcessTestSupport
import Testing
import VirtualAccessories
import VirtualRadio

/// Links of the kernel on our virtual controller, in both roles.
@Suite(.machines) struct KernelConnectingTests {
    @Test(
        "The host connects to the kernel, uses its values, and reconnects",
        arguments: Setting.all
    )
    func hostConnects(_ setting: Setting) async throws {
        try await withKernel(setting, as: .peripheral, "a link, our controller") { fixture in
            let host = try await fixture.kernelAir.makeHost()
            let shared = try await fixture.visitBlueZ(from: host)
            #expect(try await shared.link.read(shared.value) == SharedService.firstValue)
            try await shared.link.write([7, 8, 9], to: shared.value)
            #expect(try await fixture.bluez.servedValue(SharedService.value) == [7, 8, 9])

            let ticks = try await shared.link.subscribe(to: shared.ticker)
            try await fixture.bluez.subscribed(SharedService.ticker)
            try await fixture.bluez.notify((1...20).map { [$0] }, of: SharedService.ticker)
            let received = try await within(Limits.step, "20 notifications") {
                var received: [[UInt8]] = []
                for try await tick in ticks {
                    received.append(tick)
                    if received.count == 20 { break }
                }
                return received
            }
            #expect(received == (1...20).map { [$0] })

            try await fixture.end(shared.link)
            let again = try await host.connect(to: KernelAir.kernelAddress)
            #expect(try await again.read(shared.value.valueHandle) == [7, 8, 9])
            try await fixture.bluez.disconnect(fixture.bluez.path(of: await host.identityAddress))
            #expect(
                try await fixture.end(of: again) == .disconnected(.remoteUserTerminatedConnection)
            )
        }
    }

    @Test("BlueZ connects to the host, uses its values, and reconnects", arguments: Setting.all)
    func bluezConnects(_ setting: Setting) async throws {
        try await withKernel(setting, as: .central, "a link, our controller") { fixture in
            let host = try await fixture.kernelAir.makeHost()
            let service = try await host.publish(SharedService.ofOurs)
            let ticker = service.characteristics[2].valueHandle
            let path = try await fixture.findOurs(host)
            for round in UInt8(1)...2 {
                try await fixture.bluez.connect(path)
                let link = try #require(await host.links.first)
                try await fixture.bluez.write([round, round], to: SharedService.value, at: path)
                let value = try await fixture.bluez.read(SharedService.value, from: path)
                #expect(value == [round, round])
                let characteristic = try await fixture.bluez.subscribe(
                    to: SharedService.ticker,
                    at: path
                )
                try await link.notify([0xA0 + round], of: ticker)
                #expect(try await fixture.bluez.value(of: characteristic) == [0xA0 + round])
                try await link.disconnect()
                try await fixture.bluez.change(of: path, "Connected", to: .boolean(false))
            }
        }
    }

    @Test("The kernel keeps five links in both roles at once", arguments: Setting.oldestAndLatest)
    func manyLinks(_ setting: Setting) async throws {
        try await withKernel(setting, as: .central, "many links, both roles") { fixture in
            let names = ["One", "Two", "Three", "Four"]
            for (number, name) in names.enumerated() {
                let controller = try await fixture.kernelAir.addController(name) {
                    $0.path = Path(Position(x: 2, y: Double(number)))
                }
                await fixture.kernelAir.air.perform { world in
                    world.attach(SimpleAccessory(.heartRate(name: name)), to: controller)
                }
            }
            try await fixture.bluez.powerOn()
            try await fixture.bluez.scan()
            var paths: [String] = []
            for name in names { paths.append(try await fixture.bluez.device(named: name)) }
            try await fixture.bluez.stopScan()
            for path in paths { try await fixture.connectInTheCrowd(path) }
            // One more link, in which the kernel is the peripheral.
            let host = try await fixture.kernelAir.makeHost()
            try await fixture.bluez.serve([SharedService.ofBlueZ])
            try await fixture.bluez.advertise(name: "Kernel")
            let link = try await host.connect(to: KernelAir.kernelAddress)
            let shared = try await FoundSharedService(on: link)
            let heartRate = BluetoothUUID(0x2A37)
            for path in paths {
                let characteristic = try await fixture.bluez.subscribe(to: heartRate, at: path)
                _ = try await fixture.bluez.value(of: characteristic)
                #expect(try await link.read(shared.value) == SharedService.firstValue)
            }
            #expect(
                await fixture.kernelAir.air.perform { $0.status.links.count } == names.count + 1
            )
            try await withThrowingTaskGroup { group in
                for path in paths { group.addTask { try await fixture.bluez.disconnect(path) } }
                try await group.waitForAll()
            }
        }
    }

    @Test("Both sides change the parameters of a link", arguments: Setting.oldestAndLatest)
    func linkUpdates(_ setting: Setting) async throws {
        try await withKernel(setting, as: .peripheral, "link updates, our controller") { fixture in
            let host = try await fixture.kernelAir.makeHost()
            let shared = try await fixture.visitBlueZ(from: host)
            let link = shared.link
            let update = ConnectionUpdate(
                intervalMinimum: .milliseconds(30),
                intervalMaximum: .milliseconds(30)
            )
            let agreed = try await within(Limits.step, "the kernel's own request to be finished") {
                while true {
                    do {
                        return try await link.updateParameters(update)
                    } catch HostError.busy {
                        _ = try await link.read(shared.value)
                    }
                }
            }
            #expect(agreed.interval == .milliseconds(30))
            if setting.generation == .five {
                let phy = try await link.requestPHY(transmit: .le2M, receive: .le2M)
                #expect(phy.transmit == .le2M && phy.receive == .le2M)
            }
            #expect(try await link.read(shared.value) == SharedService.firstValue)
            #expect(try await link.properties.dataLength.transmitBytes == 251)
            #expect(try await link.readRSSI() != nil)
            #expect(try await link.readRemoteVersion().company == 0xFFFF)
            let intervals = try await fixture.wire().events.compactMap { event -> Duration? in
                guard case .connectionUpdateComplete(let update) = event else { return nil }
                return update.interval.duration
            }
            // First the interval that the kernel requests, then ours.
            #expect(intervals == [.milliseconds(50), .milliseconds(30)])
            try await fixture.isExplored(host)
        }
    }
}

extension KernelFixture {
    /// Connects. If many devices advertise, the peer may miss the connection request. Linux then
    /// reports that it canceled the request, and the test repeats it as a user would.
    fileprivate func connectInTheCrowd(_ path: String) async throws {
        for _ in 1..<Limits.connectCount {
            do {
                return try await bluez.connect(path)
            } catch let refusal as Refusal where refusal.text == "le-connection-abort-by-local" {
                continue
            }
        }
        try await bluez.connect(path)
    }
}
