// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A peer process that has printed `ready`.
struct Peer: Sendable {
    /// The time that a peer may take to become ready. Python processes on a busy machine take
    /// minutes.
    static let readyLimit: Duration = .seconds(180)

    let process: ChildProcess

    /// The facts in the process's ready line.
    let facts: JSON

    /// Starts a peer and waits for its ready line.
    init(
        _ executable: String,
        _ arguments: [String],
        within limit: Duration = Self.readyLimit
    ) async throws {
        process = try await onOwnThread { try Self.process(executable, arguments) }
        let line = try await process.nextLine(within: limit)
        guard let line, let facts = try Self.facts(in: line) else {
            process.kill()
            throw ProcessError.ended("\(executable) did not become ready", log: process.log)
        }
        self.facts = facts
    }

    /// Starts a process. On Linux, a Python script starts as a copy of the fork server.
    private static func process(
        _ executable: String,
        _ arguments: [String]
    ) throws -> ChildProcess {
        #if os(Linux)
            if executable == PeerInstallation.python {
                return try ChildProcess(copying: PeerInstallation.forkServer, arguments)
            }
        #endif
        return try ChildProcess(executable, arguments)
    }

    /// Returns the content of a ready line: `ready {…}`, or the event with that name in the format
    /// of `lanyard air`.
    private static func facts(in line: String) throws -> JSON? {
        if line.hasPrefix("ready ") {
            return try JSON(parsing: String(line.dropFirst("ready ".count)))
        }
        let event = try JSON(parsing: line)
        return event["event"] == .string("ready") ? event : nil
    }
}

/// Controllers on one simulated radio.
struct Controllers: Sendable {
    let process: ChildProcess

    /// One adapter for each host, in the format of `--adapter`.
    let adapters: [String]
}

/// A running accessory.
struct Accessory: Sendable {
    /// The database of an accessory; see Peers/README.md.
    enum Profile: String, Sendable {
        case demo, large, stream, walker
    }

    let process: ChildProcess

    /// The accessory's own description, which `lanyard explore --json` must print.
    let database: JSON

    var address: String { database["address"].text ?? "" }

    /// The name that the accessory advertises.
    var name: String { database["name"].text ?? "" }

    /// Waits until the accessory has stored the keys of a pairing. Bumble drops the keys if it learns
    /// of the end of the link first.
    func waitForKeys() async throws {
        _ = try await process.awaitLine("paired ")
    }
}

extension ChildProcess {
    /// Waits for a line with this prefix, and drops the lines before it.
    func awaitLine(_ beginning: String) async throws -> String {
        var dropped = ""
        while let line = try await nextLine(within: PeerHarness.limit) {
            if line.hasPrefix(beginning) { return line }
            dropped += line + "\n"
        }
        throw ProcessError.ended("the process ended before '\(beginning)'", log: dropped)
    }
}

/// A wire to a controller that fails once; see Peers/relay.py.
struct Relay: Sendable {
    /// The failure at the chosen point.
    enum Break: String, Sendable {
        /// The connection to the controller closes.
        case close
        /// The controller sends nothing more.
        case hang
        /// No data passes to the host until `release()`, while the test acts.
        case hold
    }

    let process: ChildProcess

    /// The host's end.
    let adapter: String

    /// Waits until the point is reached.
    func reached(within limit: Duration) async throws {
        while let line = try await process.nextLine(within: limit) {
            if line == "reached" { return }
        }
        throw ProcessError.ended("the relay ended", log: process.log)
    }

    /// Lets a held wire carry data again.
    func release() {
        process.send(signal: SIGUSR1)
    }

    /// Waits until the next connection has ended. Returns how many bytes passed to the host.
    func passed(within limit: Duration) async throws -> Int {
        while let line = try await process.nextLine(within: limit) {
            let words = line.split(separator: " ")
            if words.first == "passed", let count = words.last.flatMap({ Int($0) }) { return count }
        }
        throw ProcessError.ended("the relay ended", log: process.log)
    }
}

/// The peers of one test. They end with `withPeers`, even if the test fails.
final class PeerGroup: Sendable {
    private let processes = Mutex<[ChildProcess]>([])

    /// Starts controllers for `count` hosts.
    ///
    /// A kind that makes a new controller for each connection gives all hosts the same adapter.
    func controllers(
        _ kind: ControllerKind,
        count: Int = 2,
        endpoint: String = "tcp:0"
    ) async throws -> Controllers {
        let endpointCount = kind == .bumble ? count : 1
        let endpoints = [String](repeating: endpoint, count: endpointCount)
        let served = try await controllers(kind, endpoints: endpoints)
        let adapters = (0..<count).map { served.adapters[$0 % served.adapters.count] }
        return Controllers(process: served.process, adapters: adapters)
    }

    /// Starts controllers at these endpoints, which earlier controllers may have used.
    func controllers(_ kind: ControllerKind, endpoints: [String]) async throws -> Controllers {
        let peer = try await start(kind.executable, kind.arguments(endpoints: endpoints))
        let names = kind == .lanyard ? peer.facts["listen"] : peer.facts["adapters"]
        let adapters = names.elements.compactMap(\.text)
        return Controllers(process: peer.process, adapters: adapters)
    }

    /// Starts an accessory. `accessory.py --help` lists more options.
    func accessory(
        _ profile: Accessory.Profile,
        on adapter: String,
        name: String = "Lanyard Demo",
        address: String = "F1:A0:00:00:00:01",
        options: [String] = []
    ) async throws -> Accessory {
        let script = PeerInstallation.scripts + "accessory.py"
        let settings = [
            "--adapter", adapter, "--profile", profile.rawValue, "--name", name,
            "--address", address,
        ]
        let peer = try await start(PeerInstallation.python, [script] + settings + options)
        return Accessory(process: peer.process, database: peer.facts)
    }

    /// Starts a Bumble client, which waits for commands.
    func client(
        on adapter: String,
        address: String = Client.address(at: 0).description
    ) async throws -> Client {
        let script = PeerInstallation.scripts + "client.py"
        let settings = ["--adapter", adapter, "--address", address]
        let peer = try await start(PeerInstallation.python, [script] + settings)
        return Client(process: peer.process)
    }

    /// Puts a wire before an adapter. The wire fails when `point` bytes have passed to the host.
    func relay(
        to adapter: String,
        at point: Int? = nil,
        do break: Relay.Break = .hold
    ) async throws -> Relay {
        let script = PeerInstallation.scripts + "relay.py"
        let breaking = point.map { ["--at", "\($0)", "--do", `break`.rawValue] } ?? []
        let peer = try await start(PeerInstallation.python, [script, "--to", adapter] + breaking)
        let adapters = peer.facts["adapters"].elements.compactMap(\.text)
        return Relay(process: peer.process, adapter: adapters.first ?? "")
    }

    /// Starts a peer that ends with the group.
    func start(
        _ executable: String,
        _ arguments: [String],
        within limit: Duration = Peer.readyLimit
    ) async throws -> Peer {
        let peer = try await Peer(executable, arguments, within: limit)
        processes.withLock { $0.append(peer.process) }
        return peer
    }

    fileprivate func end(printingLogs: Bool) {
        let ended = processes.withLock { processes in
            defer { processes = [] }
            return processes
        }
        for process in ended.reversed() {
            process.kill()
            if printingLogs { print(process.log.suffix(4000)) }
        }
    }
}

/// Gives `body` a group of peers that ends afterward. If `body` throws, the ends of the peers'
/// logs are printed.
///
/// The function waits while too many other groups run. Do not call it within `body`.
func withPeers<Value>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (PeerGroup) async throws -> Value
) async throws -> Value {
    await AsyncSemaphore.peers.wait()
    defer { AsyncSemaphore.peers.signal() }
    let group = PeerGroup()
    do {
        let value = try await body(group)
        group.end(printingLogs: false)
        return value
    } catch {
        group.end(printingLogs: true)
        throw error
    }
}
