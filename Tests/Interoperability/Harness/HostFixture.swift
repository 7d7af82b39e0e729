// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import HCITransports
import Testing

/// Our host and accessories on one simulated radio, with a trace of all packets of our host.
struct HostFixture: Sendable {
    /// The time limit for a step, on a busy machine.
    static let limit: Duration = .seconds(90)

    let kind: ControllerKind
    let peers: PeerGroup

    /// One adapter for our host, then one for each accessory.
    let controllers: Controllers

    let host: BluetoothHost

    /// The wire between our host and its controller.
    let wire: WatchedTransport

    /// Starts the only accessory, or the accessory at `place`.
    func accessory(
        _ profile: Accessory.Profile,
        at place: Int = 0,
        options: [String] = []
    ) async throws -> Accessory {
        try await peers.accessory(
            profile,
            on: controllers.adapters[1 + place],
            name: place == 0 ? "Lanyard Demo" : "Lanyard \(place + 1)",
            address: Self.address(at: place).description,
            options: options
        )
    }

    /// Returns the address of the accessory at `place`, also before it starts.
    static func address(at place: Int = 0) -> DeviceAddress {
        DeviceAddress(value: 0xF1A0_0000_0001 + UInt64(place), kind: .random)
    }

    /// Starts controllers in place of those that were killed.
    func restartControllers() async throws -> Controllers {
        try await peers.controllers(kind, endpoints: controllers.adapters)
    }

    /// Waits until the state of the adapter satisfies the condition.
    func waitForState(
        _ what: String,
        where condition: @escaping @Sendable (AdapterState) -> Bool
    ) async throws {
        try await within(Self.limit, what) { [host] in
            for await state in host.states where condition(state) { return }
        }
    }

    /// Connects to the accessory at `place`.
    func connect(at place: Int = 0, _ options: ConnectOptions = ConnectOptions()) async throws
        -> Link
    {
        var options = options
        if options.timeout != nil { options.timeout = Self.limit }
        let (host, address) = (host, Self.address(at: place))
        // A pending connection request may begin before the accessory's process.
        let limit = options.timeout == nil ? Peer.readyLimit * 2 : Self.limit * 2
        return try await within(limit, "a link") { [options] in
            try await host.connect(to: address, options: options)
        }
    }

    /// Starts an accessory and connects to it.
    func link(
        to profile: Accessory.Profile = .demo,
        options: [String] = []
    ) async throws -> (Link, Accessory) {
        let accessory = try await accessory(profile, options: options)
        return (try await connect(), accessory)
    }
}

/// Gives `body` a fixture on controllers of a kind, with room for this many accessories.
///
/// Afterward our host shuts down, the peers end, and Wireshark, if it is installed, checks the trace.
///
/// - Parameters:
///   - hasFixedEndpoints: Whether the controllers have addresses that outlive them, so that other
///     controllers can take their place.
///   - judged: The side whose packets Wireshark checks.
func withHostFixture(
    on kind: ControllerKind,
    accessoryLimit: Int = 1,
    hasFixedEndpoints: Bool = false,
    judging judged: Trace.Sides = .both,
    configuration: HostConfiguration = HostConfiguration(),
    at location: SourceLocation = #_sourceLocation,
    _ body: (HostFixture) async throws -> Void
) async throws {
    let trace = Trace()
    defer {
        for place in 0...accessoryLimit { unlink("\(trace.path).\(place)") }
    }
    let count = try await withPeers { peers in
        let endpoints = (0...accessoryLimit).map { place in
            hasFixedEndpoints ? "unix:\(trace.path).\(place)" : "tcp:0"
        }
        let controllers = try await peers.controllers(kind, endpoints: endpoints)
        let adapter = try AdapterSpecification(controllers.adapters[0])
        let transport = WatchedTransport(
            wrapping: try TracingTransport(wrapping: adapter.makeTransport(), path: trace.path)
        )
        let host = BluetoothHost(transport: transport, configuration: configuration)
        do {
            try await host.start()
            try await body(
                HostFixture(
                    kind: kind,
                    peers: peers,
                    controllers: controllers,
                    host: host,
                    wire: transport
                )
            )
        } catch {
            trace.keep()
            await host.shutdown()
            throw error
        }
        await host.shutdown()
        return transport.count
    }
    if Dissection.isPossible {
        try await trace.expectWellFormed(count: count, of: judged, at: location)
    }
}

extension Trait where Self == ConditionTrait {
    /// The test runs on RootCanal's controllers.
    static var needsRootCanal: Self {
        .enabled(
            if: ControllerKind.available.contains(.rootCanal),
            "RootCanal's controllers do not run on this machine"
        )
    }
}
