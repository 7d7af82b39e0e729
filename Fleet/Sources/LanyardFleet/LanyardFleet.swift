// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreBluetooth
import Foundation
import JSONText
import Lanyard

@main
struct LanyardFleet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lanyard-fleet",
        abstract: "Publish Bluetooth accessories to an MQTT broker, and execute commands for them.",
        discussion: """
            The file describes the accessories (docs/FLEET.md). Several hosts may share a broker and \
            a file: each accessory then belongs to one host at a time. The password of --user is \
            read from the environment variable LANYARD_FLEET_PASSWORD.
            """
    )

    @Argument(help: ArgumentHelp("The description of the accessories.", valueName: "file"))
    var file: String
    @Option(help: ArgumentHelp("The name of this host.", valueName: "name"))
    var name: String
    @Option(help: ArgumentHelp("The address of the broker.", valueName: "host:port"))
    var broker: String
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
    @Option(help: ArgumentHelp("The version of MQTT, 5 or 3.1.1.", valueName: "version"))
    var mqtt = BrokerOptions.Version.v5
    @Option(help: ArgumentHelp("The first level of all topics.", valueName: "topic"))
    var prefix = "lanyard"
    @Option(
        help: ArgumentHelp("The folder of the queue and of the accessories.", valueName: "folder")
    )
    var state: String
    @Option(help: ArgumentHelp("The Bluetooth adapter.", valueName: "adapter"))
    var adapter: String?

    func validate() throws {
        guard FleetTopics.isLevel(name) else {
            throw ValidationError(
                "'\(name)' is not a valid name: use 1 to 64 letters, digits, '-' and '_'."
            )
        }
        guard
            prefix.split(separator: "/", omittingEmptySubsequences: false)
                .allSatisfy({ FleetTopics.isLevel(String($0)) })
        else { throw ValidationError("'\(prefix)' is not a valid topic.") }
        guard withoutTLS != (authority != nil) else {
            throw ValidationError("Use either --authority or --without-tls.")
        }
        guard (certificate == nil) == (key == nil) else {
            throw ValidationError("Use --certificate and --key together.")
        }
        _ = try address
    }

    private var address: (host: String, port: UInt16) {
        get throws {
            guard let colon = broker.lastIndex(of: ":"), colon != broker.startIndex,
                let port = UInt16(broker[broker.index(after: colon)...])
            else { throw ValidationError("'\(broker)' is not an address: use HOST:PORT.") }
            return (String(broker[..<colon]), port)
        }
    }

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        let description: FleetDescription
        do {
            description = try FleetDescription(
                parsing: String(contentsOfFile: file, encoding: .utf8)
            )
        } catch {
            throw ValidationError("Cannot read \(file): \(error)")
        }
        let topics = FleetTopics(prefix: prefix, host: name)
        let (host, port) = try address
        let options = BrokerOptions(
            host: host,
            port: port,
            version: mqtt,
            authority: authority,
            certificate: certificate,
            key: key,
            user: user,
            password: ProcessInfo.processInfo.environment["LANYARD_FLEET_PASSWORD"],
            client: "lanyard-fleet-\(name)",
            will: (topics.hostStatus, FleetCore.offline)
        )
        let driver = try FleetDriver(
            core: FleetCore(topics: topics, description: description),
            folder: state,
            configuration: { [state, adapter] accessory in
                var configuration = AccessoryCentral.Configuration(name: "fleet-\(accessory)")
                let file = URL(fileURLWithPath: "\(state)/accessory-\(accessory).json")
                configuration.store = FileAccessoryStore(file)
                if let adapter { configuration.adapter = CBAdapter(adapter) }
                return configuration
            },
            log: { remark($0) }
        )
        let task = Task { try await driver.run(options, accessories: description.accessories) }
        let interruptions = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { task.cancel() }
            source.resume()
            return source
        }
        defer { interruptions.forEach { $0.cancel() } }
        try await task.value
    }
}

extension BrokerOptions.Version: ExpressibleByArgument {}

/// Writes a line to standard error.
@Sendable func remark(_ text: String) {
    FileHandle.standardError.write(Data("lanyard-fleet: \(text)\n".utf8))
}
