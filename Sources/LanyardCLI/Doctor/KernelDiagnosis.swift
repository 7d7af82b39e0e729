// SPDX-License-Identifier: Apache-2.0

import HCITransports
import Lanyard

/// The Bluetooth of a Linux computer: its kernel, adapters and radio switches, and who else wants them.
///
/// None of it is an obstacle by itself: another adapter may be chosen. Whether the chosen one can be had
/// is found out by opening it.
enum KernelDiagnosis {
    static func findings(_ surroundings: Surroundings) -> [SetUpFinding] {
        var findings = [finding(about: surroundings.kernel)].compactMap(\.self)
        findings += surroundings.adapters.map(finding(about:))
        if surroundings.kernel == .available, surroundings.adapters.isEmpty {
            findings.append(noAdapter)
        }
        findings += surroundings.switches.compactMap(finding(about:))
        guard !surroundings.adapters.isEmpty else { return findings }
        findings += surroundings.daemons.map(finding(about:))
        if surroundings.mayTakeAdapters == false {
            findings.append(mayNot(surroundings.program))
        }
        return findings
    }

    private static func finding(about kernel: SystemBluetooth.Support) -> SetUpFinding? {
        switch kernel {
        case .available: return nil
        case .missing:
            return SetUpFinding(
                .note,
                "kernel",
                "it has no Bluetooth here",
                why: "it was built without, its module is not loaded, or this is a container: "
                    + "those have none, whatever the computer has",
                remedy: "modprobe bluetooth, outside of any container; "
                    + "or do without: LANYARD_ADAPTER=virtual"
            )
        case .forbidden:
            return SetUpFinding(
                .warning,
                "kernel",
                "it does not let this process ask about Bluetooth",
                why: "a sandbox refuses Bluetooth sockets",
                remedy: "allow the address family AF_BLUETOOTH: with systemd, in "
                    + "RestrictAddressFamilies"
            )
        case .unclear(let text):
            return SetUpFinding(
                .warning,
                "kernel",
                "asked for a Bluetooth socket, it says: \(TerminalText.escape(text))",
                why: "nothing more can be seen from here",
                remedy: "see what dmesg says of Bluetooth"
            )
        }
    }

    private static func finding(about adapter: SystemAdapter) -> SetUpFinding {
        let what = AdapterText.cells(adapter).joined(separator: ", ")
        guard adapter.supportsLowEnergy != false else {
            return finding(what, "an older kind of Bluetooth, which Lanyard does not speak", "")
        }
        switch adapter.state {
        case .down where adapter.mayBeTaken:
            return SetUpFinding(.good, subject, what)
        case .down: return SetUpFinding(.note, subject, what)
        case .settingUp:
            return finding(what, "that takes a moment; opening it waits for the end", "")
        case .taken:
            return finding(what, "two hosts cannot have the same one", "end that program")
        case .up where adapter.connections == 0:
            return finding(what, "it has no links, so it can be taken, and is given back", "")
        case .up:
            return finding(
                what,
                "as long as it has links, it is left alone",
                "bluetoothctl disconnect, bluetoothctl power off, or systemctl stop bluetooth"
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
        "the kernel knows Bluetooth, but has no adapter",
        why: "nothing is plugged in, or its driver or firmware is missing",
        remedy: "plug one in; dmesg says which firmware was looked for"
    )

    private static func finding(about radio: Surroundings.RadioSwitch) -> SetUpFinding? {
        let name = TerminalText.escape(radio.name)
        if radio.isOffByHardware {
            return SetUpFinding(
                .warning,
                "radio switch",
                "\(name) is off by a switch, a key or the firmware",
                why: "no program can switch it on",
                remedy: "look for the switch, a key with an aeroplane, or the firmware's settings"
            )
        }
        guard radio.isOffByWish else { return nil }
        return SetUpFinding(
            .warning,
            "radio switch",
            "\(name) is switched off",
            why: "the adapter cannot be used as long as it is",
            remedy: "rfkill unblock bluetooth"
        )
    }

    private static func finding(about daemon: SystemProcess) -> SetUpFinding {
        SetUpFinding(
            .note,
            "daemon",
            "\(TerminalText.escape(daemon.description)) runs",
            why: "an adapter on which it has links is left to it; another is taken, and given back",
            remedy: "systemctl stop bluetooth, where all adapters are for Lanyard"
        )
    }

    private static func mayNot(_ program: String?) -> SetUpFinding {
        SetUpFinding(
            .warning,
            "permission",
            "this program may not take adapters from the kernel",
            why: "that wants the capability CAP_NET_ADMIN, and nothing else does",
            remedy: "sudo setcap cap_net_admin+ep "
                + (program.map(TerminalText.escape) ?? "PROGRAM") + "; see docs/LINUX.md"
        )
    }
}
