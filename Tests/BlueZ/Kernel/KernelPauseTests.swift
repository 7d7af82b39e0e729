// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothHost
import HCITransports
import ProcessTestSupport
import Testing
import VirtualRadio

/// Links on which one side stops for a while: its host or its radio.
@Suite(.machines) struct KernelPauseTests {
    /// The controller continues without its host, so the link stays up and the request waits.
    @Test(
        "A paused machine answers a pending request after it resumes",
        arguments: Setting.oldestAndLatest
    )
    func shortPause(_ setting: Setting) async throws {
        try await withKernel(setting, as: .peripheral, "pause of the machine") { fixture in
            let host = try await fixture.kernelAir.makeHost()
            let shared = try await fixture.visitBlueZ(from: host)
            try await fixture.bluez.machine.pause()
            let receivedCount = try await fixture.attOpcodes(.received).count
            let sentCount = try await fixture.attOpcodes(.sent).count
            async let late = shared.link.read(shared.value)
            try await fixture.awaitPDU(.readRequest, after: receivedCount, on: shared)
            // The controllers still exchange packets, and no host answers.
            _ = try await shared.link.readRemoteVersion()
            let since = try await fixture.attOpcodes(.sent).dropFirst(sentCount)
            #expect(!since.contains(.readResponse))
            try await fixture.bluez.machine.resume()
            #expect(try await late == SharedService.firstValue)
        }
    }

    /// A server has 30 seconds to answer (Vol 3, Part F, 3.3.3). The test runs in one setting only,
    /// because it takes so long.
    ///
    /// The request reads a declaration, which bluetoothd answers by itself. If another program has
    /// to answer after the end of the link, bluetoothd uses memory that it has freed
    /// (https://github.com/bluez/bluez/issues/2447).
    @Test("A machine that pauses longer than the ATT timeout loses the link")
    func longPause() async throws {
        try await withKernel(.latest, as: .peripheral, "pause beyond the ATT timeout") { fixture in
            let host = try await fixture.kernelAir.makeHost()
            let shared = try await fixture.visitBlueZ(from: host)
            try await fixture.bluez.machine.pause()
            let duration = await MachinePool.releasing {
                await ContinuousClock().measure {
                    await #expect(throws: GATT.Failure.timedOut) {
                        try await shared.link.read(shared.value.handle)
                    }
                }
            }
            #expect(duration > .seconds(29))
            #expect(duration < .seconds(30) + .seconds(10) * Limits.factor)
            _ = try await fixture.end(of: shared.link)
            try await fixture.bluez.machine.resume()
            try await fixture.bluez.isAlone()
            let again = try await host.connect(to: KernelAir.kernelAddress)
            #expect(try await again.read(shared.value.valueHandle) == SharedService.firstValue)
            // bluetoothd may crash if a link ends while it discovers the services of our host.
            try await fixture.bluez.hasExplored()
        }
    }

    /// Both sides lose the link by their own supervision timeout, and connect again.
    @Test(
        "A pending connection request reconnects a peer that returns into range",
        arguments: Setting.oldestAndLatest
    )
    func outOfRange(_ setting: Setting) async throws {
        try await withKernel(setting, as: .peripheral, "out of range") { fixture in
            let host = try await fixture.kernelAir.makeHost()
            try await fixture.serveSharedService()
            var options = ConnectOptions()
            options.parameters.supervisionTimeout = .seconds(1)
            let link = try await host.connect(to: KernelAir.kernelAddress, options: options)
            let shared = try await FoundSharedService(on: link)
            let kernel = fixture.kernelAir.kernel
            await fixture.kernelAir.air.perform { $0.assign(kernel, toGroup: 1) }
            await fixture.kernelAir.air.perform { $0.separate(group: 0, from: 1) }
            #expect(try await fixture.end(of: link) == .disconnected(.connectionTimeout))
            let path = fixture.bluez.path(of: await host.identityAddress)
            try await fixture.bluez.change(of: path, "Connected", to: .boolean(false))
            async let pending = host.connect(
                to: KernelAir.kernelAddress,
                options: .whenAvailable
            )
            await fixture.kernelAir.air.perform { $0.join(group: 0, with: 1) }
            let again = try await pending
            #expect(try await again.read(shared.value.valueHandle) == SharedService.firstValue)
        }
    }
}

extension KernelFixture {
    /// Returns the opcodes of the ATT PDUs so far in one direction between the kernel and its
    /// controller.
    fileprivate func attOpcodes(_ direction: Btsnoop.Direction) async throws -> [ATT.Opcode] {
        await kernelAir.air.perform { _ in }
        var opcodes: [ATT.Opcode] = []
        do {
            try TraceFile.read(kernelAir.folder + "/0-kernel.btsnoop") { record in
                let packet = Array(record.packet)
                // Data on the fixed channel of ATT (Vol 4, Part E, 5.4.2; Vol 3, Part A, 3.1).
                guard record.direction == direction, packet.count > 9, packet[0] == 0x02,
                    packet[7] == 0x04, packet[8] == 0x00
                else { return }
                opcodes.append(ATT.Opcode(rawValue: packet[9]))
            }
        } catch BtsnoopError.torn {
            // The end of the log is not written yet.
        }
        return opcodes
    }

    /// Waits until the kernel receives a PDU with this opcode after its first `count` PDUs.
    fileprivate func awaitPDU(
        _ opcode: ATT.Opcode,
        after count: Int,
        on shared: FoundSharedService
    )
        async throws
    {
        try await within(Limits.step, "the PDU \(opcode)") {
            while try await !attOpcodes(.received).dropFirst(count).contains(opcode) {
                _ = try await shared.link.readRSSI()
            }
        }
    }
}
