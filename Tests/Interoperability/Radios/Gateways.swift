// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import BluetoothTypes
    import Foundation
    import ProcessTestSupport
    import Synchronization
    import Testing

    @testable import HCITransports

    /// Processes of `lanyard-gateway`. The test process is enrolled with each of them as a host.
    final class Gateways: Sendable {
        /// The program, if `Scripts/test-fleet` has built it.
        static let program = ProcessInfo.processInfo.environment[GatewayProgram.variable]
        private static let limit = Duration.seconds(60)

        private let program: String
        private let folder: String
        /// A script that runs `lanyard-gateway` as the host, with its state in the test's
        /// directory.
        private let connector: String
        private let processes = Mutex<[ChildProcess]>([])
        private let networks = Mutex<[CuttableNetwork]>([])

        init(program: String) throws {
            self.program = program
            folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
            connector = folder + "/connector"
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true
            )
            try writeProgram(
                "exec '\(program)' \"$@\" --state '\(folder)/host'",
                to: connector
            )
        }

        /// Starts a gateway to a controller, enrolls with it, and returns the transport through it.
        func start(_ name: String, _ adapter: AdapterSpecification) async throws -> any HCITransport
        {
            let state = ["--state", "\(folder)/\(name)"]
            let gateway = try ChildProcess(
                program,
                ["serve", "--name", name, "--adapter", "\(adapter)", "--listen", "127.0.0.1:0"]
                    + state
            )
            processes.withLock { $0.append(gateway) }
            let line = try #require(
                try await gateway.nextLine(within: Self.limit),
                "\(gateway.log)"
            )
            let own = try #require(line.split(separator: ":").last.flatMap { UInt16($0) })
            let network = CuttableNetwork(to: own)
            networks.withLock { $0.append(network) }
            let port = try await network.start()
            let code = try await run(["code"] + state).trimmingCharacters(in: .newlines)
            _ = try await run(
                ["enroll", "127.0.0.1:\(port)", code, "--name", "pc"]
                    + ["--state", "\(folder)/host"]
            )
            return GatewayTransport(
                host: "127.0.0.1",
                port: port,
                program: GatewayProgram(path: connector)
            )
        }

        private func run(_ arguments: [String]) async throws -> String {
            let process = try ChildProcess(program, arguments)
            let (output, ending) = try await process.waitUntilEnd(within: Self.limit)
            try #require(ending == .exited(0), "\(arguments): \(process.log)")
            return output
        }

        /// The process of a gateway. The numbers are the order of the starts.
        subscript(number: Int) -> ChildProcess { processes.withLock { $0[number] } }

        /// Cuts the network to a gateway: from now on, neither side receives the other.
        func cut(_ number: Int) { networks.withLock { $0[number] }.cut() }

        func end() async {
            for network in networks.withLock({ $0 }) { await network.end() }
            for process in processes.withLock({ $0 }) { process.kill() }
            try? FileManager.default.removeItem(atPath: folder)
        }
    }

    /// The network between a host and a gateway, which a test can cut.
    private final class CuttableNetwork: Sendable {
        private let target: UInt16
        private let executor = AdapterExecutor()
        private let server = TCPServer(host: "127.0.0.1", port: 0)
        private let isCut = Mutex(false)

        init(to target: UInt16) { self.target = target }

        /// Begins to listen. Returns the port.
        func start() async throws -> UInt16 {
            try await server.start(on: executor) { [weak self] host in
                guard let self else { return }
                Task {
                    try? await self.join(host, TCPTransport(host: "127.0.0.1", port: self.target))
                }
            }
        }

        private func join(_ host: any HCITransport, _ gateway: TCPTransport) async throws {
            try await gateway.open(on: executor) { self.pass($0, to: host) }
            try await host.open(on: executor) { self.pass($0, to: gateway) }
        }

        private func pass(_ event: TransportEvent, to other: any HCITransport) {
            guard !isCut.withLock({ $0 }) else { return }
            switch event {
            case .received(let bytes): other.send([Array(bytes)])
            case .closed: other.close()
            }
        }

        func cut() { isCut.withLock { $0 = true } }

        func end() async {
            await server.stop()
            executor.shutDown()
        }
    }
#endif
