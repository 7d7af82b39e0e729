// SPDX-License-Identifier: Apache-2.0

import BluetoothSetUp
import HCITransports
import Testing
import VirtualAdapters

@testable import LanyardCLI

private let unusable = ProgramFailure(
    .adapterUnavailable,
    "the adapter cannot be used",
    advice: "restart it"
)

@Suite("The diagnosis") struct DiagnosisTests {
    private func diagnose(_ change: (inout SystemState) -> Void) -> [SetUpFinding] {
        var system = SystemState()
        system.choice = .chosen(.virtual(scenario: nil), .environment)
        system.probe = .succeeded(.milliseconds(12))
        change(&system)
        return Diagnosis.findings(system)
    }

    /// Returns the findings about a subject, as `severity what`.
    private func findings(_ diagnosis: [SetUpFinding], of subject: String) -> [String] {
        diagnosis.filter { $0.subject == subject }.map { "\($0.severity) \($0.what)" }
    }

    // MARK: The chosen adapter

    @Test("An adapter that answers leaves no obstacle") func healthy() {
        let diagnosis = diagnose { _ in }
        #expect(diagnosis.obstacles.isEmpty)
        let text = "good virtual, by LANYARD_ADAPTER: opened, reset and closed in 0.012 s"
        #expect(findings(diagnosis, of: "adapter") == [text])
    }

    @Test("Without Bluetooth, the advice is the virtual adapter") func withoutBluetooth() {
        let diagnosis = diagnose {
            $0.choice = .none
            $0.probe = .notTried
            $0.kernel = .missing
        }
        #expect(diagnosis.obstacles.map(\.subject) == ["adapter"])
        #expect(diagnosis.obstacles.first?.remedy.contains("LANYARD_ADAPTER=virtual") == true)
        #expect(findings(diagnosis, of: "kernel") == ["note it has no Bluetooth"])
    }

    @Test("An adapter that does not answer is the obstacle") func unreachable() {
        let diagnosis = diagnose { $0.probe = .failed(unusable) }
        #expect(diagnosis.obstacles.map(\.remedy) == ["restart it"])
    }

    @Test("An adapter that was not opened is reported as a note and not as an obstacle")
    func untried() {
        let diagnosis = diagnose { $0.probe = .notTried }
        #expect(diagnosis.obstacles.isEmpty)
        #expect(
            findings(diagnosis, of: "adapter") == ["note virtual, by LANYARD_ADAPTER: not tried"]
        )
    }

    @Test("An invalid adapter setting is the obstacle, with its source") func malformed() {
        let diagnosis = diagnose {
            $0.choice = .malformed("x", .environment, .usage("'x' is no adapter", advice: "use y"))
        }
        #expect(diagnosis.obstacles.map(\.what) == ["LANYARD_ADAPTER: 'x' is no adapter"])
        #expect(diagnosis.obstacles.map(\.remedy) == ["use y"])
    }

    // MARK: Bonds

    @Test(
        "The bonds are an obstacle only if they cannot be stored",
        arguments: [
            (.none, nil), (.usable("/s"), .good), (.absent("/s", canBeMade: true), .good),
            (.absent("/s", canBeMade: false), .obstacle), (.held("/s", by: nil), .warning),
            (.held("/s", by: .init(number: 7, name: "thermostat")), .warning),
            (.unusable("/s", unusable), .obstacle),
        ] as [(SystemState.Store, SetUpFinding.Severity?)]
    )
    func store(store: SystemState.Store, severity: SetUpFinding.Severity?) {
        let found = diagnose { $0.store = store }.filter { $0.subject == "store" }
        #expect(found.map(\.severity) == (severity.map { [$0] } ?? []))
        for finding in found where finding.severity > .good {
            #expect(!finding.why.isEmpty && !finding.remedy.isEmpty)
        }
    }

    @Test("The process that holds the bonds is named with advice") func holder() {
        let process = SystemProcess(number: 7, name: "thermo\u{1B}stat")
        let finding = diagnose { $0.store = .held("/s", by: process) }
            .first { $0.subject == "store" }
        #expect(finding?.what == "/s is in use by thermo\\u{1B}stat (process 7)")
        #expect(finding?.remedy.hasPrefix("end process 7") == true)
    }

    // MARK: The system

    @Test(
        "Adapters of the system are listed with their users and are no obstacles",
        arguments: [
            (SystemAdapter(index: 2, bus: .usb), "good hci2, no address, USB, free"),
            (
                SystemAdapter(index: 2, state: .settingUp),
                "note hci2, no address, an unknown bus, being set up by the kernel"
            ),
            (
                SystemAdapter(
                    index: 0,
                    bus: .uart,
                    state: .up,
                    holders: [.init(number: 842, name: "bluetoothd")],
                    connections: 2
                ),
                "note hci0, no address, UART, used by bluetoothd (process 842), 2 links"
            ),
            (
                SystemAdapter(
                    index: 0,
                    bus: .usb,
                    state: .taken,
                    holders: [.init(number: 7, name: "a\u{1B}b")]
                ),
                "note hci0, no address, USB, taken by a\\u{1B}b (process 7)"
            ),
            (
                SystemAdapter(index: 0, bus: .usb, supportsLowEnergy: false),
                "note hci0, no address, USB, does not support Low Energy"
            ),
        ] as [(SystemAdapter, String)]
    )
    func adapters(adapter: SystemAdapter, expected: String) {
        let diagnosis = diagnose { $0.adapters = [adapter] }
        #expect(findings(diagnosis, of: "system adapter") == [expected])
        #expect(diagnosis.obstacles.isEmpty)
    }

    @Test("Without a choice, the first free adapter is shown and not opened")
    func systemChoice() {
        let diagnosis = diagnose {
            $0.choice = .chosen(.reached(.hci(index: 1)), .system)
            $0.probe = .notTried
        }
        #expect(findings(diagnosis, of: "adapter") == ["note hci1, by default: not tried"])
        #expect(diagnosis.first?.remedy.hasPrefix("--adapter hci1 ") == true)
    }

    @Test("The Bluetooth daemon as the chosen adapter is reported as a note and not as an obstacle")
    func daemonChoice() {
        let diagnosis = diagnose {
            $0.choice = .chosen(.daemon(adapter: "hci1"), .environment)
            $0.probe = .notTried
        }
        #expect(
            findings(diagnosis, of: "adapter") == [
                "note bluez:hci1, by LANYARD_ADAPTER: for programs on CoreBluetooth and Lanyard"
            ]
        )
        #expect(diagnosis.obstacles.isEmpty)
    }

    @Test("A kernel that supports Bluetooth but has no adapter is reported as such")
    func noAdapter() {
        let findings = findings(diagnose { _ in }, of: "system adapter")
        #expect(findings == ["note the kernel supports Bluetooth, but has no adapter"])
    }

    @Test("A radio that is off in software is distinguished from one that is off in hardware")
    func switches() {
        let diagnosis = diagnose {
            $0.switches = [
                .init(entry: "rfkill0", name: "on", isOffInSoftware: false, isHardBlocked: false),
                .init(
                    entry: "rfkill1",
                    name: "soft",
                    isOffInSoftware: true,
                    isHardBlocked: false
                ),
                .init(entry: "rfkill2", name: "hard", isOffInSoftware: true, isHardBlocked: true),
            ]
        }
        let found = diagnosis.filter { $0.subject == "radio switch" }
        #expect(found.map(\.severity) == [.warning, .warning])
        #expect(found.first?.remedy == "run 'rfkill unblock bluetooth'")
        #expect(found.last?.what == "hard is off by a switch, a key or the firmware")
    }

    @Test("Daemon and permission are reported only if there are adapters") func daemon() {
        func findings(_ adapters: [SystemAdapter]) -> [SetUpFinding] {
            diagnose {
                $0.adapters = adapters
                $0.daemons = [.init(number: 842, name: "bluetoothd")]
                $0.mayTakeAdapters = false
                $0.program = "/usr/bin/lanyard"
            }.filter { ["daemon", "permission"].contains($0.subject) }
        }
        let found = findings([SystemAdapter(index: 0)])
        #expect(found.map(\.severity) == [.note, .warning])
        #expect(found.first?.what == "bluetoothd (process 842) runs")
        let remedy = "run 'sudo setcap cap_net_admin+ep /usr/bin/lanyard'; see docs/LINUX.md"
        #expect(found.last?.remedy == remedy)
        #expect(findings([]).isEmpty)
    }

    @Test("The reason why apps use the daemon is reported", arguments: [true, false])
    func applications(_ mayTake: Bool) {
        let daemon = SystemProcess(number: 842, name: "bluetoothd")
        func findings(connections: Int) -> [SetUpFinding] {
            diagnose {
                $0.adapters = [
                    SystemAdapter(
                        index: 0,
                        state: .up,
                        holders: [daemon],
                        connections: connections
                    )
                ]
                $0.mayTakeAdapters = mayTake
            }.filter { $0.subject == "applications" }
        }
        #expect(findings(connections: 0).count == (mayTake ? 0 : 1))
        let why = findings(connections: 1).map(\.why)
        #expect(
            why == [
                mayTake
                    ? "no adapter is free of other programs' links"
                    : "a program without the permission cannot take an adapter"
            ]
        )
    }

    @Test(
        "The kernel's support for Bluetooth is reported unless it is available",
        arguments: [
            (.available, nil), (.missing, .note), (.forbidden, .warning),
            (.unclear("too many files"), .warning),
        ] as [(SystemBluetooth.Support, SetUpFinding.Severity?)]
    )
    func kernel(support: SystemBluetooth.Support, severity: SetUpFinding.Severity?) {
        let found = diagnose { $0.kernel = support }.filter { $0.subject == "kernel" }
        #expect(found.map(\.severity) == (severity.map { [$0] } ?? []))
    }

    @Test("Serial ports are listed with their devices") func serialPorts() {
        let diagnosis = diagnose {
            $0.serialPorts = [.init(path: "/dev/ttyACM0", product: "nRF\u{7}52")]
        }
        #expect(findings(diagnosis, of: "serial port") == ["note /dev/ttyACM0 (nRF\\u{7}52)"])
        let remedy = diagnosis.first { $0.subject == "serial port" }?.remedy
        #expect(remedy == "if so, use --adapter serial:/dev/ttyACM0")
    }

    @Test("Outside of Linux, there is no finding about a kernel") func elsewhere() {
        let diagnosis = diagnose {
            $0.isLinux = false
            $0.kernel = .missing
        }
        #expect(diagnosis.map(\.subject) == ["adapter", "system"])
    }

    // MARK: Text

    @Test("A finding is a line, its meaning and its remedy") func text() {
        let finding = SetUpFinding(.warning, "radio", "off\u{1B}", why: "so", remedy: "do")
        #expect(
            DiagnosisText.lines(finding) == ["! radio: off\\u{1B}", "    so", "    → do"]
        )
        #expect(DiagnosisText.lines(SetUpFinding(.good, "a", "b")) == ["✓ a: b"])
    }

    @Test("The number of problems is in the failure") func failure() {
        let obstacle = SetUpFinding(.obstacle, "a", "b")
        #expect(DiagnosisText.failure([SetUpFinding(.warning, "a", "b")]) == nil)
        let one = DiagnosisText.failure([obstacle])
        #expect(one?.status == .incomplete && one?.happened == "1 problem found")
        let two = DiagnosisText.failure([obstacle, obstacle])
        #expect(two?.happened == "2 problems found")
    }
}

extension [SetUpFinding] {
    fileprivate var obstacles: [SetUpFinding] { filter { $0.severity == .obstacle } }
}
