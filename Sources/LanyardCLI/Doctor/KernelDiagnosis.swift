// SPDX-License-Identifier: Apache-2.0

import BluetoothSetUp
import HCITransports
import VirtualAdapters

/// The findings about the Bluetooth of a Linux computer: its kernel, adapters, radio switches, and
/// the processes that use them.
///
/// None of these is an obstacle by itself, because another adapter may be chosen. Only opening the
/// chosen adapter shows whether it can be used.
enum KernelDiagnosis {
    static func findings(_ system: SystemState) -> [SetUpFinding] {
        var findings = [finding(about: system.kernel)].compactMap(\.self)
        findings += system.adapters.map(finding(about:))
        if system.kernel == .available, system.adapters.isEmpty {
            findings.append(noAdapter)
        }
        findings += system.switches.compactMap(finding(about:))
        guard !system.adapters.isEmpty else { return findings }
        findings += system.daemons.map(finding(about:))
        if system.mayTakeAdapters == false {
            findings.append(mayNot(system.program))
        }
        findings += [applications(system)].compactMap(\.self)
        return findings
    }

    /// Returns the finding that programs on CoreBluetooth and Lanyard use the Bluetooth daemon by
    /// default; `nil` if they do not.
    private static func applications(_ system: SystemState) -> SetUpFinding? {
        let mayTake = system.mayTakeAdapters != false
        guard case .daemon? = AdapterChoice.ofApplications(system.adapters, mayTake: mayTake) else {
            return nil
        }
        return SetUpFinding(
            .note,
            "applications",
            "programs on CoreBluetooth and Lanyard use the Bluetooth daemon by default (bluez)",
            why: mayTake
                ? "no adapter is free of other programs' links"
                : "a program without the permission cannot take an adapter",
            remedy: "LANYARD_ADAPTER names another adapter"
        )
    }

    private static func finding(about kernel: SystemBluetooth.Support) -> SetUpFinding? {
        switch kernel {
        case .available: return nil
        case .missing:
            return SetUpFinding(
                .note,
                "kernel",
                "it has no Bluetooth",
                why: "it was built without Bluetooth, its module is not loaded, or this is a "
                    + "container: a container without the host's network has none",
                remedy: "run 'modprobe bluetooth' outside of any container, "
                    + "or set LANYARD_ADAPTER=virtual"
            )
        case .forbidden:
            return SetUpFinding(
                .warning,
                "kernel",
                "it refuses Bluetooth sockets to this process",
                why: "a sandbox refuses Bluetooth sockets",
                remedy: "allow the address family AF_BLUETOOTH: with systemd, in "
                    + "RestrictAddressFamilies"
            )
        case .unclear(let text):
            return SetUpFinding(
                .warning,
                "kernel",
                "it refuses a Bluetooth socket: \(TerminalText.escape(text))",
                why: "no further check is possible",
                remedy: "see the messages of dmesg about Bluetooth"
            )
        }
    }

    private static func finding(about adapter: SystemAdapter) -> SetUpFinding {
        let what = AdapterText.cells(adapter).joined(separator: ", ")
        guard adapter.supportsLowEnergy != false else {
            return finding(what, "Bluetooth Classic only, which Lanyard does not support", "")
        }
        switch adapter.state {
        case .down where adapter.mayBeTaken:
            return SetUpFinding(.good, subject, what)
        case .down: return SetUpFinding(.note, subject, what)
        case .settingUp:
            return finding(what, "this takes a moment; a program that opens it waits", "")
        case .taken:
            return finding(what, "two hosts cannot share an adapter", "end that program")
        case .up where adapter.connections == 0:
            return finding(what, "it has no links, so Lanyard can take it, and returns it", "")
        case .up:
            return finding(
                what,
                "while it has links, Lanyard does not take it",
                "run 'bluetoothctl disconnect', 'bluetoothctl power off' or 'systemctl stop bluetooth'"
            )
        }
    }

    private static let subject = "system adapter"

    private static func finding(
        _ what: String,
        _ why: String,
        _ remedy: String
    ) -> SetUpFinding {
        SetUpFinding(.note, subject, what, why: why, remedy: remedy)
    }

    private static let noAdapter = SetUpFinding(
        .note,
        "system adapter",
        "the kernel supports Bluetooth, but has no adapter",
        why: "nothing is plugged in, or its driver or firmware is missing",
        remedy: "plug one in; dmesg shows the firmware that the driver requested"
    )

    private static func finding(about radio: SystemState.RadioSwitch) -> SetUpFinding? {
        let name = TerminalText.escape(radio.name)
        if radio.isHardBlocked {
            return SetUpFinding(
                .warning,
                "radio switch",
                "\(name) is off by a switch, a key or the firmware",
                why: "a program cannot switch it on",
                remedy: "use the switch, the airplane mode key, or the firmware's settings"
            )
        }
        guard radio.isOffInSoftware else { return nil }
        return SetUpFinding(
            .warning,
            "radio switch",
            "\(name) is switched off",
            why: "the adapter cannot be used until it is switched on",
            remedy: "run 'rfkill unblock bluetooth'"
        )
    }

    private static func finding(about daemon: SystemProcess) -> SetUpFinding {
        SetUpFinding(
            .note,
            "daemon",
            "\(TerminalText.escape(daemon.description)) runs",
            why: "Lanyard does not take an adapter with links; it takes others, and returns them",
            remedy: "run 'systemctl stop bluetooth' if Lanyard should use all adapters"
        )
    }

    private static func mayNot(_ program: String?) -> SetUpFinding {
        SetUpFinding(
            .warning,
            "permission",
            "this program may not take adapters from the kernel",
            why: "taking an adapter needs the capability CAP_NET_ADMIN",
            remedy: "run 'sudo setcap cap_net_admin+ep "
                + (program.map(TerminalText.escape) ?? "PROGRAM") + "'; see docs/LINUX.md"
        )
    }
}
