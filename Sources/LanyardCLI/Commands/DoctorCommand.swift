// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import HCITransports
import Lanyard
import VirtualAdapters

struct DoctorCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Says what stands in the way of Bluetooth, here or in an application.",
        discussion: """
            Looks at the adapter that is chosen, the bonds, and what the system has: its kernel, \
            adapters, radio switches, daemon and permissions. Changes nothing; but an adapter that was \
            chosen is opened and reset, which ends the links of whoever else uses it, unless there \
            is --no-probe.

            With --info-plist it looks at an application instead.

            Ends with 0 if nothing stands in the way, and with 78 if something does.
            """
    )

    @Option(
        help: ArgumentHelp(
            "The adapter that is to be used.",
            discussion: """
                Without this option, LANYARD_ADAPTER says which; or it is the first of the system's \
                that may be taken.
                """,
            valueName: "adapter"
        )
    )
    var adapter: String?

    @OptionGroup var storage: StoreOptions

    @Flag(help: "Do not open the adapter.")
    var noProbe = false

    @Option(help: ArgumentHelp("How long the adapter may take (4).", valueName: "seconds"))
    var timeout: Double?

    @OptionGroup var application: InfoPlistOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run(on console: Console) async throws {
        guard !application.isInVain else {
            throw ProgramFailure.usage(
                "there is no application to look at",
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
            return Diagnosis(of: try await surroundings(on: console)).findings
        }
        return try InfoPlistFile.findings(
            application.check,
            infoPlist: file,
            entitlements: application.entitlements
        )
    }

    /// What there is to be seen, from the environment of this process.
    func surroundings(
        on console: Console,
        reader: SystemReader = SystemReader(),
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) async throws -> Surroundings {
        var surroundings = Surroundings()
        #if os(Linux)
            surroundings = reader.read(kernel: SystemBluetooth.support)
        #else
            surroundings.isLinux = false
        #endif
        surroundings.choice = choice(environment, surroundings.adapters)
        guard case .chosen(let adapter, let source) = surroundings.choice else {
            return surroundings
        }
        let store = try storage.choice(for: adapter, environment: environment)
        surroundings.store = StoreExamination(choice: store, reader: reader).result()
        // What nobody has chosen is not taken from whoever may have it.
        guard !noProbe, source != .system else { return surroundings }
        let limits = StepLimits(seconds: try AdapterOptions.seconds(timeout))
        surroundings.probe = await AdapterProbe(adapter: adapter, limits: limits).result(console)
        return surroundings
    }

    private func choice(
        _ environment: [String: String],
        _ adapters: [SystemAdapter]
    ) -> Surroundings.Choice {
        let source: Surroundings.Choice.Source = adapter == nil ? .environment : .option
        guard let text = adapter ?? environment["LANYARD_ADAPTER"], !text.isEmpty else {
            let preferred = SystemAdapter.preferred(of: adapters)
            return preferred.map { .chosen(.reached($0.specification), .system) } ?? .none
        }
        do throws(ProgramFailure) {
            return .chosen(try AdapterChoice(said: text), source)
        } catch {
            return .malformed(text, source, error)
        }
    }
}
