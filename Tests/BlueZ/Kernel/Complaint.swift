// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI

/// Something that should not happen between a kernel and a controller that are both right.
enum Complaint: Equatable, CustomStringConvertible {
    /// The kernel wrote it into its log.
    case kernel(String)
    /// bluetoothd, or what watches over it, wrote it into its log.
    case daemon(String)
    /// The controller refused a command of the kernel's.
    case refusal(KernelWire.Refusal)
    /// A packet of either's is none, or a rule of HCI or ATT was broken.
    case violation(String)

    /// All that somebody should have to explain.
    ///
    /// - Parameters:
    ///   - violations: the rules that were broken, as the watch over the wires tells them.
    static func all(
        kernel: [BlueZ.KernelLine],
        daemon: [String],
        wire: KernelWire,
        violations: [String]
    ) -> [Complaint] {
        kernel.filter(\.isComplaint).map { .kernel($0.text) }
            + DaemonLog.complaints(in: daemon).map { .daemon($0) }
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

/// A complaint that is explained: who is wrong, and how we know.
///
/// A scenario has to ask by name for each that it brings about; there are no others.
enum Allowance {
    /// Linux begins a discovery while it advertises on a controller of 4.x, and gives the controller a
    /// random address for it, which no controller may take while legacy advertising is enabled
    /// (Vol 4, Part E, 7.8.4). It happens as long as the controller never had a random address. So it
    /// does on hardware: a BCM43455 says the same (bluez/bluetooth-next, pull request 781: "pause
    /// advertising for the scan address update", 2026).
    case randomAddressWhileAdvertising
    /// The controller says that its hardware failed, because the scenario wants it to.
    case hardwareError

    /// Whether it explains the complaint.
    func covers(_ complaint: Complaint) -> Bool {
        switch (self, complaint) {
        case (.randomAddressWhileAdvertising, .kernel(let text)):
            text.hasSuffix("Opcode 0x2005 failed: -16")
        case (.randomAddressWhileAdvertising, .refusal(let refusal)):
            refusal.opcode == .leSetRandomAddress && refusal.status == .commandDisallowed
        case (.hardwareError, .kernel(let text)): text.contains("hardware error")
        default: false
        }
    }
}

extension BlueZ.KernelLine {
    /// Of its own drivers Linux says at these levels that something is wrong.
    private static let worstWarning = 4

    /// What stands in a log, at whatever level, of programs and drivers that failed.
    private static let signsOfFailure = [
        "segfault", "general protection fault", "Call Trace", "WARNING:", "BUG", "Oops",
        "blocked for more than", "lockdep",
    ]

    /// Whether it is about Bluetooth, and says that something is wrong, or whether anything crashed.
    var isComplaint: Bool {
        if Self.signsOfFailure.contains(where: text.contains) { return true }
        let isAboutBluetooth = text.contains("Bluetooth") || text.contains("hci")
        return isAboutBluetooth && level <= Self.worstWarning
    }
}

/// What bluetoothd writes: what it cannot do, and most of that is of no interest here. What the kernel
/// refuses it is, with the kernel's code in parentheses; and of course that it is at its end.
enum DaemonLog {
    private static let signsOfCrash = ["Aborted", "corrupted", "stack smashing"]

    /// The lines that say that something went wrong below.
    static func complaints(in lines: [String]) -> [String] {
        lines.filter { line in
            signsOfCrash.contains(where: line.contains)
                || line.contains("Failed to") && line.hasSuffix(")") && line.contains("(0x")
        }
    }
}
