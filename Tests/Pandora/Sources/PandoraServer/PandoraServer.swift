// SPDX-License-Identifier: Apache-2.0

// A server of Pandora, the interface with which Avatar and other test suites drive a Bluetooth
// host.
//
// `PandoraServer` starts the gRPC server. `Device` has the host under test, which a client can
// reset. `HostService` connects, advertises and scans. `SecurityService` pairs. `PairingEvents`
// passes the host's questions to the client and the client's answers to the host.
// `SecurityStorageService` looks up and deletes bonds. The server uses only public APIs, those of
// `BluetoothHost` and `HCITransports`.

import ArgumentParser
import BluetoothHost
import GRPCCore
import GRPCNIOTransportHTTP2
import HCITransports

@main
struct PandoraServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pandora-server",
        abstract: "Serve the Pandora interface for a host on one adapter.",
        discussion: """
            Prints the address of the server in one line when the host is ready. The services are Host \
            without BR/EDR, Security and SecurityStorage. The server ends when its standard input ends.
            """
    )

    @Option(
        help: "The adapter, such as hci0, tcp:HOST:PORT, unix:PATH or serial:DEVICE@SPEED.",
        transform: { try AdapterSpecification($0) }
    )
    var adapter: AdapterSpecification

    @Option(help: "The port on the loopback interface. Port 0 lets the system choose.")
    var port = 0

    @Option(
        help: "The IO capability of the host in pairing, such as display-yes-no.",
        transform: { name in
            let capability = Pairing.IOCapability.allCases.first { "\($0)" == name }
            guard let capability else {
                let names = Pairing.IOCapability.allCases.map(\.description)
                throw ValidationError("use one of \(names.joined(separator: ", "))")
            }
            return capability
        }
    )
    var ioCapability = Pairing.IOCapability.keyboardDisplay

    @Flag(help: "Log the actions of the host.")
    var verbose = false

    func validate() throws {
        guard 0...65_535 ~= port else {
            throw ValidationError("'\(port)' is not a port: use a number from 0 to 65535")
        }
    }

    func run() async throws {
        let device = Device(
            adapter: adapter,
            ioCapability: ioCapability,
            isVerbose: verbose
        )
        try await device.restart(removesBonds: true)
        let server = GRPCServer(
            transport: .http2NIOPosix(
                address: .ipv4(host: "127.0.0.1", port: port),
                transportSecurity: .plaintext
            ),
            services: [
                HostService(device: device), SecurityService(device: device),
                SecurityStorageService(device: device),
            ]
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.serve() }
            group.addTask {
                guard let address = try await server.listeningAddress?.ipv4 else { return }
                print("127.0.0.1:\(address.port)")
                flushOutput()
            }
            group.addTask {
                await endOfInput()
                await device.end()
                server.beginGracefulShutdown()
            }
            try await group.waitForAll()
        }
    }
}
