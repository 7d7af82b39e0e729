// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import Testing

/// The log lines and packets that count as errors. These tests need no virtual machine.
struct StackProblemTests {
    @Test("Bluetooth warnings and crashes in the kernel's log count as errors")
    func kernelLog() {
        let lines = [
            (4, "Bluetooth: hci0: Opcode 0x2005 failed: -16"), (6, "Bluetooth: MGMT ver 1.23"),
            (4, "clocksource: timekeeping watchdog"), (6, "kernel BUG at lib/list_debug.c:56!"),
        ]
        let problems = StackProblem.all(
            kernel: lines.map { BlueZ.KernelLine(level: $0, text: $1) },
            daemon: [],
            wire: KernelWire(),
            violations: []
        )
        #expect(problems == [.kernel(lines[0].1), .kernel(lines[3].1)])
    }

    @Test("Refused kernel requests and crashes in bluetoothd's log count as errors")
    func daemonLog() {
        let lines = [
            "src/adapter.c:set_mode_complete() Failed to set mode: Failed (0x03)",
            "src/plugin.c:plugin_init() Failed to init vcp plugin",
            "*** stack smashing detected ***: terminated",
        ]
        let problems = StackProblem.all(
            kernel: [],
            daemon: lines,
            wire: KernelWire(),
            violations: []
        )
        #expect(problems == [.daemon(lines[0]), .daemon(lines[2])])
    }

    /// Answers to LE Set Random Address, a truncated command and a truncated event, and an
    /// undefined packet type (Vol 4, Part E, 5.4 and 7.7.14; Part A, 2).
    @Test("Refused commands and malformed packets on the wire count as errors")
    func wireErrors() {
        var wire = KernelWire()
        let done: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x05, 0x20, 0x00]
        let refused: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x05, 0x20, 0x0C]
        for bytes in [done, refused, [0x01, 0x03], [0x04, 0x05, 0x01, 0x00], [0x07]] {
            wire.note(h4: bytes[...])
        }
        let problems = StackProblem.all(kernel: [], daemon: [], wire: wire, violations: ["broken"])
        let refusal = KernelWire.Refusal(opcode: .leSetRandomAddress, status: .commandDisallowed)
        #expect(
            problems == [
                .refusal(refusal), .violation("no packet: 0103"), .violation("no packet: 04050100"),
                .violation("no packet: 07"), .violation("broken"),
            ]
        )
        let allowance = Allowance.randomAddressWhileAdvertising
        #expect(problems.filter(allowance.covers) == [.refusal(refusal)])
    }

    @Test("The allowance for power-off covers a canceled command and no other failure")
    func canceledCommand() {
        let canceled: [StackProblem] = [
            .kernel("Bluetooth: hci0: Opcode 0x2006 failed: -112"),
            .kernel("Bluetooth: hci0: start background scanning failed: -112"),
        ]
        let others: [StackProblem] = [
            .kernel("Bluetooth: hci0: Opcode 0x2006 failed: -110"),
            .kernel("Bluetooth: hci0: Opcode 0x2006 failed: -1120"),
            .kernel("Bluetooth: hci0: link tx timeout: -112"),
            .kernel("Bluetooth: hci0: start background scanning failed: -110"),
            .refusal(.init(opcode: .leSetAdvertisingParameters, status: .advertisingTimeout)),
        ]
        let allowance = Allowance.commandCanceledByPowerOff
        #expect((canceled + others).filter(allowance.covers) == canceled)
    }

    @Test(
        "An allowance for an ended link covers one command and one status",
        arguments: [
            (Allowance.featuresOfEndedLink, HCI.Opcode.leReadRemoteFeatures),
            (Allowance.dataLengthOfEndedLink, HCI.Opcode.leSetDataLength),
        ]
    )
    func endedLink(allowance: Allowance, command: HCI.Opcode) {
        let late = StackProblem.refusal(
            .init(opcode: command, status: .unknownConnectionIdentifier)
        )
        let others: [StackProblem] = [
            .refusal(.init(opcode: command, status: .commandDisallowed)),
            .refusal(.init(opcode: .leConnectionUpdate, status: .unknownConnectionIdentifier)),
        ]
        #expect(([late] + others).filter(allowance.covers) == [late])
    }
}
