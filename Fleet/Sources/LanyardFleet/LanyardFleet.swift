// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreBluetooth
import Foundation
import HCITransports
import JSONText
import Lanyard
import Logging
import ServiceLifecycle
import Tracing

@main
struct LanyardFleet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lanyard-fleet",
        abstract: "Publish Bluetooth accessories to an MQTT broker, and execute commands for them.",
        discussion: """
            The file describes the accessories (docs/FLEET.md). Several hosts may share a broker and \
            a file: each accessory then belongs to one host at a time. Each option except \
            --settings may also be a variable of the environment, such as LANYARD_FLEET_NAME, or a \
            key of the file of --settings. The password of --user is LANYARD_FLEET_PASSWORD, or in \
            that file.
            """
    )

    @Argument(help: ArgumentHelp("The description of the accessories.", valueName: "file"))
    var accessories: String?
    @Option(help: ArgumentHelp("A JSON file with settings.", valueName: "file"))
    var settings: String?
    @Option(help: ArgumentHelp("The name of this host.", valueName: "name"))
    var name: String?
    @Option(help: ArgumentHelp("The address of the broker.", valueName: "host:port"))
    var broker: String?
    @Option(help: ArgumentHelp("The certificates of the broker's authority.", valueName: "file"))
    var authority: String?
    @Flag(help: "Connect without TLS. Only for a broker on this machine.")
    var withoutTLS = false
    @Option(help: ArgumentHelp("This host's certificate.", valueName: "file"))
    var certificate: String?
    @Option(help: ArgumentHelp("The key of the certificate.", valueName: "file"))
    var key: String?
    @Option(help: ArgumentHelp("The user at the broker.", valueName: "name"))
    var user: String?
    @Option(
        help: ArgumentHelp("The version of MQTT, 5 (the default) or 3.1.1.", valueName: "version")
    )
    var mqtt: String?
    @Option(
        help: ArgumentHelp(
            "The first levels of all topics; 'lanyard' by default.",
            valueName: "topic"
        )
    )
    var prefix: String?
    @Option(
        help: ArgumentHelp("The folder of the queue and of the accessories.", valueName: "folder")
    )
    var state: String?
    @Option(help: ArgumentHelp("The Bluetooth adapter.", valueName: "adapter"))
    var adapter: String?
    @Option(
        help: ArgumentHelp("Serve metrics for Prometheus at this address.", valueName: "host:port")
    )
    var metrics: String?
    @Option(
        help: ArgumentHelp("Append spans to this file, for OpenTelemetry.", valueName: "file")
    )
    var spans: String?

    private var arguments: [FleetSettings.Key: String] {
        let options: [FleetSettings.Key: String?] = [
            .accessories: accessories, .name: name, .broker: broker, .authority: authority,
            .withoutTLS: withoutTLS ? "true" : nil, .certificate: certificate, .key: key,
            .user: user, .mqtt: mqtt, .prefix: prefix, .state: state, .adapter: adapter,
            .metrics: metrics, .spans: spans,
        ]
        return options.compactMapValues(\.self)
    }

    func run() async throws {
        ClosedStreams.replace()
        signal(SIGPIPE, SIG_IGN)
        let settings: FleetSettings
        do throws(SettingsError) {
            settings = try await FleetSettings(
                arguments: arguments,
                environment: ProcessInfo.processInfo.environment,
                file: self.settings
            )
        } catch {
            throw ValidationError(error.description)
        }
        let description: FleetDescription
        do {
            description = try FleetDescription(
                parsing: String(contentsOfFile: settings.accessories, encoding: .utf8)
            )
        } catch {
            throw ValidationError("Cannot read \(settings.accessories): \(error)")
        }
        let registry = PrometheusRegistry(meanings: FleetMetrics.meanings)
        let tracer: any Tracer =
            if let file = settings.spans { try SpanFile(file) } else { NoOpTracer() }
        let driver = try FleetDriver(
            settings,
            description,
            telemetry: .init(metrics: FleetMetrics(factory: registry), tracer: tracer),
            log: { remark($0) }
        )
        // The services end in the reverse order.
        var services: [any Service] = [driver]
        if let address = settings.metrics {
            let server = MetricsServer(address: address, registry: registry, log: { remark($0) })
            services.insert(server, at: 0)
        }
        let group = ServiceGroup(
            services: services,
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: Logger(label: "lanyard-fleet") { _ in SwiftLogNoOpLogHandler() }
        )
        try await group.run()
    }
}

/// Writes a line to standard error. Without a reader of standard error, the line is lost.
@Sendable func remark(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data("lanyard-fleet: \(text)\n".utf8))
}
