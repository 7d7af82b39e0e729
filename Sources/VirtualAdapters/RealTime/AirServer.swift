// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import HCITransports
import Synchronization
import VirtualRadio

/// Lets hosts of any make onto a live air: every connection to its sockets gets a controller of its
/// own, for as long as it lasts.
///
/// A host that speaks faster than it listens is cut off: its transport holds so much and no more.
/// Unchecked: all that varies is touched on the air's thread only, as `air.world` checks.
public final class AirServer: @unchecked Sendable {
    /// How many hosts may be connected at a time; more are turned away.
    public static let connectionLimit = 256

    /// What happens at the server.
    public enum Event: Sendable {
        /// A host has come, and has the controller of this name.
        case connected(host: String, controller: String)
        /// It has gone; why, if that was not of its own will.
        case disconnected(host: String, controller: String, TransportError?)
        /// A host was turned away: there are too many, or the world is full.
        case refused
    }

    /// A host that is connected.
    private struct Guest {
        let transport: any HCITransport
        let controller: ControllerID
        let name: String
    }

    private let air: LiveAir
    private let report: @Sendable (Event) -> Void
    /// Controllers that were there before the hosts, and stay when they go.
    private let permanent: Set<ControllerID>
    /// Those of them that have no host, in the order in which hosts get them.
    private var waiting: [ControllerID]
    private var guests: [Int: Guest] = [:]
    private var guestCount = 0
    private var isStopped = false
    private let servers = Mutex<[any Listening]>([])

    /// A server that does not listen yet.
    ///
    /// - Parameters:
    ///   - waiting: Controllers of the world that hosts get first, in this order. They are switched
    ///     off when their host leaves, and the next host gets them. When none is left, controllers
    ///     are made.
    ///   - report: Called on the air's thread.
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

    /// Begins to listen where the specification says, and returns where that is: port 0 becomes the
    /// port that the system chose. May be called for several.
    ///
    /// - Precondition: it is a socket, TCP or Unix.
    public func listen(
        at address: AdapterSpecification
    ) async throws(TransportError) -> AdapterSpecification {
        let accepted: @Sendable (any HCITransport) -> Void = { [self] in welcome($0) }
        switch address {
        case .tcp(let host, let port):
            let server = TCPServer(host: host, port: port)
            let port = try await server.start(on: air.executor, accepted: accepted)
            servers.withLock { $0.append(server) }
            return .tcp(host: host, port: port)
        case .unix(let path):
            let server = UnixServer(path: path)
            try await server.start(on: air.executor, accepted: accepted)
            servers.withLock { $0.append(server) }
            return address
        case .hci, .hciAddress, .serial: preconditionFailure("\(address) is no place to listen")
        }
    }

    /// Stops to listen, and sends everybody home.
    public func stop() async {
        let servers = self.servers.withLock { servers in
            defer { servers = [] }
            return servers
        }
        for server in servers { await server.stop() }
        await air.perform { [self] _ in
            isStopped = true
            for guest in guests.values { guest.transport.close() }
        }
    }
}

// MARK: - Guests

extension AirServer {
    /// Somebody has connected.
    private func welcome(_ transport: any HCITransport) {
        air.catchUp()
        guard !isStopped, guests.count < Self.connectionLimit, let controller = takeController()
        else { return report(.refused) }
        guestCount += 1
        let number = guestCount
        guests[number] = Guest(transport: transport, controller: controller, name: transport.name)
        let air = air
        air.world.attach(controller) { transport.send([$0]) }
        let label = air.world.name(of: controller)
        report(.connected(host: transport.name, controller: label))
        // Held until the connection is closed, however that comes about.
        Task(executorPreference: air.executor.taskExecutor) { [self] in
            do throws(TransportError) {
                try await transport.open(on: air.executor) { [self] in receive($0, from: number) }
                air.executor.perform { [self] in if isStopped { transport.close() } }
            } catch {
                air.executor.perform { [self] in receive(.closed(error), from: number) }
            }
        }
    }

    private func receive(_ event: TransportEvent, from number: Int) {
        guard let guest = guests[number] else { return }
        switch event {
        case .received(let bytes): air.send(Array(bytes), to: guest.controller)
        case .closed(let error): takeLeave(of: number, error)
        }
    }

    private func takeLeave(of number: Int, _ error: TransportError?) {
        guard let guest = guests.removeValue(forKey: number) else { return }
        air.catchUp()
        let label = air.world.name(of: guest.controller)
        report(.disconnected(host: guest.name, controller: label, Self.fault(error)))
        giveBack(guest.controller)
        air.catchUpAtTurnEnd()
    }

    /// To close a connection is a host's good right.
    private static func fault(_ error: TransportError?) -> TransportError? {
        if case .closedByPeer = error { nil } else { error }
    }
}

// MARK: - Controllers

extension AirServer {
    /// A controller for a host that has come.
    private func takeController() -> ControllerID? {
        guard waiting.isEmpty else {
            let controller = waiting.removeFirst()
            air.world.switchOn(controller)
            return controller
        }
        // A metre beside the last, so that nobody sits on another's antenna.
        let position = Position(x: Double(guests.count), y: 0)
        let name = "host \(guestCount + 1)"
        return try? air.world.addController(
            ControllerConfiguration(name: name, at: position)
        )
    }

    /// Takes the controller of a host that has gone.
    private func giveBack(_ controller: ControllerID) {
        guard permanent.contains(controller) else { return air.remove(controller) }
        air.world.attach(controller) { _ in }
        air.world.switchOff(controller)
        waiting.append(controller)
    }
}

/// What the servers of HCITransports have in common.
private protocol Listening: Sendable {
    func stop() async
}

extension TCPServer: Listening {}
extension UnixServer: Listening {}
