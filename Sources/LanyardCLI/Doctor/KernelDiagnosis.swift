// SPDX-License-Identifier: Apache-2.0

import HCITransports
import Lanyard

/// The Bluetooth of a Linux computer: its kernel, adapters and radio switches, and who else wants them.
///
/// None of it is an obstacle, because Lanyard does not use the kernel's adapters itself yet. It is
/// what stands between them and whoever does, a bridge to Lanyard for one.
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
        if surroundings.mayTakeAdapters == false { findings.append(mayNot) }
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

    private static func finding(about adapter: Surroundings.Adapter) -> SetUpFinding {
        SetUpFinding(
            .note,
            "system adapter",
            describe(adapter),
            why: "Lanyard does not use adapters of the system itself yet",
            remedy: "as root: " + Bridge.command(to: "hci-socket:\(adapter.name.dropFirst(3))")
        )
    }

    private static func describe(_ adapter: Surroundings.Adapter) -> String {
        guard let record = adapter.record else { return adapter.name }
        let address = record.address.map { ", \($0)" } ?? ""
        let bus = record.bus.map { ", on \(name(of: $0))" } ?? ""
        return adapter.name + address + bus + (record.isUp ? ", up" : ", down")
    }

    private static func name(of bus: SystemAdapterRecord.Bus) -> String {
        switch bus {
        case .virtual: "a virtual bus"
        case .usb: "USB"
        case .pcCard: "a PC Card"
        case .uart: "a UART"
        case .pci: "PCI"
        case .sdio: "SDIO"
        case .spi: "SPI"
        case .i2c: "I2C"
        case .smd: "shared memory"
        }
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

    private static func finding(about daemon: Surroundings.RunningProcess) -> SetUpFinding {
        SetUpFinding(
            .warning,
            "daemon",
            "\(TerminalText.escape(daemon.name)) runs (process \(daemon.number))",
            why: "it holds the adapters of the system, and two hosts cannot have the same one",
            remedy: "systemctl stop bluetooth, or leave it one adapter and take another"
        )
    }

    private static let mayNot = SetUpFinding(
        .warning,
        "permission",
        "this user may not take adapters from the kernel",
        why: "that wants the capability CAP_NET_ADMIN",
        remedy: "run what uses them as root, or setcap cap_net_admin+ep PROGRAM"
    )
}
