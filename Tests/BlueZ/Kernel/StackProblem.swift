// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI

/// An error that must not occur between a correct kernel and a correct controller.
enum StackProblem: Equatable, CustomStringConvertible {
    /// An error in the kernel's log.
    case kernel(String)
    /// An error in the log of bluetoothd or of its supervisor.
    case daemon(String)
    /// The controller refused one of the kernel's commands.
    case refusal(KernelWire.Refusal)
    /// A packet of either side is malformed, or a rule of HCI or ATT is broken.
    case violation(String)

    /// Returns all errors that need an explanation.
    ///
    /// - Parameters:
    ///   - violations: The broken rules that the checkers on the wires report.
    static func all(
        kernel: [BlueZ.KernelLine],
        daemon: [String],
        wire: KernelWire,
        violations: [String]
    ) -> [StackProblem] {
        kernel.filter(\.isProblem).map { .kernel($0.text) }
            + DaemonLog.problems(in: daemon).map { .daemon($0) }
            + wire.refusals.map { .refusal($0) }
            + wire.unreadable.map { .violation("no packet: \($0)") }
            + violations.map { .violation($0) }
    }

    var description: String {
        switch self {
        case .kernel(let text): "kernel: \(text)"
        case .daemon(let text): "bluetoothd: \(text)"
        case .refusal(let refusal): "controller: \(refusal)"
        case .violation(let text): "wire: \(text)"
        }
    }
}

/// A known cause of an error, with the side that is wrong and the evidence for that.
///
/// A scenario names the causes that it allows. `commandCanceledByPowerOff` is also allowed when a
/// scenario ends by powering the adapter off.
enum Allowance {
    /// Linux begins a discovery while it advertises on a 4.x controller, and sets the controller's
    /// random address for it, which a controller must refuse while legacy advertising is enabled
    /// (Vol 4, Part E, 7.8.4). Linux does so as long as the controller never had a random address.
    /// Hardware behaves in the same way: a BCM43455 reports the same error (bluez/bluetooth-next,
    /// pull request 781: "pause advertising for the scan address update", 2026).
    case randomAddressWhileAdvertising
    /// When the adapter is powered off, Linux cancels the command whose answer is pending, and logs
    /// that as an error: `set_powered` in net/bluetooth/mgmt.c calls `hci_cmd_sync_cancel_sync`
    /// with EHOSTDOWN, 112, so that power-off does not wait ("Bluetooth: Cancel sync command before
    /// suspend and power off", 2023; in Debian's 6.1 and 6.12). If a link ends right before the
    /// power-off, a command is pending, because the kernel enables its advertising again. A
    /// controller that fails a command with a status to which Linux gives the same number (0x04,
    /// 0x3C) has refused it on the wire, which is a separate error. If the canceled command starts
    /// the scan in the background, a second line reports that with the same number.
    case commandCanceledByPowerOff
    /// Linux requests the features of a new link that has just ended, because it was never
    /// established (0x3E). In 1,000 links this happened twice; the packet log shows the end of the
    /// link up to 0.4 s before the command.
    case featuresOfEndedLink
    /// Our host requests longer packets on a new link that has just ended (0x3E), because it has not
    /// yet read the event. Once, the program in the emulated machine was 1 s behind
    /// the controller's reports, and the packet log shows the end of the link before the command.
    case dataLengthOfEndedLink
    /// The controller reports a hardware error, because the scenario causes one.
    case hardwareError
    /// bluetoothd sets the privacy of a new adapter, which Linux refuses while the adapter is on
    /// (BlueZ, doc/mgmt-api.txt, Set Privacy Command). A program that returns an adapter turns it
    /// on, if it was on before.
    case privacyOfReturnedAdapter

    private static var canceledCommand: Regex<Substring> {
        #/Bluetooth: hci\d+: (?:Opcode 0x[0-9a-f]{4}|start background scanning) failed: -112/#
    }

    /// Returns whether this cause explains the error.
    func covers(_ problem: StackProblem) -> Bool {
        switch (self, problem) {
        case (.randomAddressWhileAdvertising, .kernel(let text)):
            text.hasSuffix("Opcode 0x2005 failed: -16")
        case (.randomAddressWhileAdvertising, .refusal(let refusal)):
            refusal.opcode == .leSetRandomAddress && refusal.status == .commandDisallowed
        case (.commandCanceledByPowerOff, .kernel(let text)):
            text.wholeMatch(of: Self.canceledCommand) != nil
        case (.featuresOfEndedLink, .refusal(let refusal)):
            refusal.opcode == .leReadRemoteFeatures
                && refusal.status == .unknownConnectionIdentifier
        case (.dataLengthOfEndedLink, .refusal(let refusal)):
            refusal.opcode == .leSetDataLength && refusal.status == .unknownConnectionIdentifier
        case (.hardwareError, .kernel(let text)): text.contains("hardware error")
        case (.privacyOfReturnedAdapter, .daemon(let text)):
            text.hasSuffix("Failed to set privacy: Rejected (0x0b)")
        default: false
        }
    }
}

extension BlueZ.KernelLine {
    /// The least severe level at which Linux reports an error of its own drivers.
    private static let worstWarning = 4

    /// Texts that mean, at any log level, that a program or driver failed.
    private static let signsOfFailure = [
        "segfault", "general protection fault", "Call Trace", "WARNING:", "BUG", "Oops",
        "blocked for more than", "lockdep",
    ]

    /// Whether the line reports a Bluetooth error or any crash.
    var isProblem: Bool {
        if Self.signsOfFailure.contains(where: text.contains) { return true }
        let isAboutBluetooth = text.contains("Bluetooth") || text.contains("hci")
        return isAboutBluetooth && level <= Self.worstWarning
    }
}

/// The log of bluetoothd. Most lines report missing features of bluetoothd, which do not matter
/// here. The lines that matter report that the kernel refused a request, with the kernel's code in
/// parentheses, or that bluetoothd crashed.
enum DaemonLog {
    private static let signsOfCrash = ["Aborted", "corrupted", "stack smashing"]

    /// Returns the lines that report a refused request or a crash.
    static func problems(in lines: [String]) -> [String] {
        lines.filter { line in
            signsOfCrash.contains(where: line.contains)
                || line.contains("Failed to") && line.hasSuffix(")") && line.contains("(0x")
        }
    }
}
