// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothSetUp
import Foundation
import HCITransports
import VirtualAdapters

struct DoctorCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Diagnose Bluetooth problems on this machine or in an app's Info.plist.",
        discussion: """
            Checks the chosen adapter, the bonds, and the system's kernel, adapters, radio switches, \
            Bluetooth daemon and permissions. It changes no settings. It opens and resets an adapter \
            that you name, which ends links of other programs on it; --no-probe prevents that.

            With --info-plist it checks an app instead.

            Exit code 0: no problem found. Exit code 78: a problem was found.
            """
    )

    @Option(
        help: ArgumentHelp(
            "The adapter to check.",
            discussion: """
                The default is the environment variable LANYARD_ADAPTER, or else the first free \
                adapter of the system.
                """,
            valueName: "adapter"
        ),
        completion: .adapters
    )
    var adapter: String?

    @OptionGroup var storage: StoreOptions

    @Flag(help: "Do not open the adapter.")
    var noProbe = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How long to wait for the adapter (default: 4).", valueName: "seconds")
    )
    var timeout: Double?

    @OptionGroup var application: InfoPlistOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run(on console: Console) async throws {
        guard !application.lacksInfoPlist else {
            throw ProgramFailure.usage(
                "these options need an Info.plist",
                advice: "give --info-plist FILE as well"
            )
        }
        let findings = try await findings(on: console)
        if json {
            try console.print(DiagnosisText.json(findings).indented)
        } else {
            for line in findings.flatMap(DiagnosisText.lines) { try console.print(line) }
        }
        if let failure = DiagnosisText.failure(findings) { throw failure }
    }

    private func findings(on console: Console) async throws -> [SetUpFinding] {
        guard let file = application.infoPlist else {
            return Diagnosis.findings(try await system(on: console))
        }
        return try InfoPlistFile.findings(
            application.check,
            infoPlist: file,
            entitlements: application.entitlements
        )
    }

    /// Returns the state of the system, with the adapter that the option, the environment or the
    /// system chooses.
    func system(
        on console: Console,
        reader: SystemReader = SystemReader(),
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) async throws -> SystemState {
        var system = SystemState()
        #if os(Linux)
            system = reader.read(kernel: SystemBluetooth.support)
        #else
            system.isLinux = false
        #endif
        system.choice = choice(environment, system.adapters)
        guard case .chosen(let adapter, let source) = system.choice else {
            return system
        }
        let store = try storage.choice(for: adapter, environment: environment)
        system.store = StoreDiagnosis.examine(store, reader)
        // The probe skips a default adapter, because another process may be using it, and the
        // daemon, which gives no access to its controller.
        if case .daemon = adapter { return system }
        guard !noProbe, source != .system else { return system }
        let limits = StepLimits(seconds: try AdapterOptions.seconds(timeout))
        system.probe = await ChoiceDiagnosis.probe(adapter, limits, console)
        return system
    }

    private func choice(
        _ environment: [String: String],
        _ adapters: [SystemAdapter]
    ) -> SystemState.Choice {
        let source: SystemState.Choice.Source = adapter == nil ? .environment : .option
        guard let text = adapter ?? environment["LANYARD_ADAPTER"], !text.isEmpty else {
            let preferred = SystemAdapter.preferred(of: adapters)
            return preferred.map { .chosen(.reached($0.specification), .system) } ?? .none
        }
        do throws(ProgramFailure) {
            return .chosen(try AdapterChoice(commandLine: text), source)
        } catch {
            return .malformed(text, source, error)
        }
    }
}
