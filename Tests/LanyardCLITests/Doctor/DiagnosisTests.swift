// SPDX-License-Identifier: Apache-2.0

import HCITransports
import Lanyard
import Testing
import VirtualAdapters

@testable import LanyardCLI

private let unusable = ProgramFailure(
    .adapterUnavailable,
    "the adapter cannot be used",
    advice: "restart it"
)

@Suite struct DiagnosisTests {
    private func diagnose(_ change: (inout Surroundings) -> Void) -> Diagnosis {
        var surroundings = Surroundings()
        surroundings.choice = .chosen(.virtual(scenario: nil), .environment)
        surroundings.probe = .succeeded(.milliseconds(12))
        change(&surroundings)
        return Diagnosis(of: surroundings)
    }

    /// What is said of a subject, as `severity what`.
    private func said(_ diagnosis: Diagnosis, of subject: String) -> [String] {
        diagnosis.findings.filter { $0.subject == subject }.map { "\($0.severity) \($0.what)" }
    }

    // MARK: The chosen adapter

    @Test("With an adapter that answers, nothing stands in the way") func healthy() {
        let diagnosis = diagnose { _ in }
        #expect(diagnosis.obstacles.isEmpty)
        let text = "good virtual, by LANYARD_ADAPTER: opened, reset and let go in 0.012 s"
        #expect(said(diagnosis, of: "adapter") == [text])
    }

    @Test("Without any Bluetooth, the virtual adapter is what helps") func withoutBluetooth() {
        let diagnosis = diagnose {
            $0.choice = .none
            $0.probe = .notTried
            $0.kernel = .missing
        }
        #expect(diagnosis.obstacles.map(\.subject) == ["adapter"])
        #expect(diagnosis.obstacles.first?.remedy.contains("LANYARD_ADAPTER=virtual") == true)
        #expect(said(diagnosis, of: "kernel") == ["note it has no Bluetooth here"])
    }

    @Test("An adapter that does not answer is the obstacle") func unreachable() {
        let diagnosis = diagnose { $0.probe = .failed(unusable) }
        #expect(diagnosis.obstacles.map(\.remedy) == ["restart it"])
    }

    @Test("An adapter that was not tried is neither good nor an obstacle") func untried() {
        let diagnosis = diagnose { $0.probe = .notTried }
        #expect(diagnosis.obstacles.isEmpty)
        #expect(said(diagnosis, of: "adapter") == ["note virtual, by LANYARD_ADAPTER: not tried"])
    }

    @Test("A setting that names no adapter is the obstacle, wherever it stands") func malformed() {
        let diagnosis = diagnose {
            $0.choice = .malformed("x", .environment, .usage("'x' is no adapter", advice: "use y"))
        }
        #expect(diagnosis.obstacles.map(\.what) == ["LANYARD_ADAPTER: 'x' is no adapter"])
        #expect(diagnosis.obstacles.map(\.remedy) == ["use y"])
    }

    // MARK: Bonds

    @Test(
        "The bonds are an obstacle only if they cannot be kept",
        arguments: [
            (.none, nil), (.usable("/s"), .good), (.absent("/s", canBeMade: true), .good),
            (.absent("/s", canBeMade: false), .obstacle), (.held("/s", by: nil), .warning),
            (.held("/s", by: .init(number: 7, name: "thermostat")), .warning),
            (.unusable("/s", unusable), .obstacle),
        ] as [(Surroundings.Store, SetUpFinding.Severity?)]
    )
    func store(store: Surroundings.Store, severity: SetUpFinding.Severity?) {
        let found = diagnose { $0.store = store }.findings.filter { $0.subject == "store" }
        #expect(found.map(\.severity) == (severity.map { [$0] } ?? []))
        for finding in found where finding.severity > .good {
            #expect(!finding.why.isEmpty && !finding.remedy.isEmpty)
        }
    }

    @Test("Who has the bonds is named, and how to end them") func holder() {
        let process = SystemProcess(number: 7, name: "thermo\u{1B}stat")
        let finding = diagnose { $0.store = .held("/s", by: process) }
            .findings.first { $0.subject == "store" }
        #expect(finding?.what == "/s is in use by thermo\\u{1B}stat (process 7)")
        #expect(finding?.remedy.hasPrefix("end process 7") == true)
    }

    // MARK: The system

    @Test(
        "Adapters of the system are listed with who has them, none of them an obstacle",
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
                "note hci0, no address, USB, does no Low Energy"
            ),
        ] as [(SystemAdapter, String)]
    )
    func adapters(adapter: SystemAdapter, expected: String) {
        let diagnosis = diagnose { $0.adapters = [adapter] }
        #expect(said(diagnosis, of: "system adapter") == [expected])
        #expect(diagnosis.obstacles.isEmpty)
    }

    @Test("Where nobody has chosen, the system's first free adapter is shown, and not tried")
    func systemChoice() {
        let diagnosis = diagnose {
            $0.choice = .chosen(.reached(.hci(index: 1)), .system)
            $0.probe = .notTried
        }
        #expect(said(diagnosis, of: "adapter") == ["note hci1, by default: not tried"])
        #expect(diagnosis.findings.first?.remedy.hasPrefix("--adapter hci1 ") == true)
    }

    @Test("A kernel with Bluetooth, but no adapter, is told from one without") func noAdapter() {
        let said = said(diagnose { _ in }, of: "system adapter")
        #expect(said == ["note the kernel knows Bluetooth, but has no adapter"])
    }

    @Test("A switch of the hardware is told from one of a program") func switches() {
        let diagnosis = diagnose {
            $0.switches = [
                .init(entry: "rfkill0", name: "on", isOffByWish: false, isOffByHardware: false),
                .init(entry: "rfkill1", name: "soft", isOffByWish: true, isOffByHardware: false),
                .init(entry: "rfkill2", name: "hard", isOffByWish: true, isOffByHardware: true),
            ]
        }
        let found = diagnosis.findings.filter { $0.subject == "radio switch" }
        #expect(found.map(\.severity) == [.warning, .warning])
        #expect(found.first?.remedy == "rfkill unblock bluetooth")
        #expect(found.last?.what == "hard is off by a switch, a key or the firmware")
    }

    @Test("Daemon and permission matter where there are adapters") func daemon() {
        func findings(_ adapters: [SystemAdapter]) -> [SetUpFinding] {
            diagnose {
                $0.adapters = adapters
                $0.daemons = [.init(number: 842, name: "bluetoothd")]
                $0.mayTakeAdapters = false
                $0.program = "/usr/bin/lanyard"
            }.findings.filter { ["daemon", "permission"].contains($0.subject) }
        }
        let found = findings([SystemAdapter(index: 0)])
        #expect(found.map(\.severity) == [.note, .warning])
        #expect(found.first?.what == "bluetoothd (process 842) runs")
        let remedy = "sudo setcap cap_net_admin+ep /usr/bin/lanyard; see docs/LINUX.md"
        #expect(found.last?.remedy == remedy)
        #expect(findings([]).isEmpty)
    }

    @Test(
        "What the kernel refuses is said as it is",
        arguments: [
            (.available, nil), (.missing, .note), (.forbidden, .warning),
            (.unclear("too many files"), .warning),
        ] as [(SystemBluetooth.Support, SetUpFinding.Severity?)]
    )
    func kernel(support: SystemBluetooth.Support, severity: SetUpFinding.Severity?) {
        let found = diagnose { $0.kernel = support }.findings.filter { $0.subject == "kernel" }
        #expect(found.map(\.severity) == (severity.map { [$0] } ?? []))
    }

    @Test("Serial ports come with what is on them") func serialPorts() {
        let diagnosis = diagnose {
            $0.serialPorts = [.init(path: "/dev/ttyACM0", product: "nRF\u{7}52")]
        }
        #expect(said(diagnosis, of: "serial port") == ["note /dev/ttyACM0 (nRF\\u{7}52)"])
        let remedy = diagnosis.findings.first { $0.subject == "serial port" }?.remedy
        #expect(remedy == "if there is: --adapter serial:/dev/ttyACM0")
    }

    @Test("Elsewhere than on Linux nothing is said of a kernel") func elsewhere() {
        let diagnosis = diagnose {
            $0.isLinux = false
            $0.kernel = .missing
        }
        #expect(diagnosis.findings.map(\.subject) == ["adapter", "system"])
    }

    // MARK: Text

    @Test("A finding is a line, what it means, and what helps") func text() {
        let finding = SetUpFinding(.warning, "radio", "off\u{1B}", why: "so", remedy: "do")
        #expect(
            DiagnosisText.lines(finding) == ["! radio: off\\u{1B}", "    so", "    → do"]
        )
        #expect(DiagnosisText.lines(SetUpFinding(.good, "a", "b")) == ["✓ a: b"])
    }

    @Test("How many things stand in the way is the end of the command") func failure() {
        let obstacle = SetUpFinding(.obstacle, "a", "b")
        #expect(DiagnosisText.failure([SetUpFinding(.warning, "a", "b")]) == nil)
        let one = DiagnosisText.failure([obstacle])
        #expect(one?.status == .incomplete && one?.happened == "one thing stands in the way")
        let two = DiagnosisText.failure([obstacle, obstacle])
        #expect(two?.happened == "2 things stand in the way")
    }
}
