// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import HCITransports
import VirtualRadio

/// A server that connects hosts of any kind to a live air: every connection to its sockets gets its
/// own controller while it lasts.
///
/// The server disconnects a host that reads too slowly, because its transport's buffer is limited.
///
/// `@unchecked Sendable`: all mutable state is used only on the air's thread, as `air.world`
/// checks.
public final class AirServer: @unchecked Sendable {
    /// The maximum number of connected hosts. Further hosts are refused.
    public static let connectionLimit = 256

    /// An event of the server.
    public enum Event: Sendable {
        /// A host has connected and has the controller of this name.
        case connected(host: String, controller: String)
        /// A host has disconnected. The error is `nil` if the host or the server closed the
        /// connection.
        case disconnected(host: String, controller: String, TransportError?)
        /// A host was refused, because there are too many hosts, the world is full, or the server
        /// has stopped.
        case refused
    }

    /// A connected host.
    private struct Client {
        let transport: any HCITransport
        let controller: ControllerID
        /// The x coordinate in meters of a controller that the server created; `nil` for a
        /// permanent controller.
        let x: Int?
        let name: String
    }

    private let air: LiveAir
    private let report: @Sendable (Event) -> Void
    /// The controllers that existed before the hosts connected, and stay when they disconnect.
    private let permanent: Set<ControllerID>
    /// The permanent controllers without a host, in the order in which hosts get them.
    private var waiting: [ControllerID]
    private var clients: [Int: Client] = [:]
    private var clientCount = 0
    /// The servers that listen; `nil` after `stop()`.
    private let servers = Lock<[any Listening]?>([])

    /// Creates a server that does not listen yet.
    ///
    /// - Parameters:
    ///   - air: The air of the controllers.
    ///   - waiting: Controllers of the world that hosts get first, in this order. The server
    ///     switches a controller off when its host disconnects, and a later host gets it. When
    ///     none is left, the server creates controllers.
    ///   - report: A closure that receives the events, on the air's thread.
    public init(
        _ air: LiveAir,
        waiting: [ControllerID] = [],
        report: @escaping @Sendable (Event) -> Void
    ) {
        self.air = air
        self.waiting = waiting
        permanent = Set(waiting)
        self.report = report
    }

    /// Begins to listen at the address. May be called for several addresses.
    ///
    /// - Precondition: The address is a TCP or Unix socket.
    /// - Returns: The address. Port 0 becomes the port that the system chose.
    /// - Throws: ``TransportError`` if the server cannot listen at the address, and
    ///   `TransportError.cancelled` if `stop()` was called.
    public func listen(
        at address: AdapterSpecification
    ) async throws(TransportError) -> AdapterSpecification {
        let accepted: @Sendable (any HCITransport) -> Void = { [self] in accept($0) }
        switch address {
        case .tcp(let host, let port):
            let server = TCPServer(host: host, port: port)
            let port = try await server.start(on: air.executor, accepted: accepted)
            try await add(server)
            return .tcp(host: host, port: port)
        case .unix(let path):
            let server = UnixServer(path: path)
            try await server.start(on: air.executor, accepted: accepted)
            try await add(server)
            return address
        case .hci, .hciAddress, .serial, .gateway:
            preconditionFailure("\(address) is not a socket for listening")
        }
    }

    /// Stores a server that listens. If `stop()` was called while it started, stops it again.
    private func add(_ server: any Listening) async throws(TransportError) {
        let isKept = servers.withLock { servers in
            servers?.append(server)
            return servers != nil
        }
        guard !isKept else { return }
        await server.stop()
        throw .cancelled
    }

    private var isStopped: Bool { servers.withLock { $0 == nil } }

    /// Stops listening, and closes all connections. The server cannot listen again.
    public func stop() async {
        let stopped = servers.withLock { servers in
            defer { servers = nil }
            return servers ?? []
        }
        for server in stopped { await server.stop() }
        await air.perform { [self] _ in
            for client in clients.values { client.transport.close() }
        }
    }
}

// MARK: - Hosts

extension AirServer {
    /// Handles a new connection.
    private func accept(_ transport: any HCITransport) {
        air.catchUp()
        guard !isStopped, clients.count < Self.connectionLimit,
            let (controller, x) = takeController()
        else { return report(.refused) }
        clientCount += 1
        let number = clientCount
        clients[number] = Client(
            transport: transport,
            controller: controller,
            x: x,
            name: transport.name
        )
        let air = air
        air.world.attach(controller) { transport.send([$0]) }
        let label = air.world.name(of: controller)
        report(.connected(host: transport.name, controller: label))
        Task(preferring: air.executor) { [self] in
            do throws(TransportError) {
                try await transport.open(on: air.executor) { [self] in receive($0, from: number) }
                air.executor.perform { [self] in if isStopped { transport.close() } }
            } catch {
                air.executor.perform { [self] in receive(.closed(error), from: number) }
            }
        }
    }

    private func receive(_ event: TransportEvent, from number: Int) {
        guard let client = clients[number] else { return }
        switch event {
        case .received(let bytes): air.send(Array(bytes), to: client.controller)
        case .closed(let error): connectionClosed(of: number, error)
        }
    }

    private func connectionClosed(of number: Int, _ error: TransportError?) {
        guard let client = clients.removeValue(forKey: number) else { return }
        air.catchUp()
        let label = air.world.name(of: client.controller)
        report(.disconnected(host: client.name, controller: label, Self.fault(error)))
        giveBack(client.controller)
        air.catchUpAtTurnEnd()
    }

    /// Returns the error, unless the host closed the connection, which is not an error.
    private static func fault(_ error: TransportError?) -> TransportError? {
        if case .closedByPeer = error { nil } else { error }
    }
}

// MARK: - Controllers

extension AirServer {
    /// Returns a controller for a new host; `nil` if the world is full.
    private func takeController() -> (ControllerID, x: Int?)? {
        guard waiting.isEmpty else {
            let controller = waiting.removeFirst()
            air.world.switchOn(controller)
            return (controller, nil)
        }
        // The controllers that the server creates are on the x axis, one meter apart. A new host
        // gets the first free place.
        let taken = Set(clients.values.compactMap(\.x))
        guard let x = (0..<Self.connectionLimit).first(where: { !taken.contains($0) }) else {
            return nil
        }
        let configuration = ControllerConfiguration(
            name: "host \(clientCount + 1)",
            at: Position(x: Double(x), y: 0)
        )
        return (try? air.world.addController(configuration)).map { ($0, x) }
    }

    /// Removes the controller of a host that has disconnected, or keeps it for a later host if it
    /// is permanent.
    private func giveBack(_ controller: ControllerID) {
        guard permanent.contains(controller) else { return air.remove(controller) }
        air.world.attach(controller) { _ in }
        air.switchOff(controller)
        waiting.append(controller)
    }
}

/// The interface that the servers of HCITransports share.
private protocol Listening: Sendable {
    func stop() async
}

extension TCPServer: Listening {}
extension UnixServer: Listening {}
