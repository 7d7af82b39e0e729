// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import GatewayProtocol

/// A gateway, the host's connection to it, and the network in between, without I/O.
///
/// Both sides run the protocol of real gateways: `GatewayCore` on the gateway, and `GatewayClient`
/// on the host. The lease is the right of one host to use the controller. TLS is left out, because it
/// changes neither the order nor the content of the packets.
struct GatewayModel {
    enum Effect {
        /// The host has the lease.
        case granted
        /// The host's connection could not be made, or has ended. The reason is `nil` if the host
        /// closed it.
        case ended(String?)
        /// Packets for the host.
        case deliver([UInt8])
        case openController
        case control([[UInt8]])
        case closeController
        case log(String)
    }

    /// The host's present connection.
    private struct HostConnection {
        let connection: Int
        /// `nil` until the connection is established.
        var client: GatewayClient?
        /// The time at which the attempt ends.
        var limit: Instant?
    }

    /// The time in which a new connection must get the lease.
    private static let connectLimit = Duration.seconds(10)

    private let name: String
    private var core: GatewayCore
    private(set) var isOn = true
    private var host: HostConnection?
    private var lastConnection = 0
    private var toGateway: NetworkPath
    private var toHost: NetworkPath

    init(name: String, _ conditions: NetworkConditions, seed: UInt64) {
        self.name = name
        core = GatewayCore(name: name)
        toGateway = NetworkPath(conditions, seed: seed)
        toHost = NetworkPath(conditions, seed: seed ^ 1)
    }

    var isLeased: Bool { core.owner != nil }
    var isCut: Bool { toGateway.isCut }
    /// Whether the host has a connection, or makes one.
    var isInUse: Bool { host != nil }
}

// The host's side.
extension GatewayModel {
    mutating func connect(now: Instant) {
        lastConnection += 1
        host = HostConnection(connection: lastConnection, limit: now + Self.connectLimit)
        send(.beginning, on: lastConnection, now: now)
    }

    mutating func hostSent(_ bytes: [UInt8], now: Instant) -> [Effect] {
        perform(host?.client?.hostSent(bytes, now: now) ?? [], now: now)
    }

    /// Ends the host's connection, for a reason or without one.
    mutating func disconnect(_ reason: String?, now: Instant) -> [Effect] {
        guard let ended = host else { return [] }
        host = nil
        send(.end, on: ended.connection, now: now)
        return [.ended(reason)]
    }

    private mutating func send(_ content: NetworkPath.Item.Content, on id: Int, now: Instant) {
        toGateway.send(.init(connection: id, content: content), now: now)
    }

    private mutating func perform(
        _ actions: [GatewayClient.Action],
        now: Instant
    ) -> [Effect] {
        var effects: [Effect] = []
        for action in actions {
            guard let connection = host?.connection else { break }
            switch action {
            case .send(let bytes): send(.bytes(bytes), on: connection, now: now)
            case .granted:
                host?.limit = nil
                effects.append(.granted)
            case .deliver(let bytes):
                effects.append(.deliver(bytes))
                // The host takes packets at once.
                let credit = host?.client?.consumed(bytes.count, now: now) ?? []
                effects += perform(credit, now: now)
            case .end(let reason): effects += disconnect(reason, now: now)
            }
        }
        return effects
    }

    private mutating func arrivedAtHost(_ item: NetworkPath.Item, now: Instant) -> [Effect] {
        guard item.connection == host?.connection else { return [] }
        switch item.content {
        case .beginning:
            var client = GatewayClient(.lease, now: now)
            let actions = client.begin(now: now)
            host?.client = client
            return perform(actions, now: now)
        case .bytes(let bytes):
            return perform(host?.client?.received(bytes, now: now) ?? [], now: now)
        case .end: return disconnect("the gateway has closed the connection", now: now)
        }
    }
}

// The gateway's side.
extension GatewayModel {
    mutating func controllerOpened(now: Instant) -> [Effect] {
        perform(core.controllerOpened(now: now), now: now)
    }

    mutating func controllerEnded(_ reason: String?, now: Instant) -> [Effect] {
        perform(core.controllerEnded(reason, now: now), now: now)
    }

    mutating func controllerSent(_ bytes: ArraySlice<UInt8>, now: Instant) -> [Effect] {
        perform(core.controllerSent(bytes, now: now), now: now)
    }

    /// Switches the gateway off or on. Without power, the gateway loses its state. A connection
    /// that the host still tries to make reaches the gateway afterward, because TCP repeats the
    /// request.
    mutating func setPower(_ isOn: Bool, now: Instant) {
        guard isOn != self.isOn else { return }
        self.isOn = isOn
        core = GatewayCore(name: name)
        toGateway.drop()
        toHost.drop()
        if isOn, let host, host.client == nil { send(.beginning, on: host.connection, now: now) }
    }

    mutating func setCut(_ isCut: Bool, now: Instant) {
        toGateway.setCut(isCut, now: now)
        toHost.setCut(isCut, now: now)
    }

    private mutating func arrivedAtGateway(_ item: NetworkPath.Item, now: Instant) -> [Effect] {
        guard isOn else { return [] }
        let id = item.connection
        switch item.content {
        case .beginning:
            toHost.send(item, now: now)
            let actions = core.connected(id, from: "host", .host("host"), now: now)
            return perform(actions, now: now)
        case .bytes(let bytes): return perform(core.received(bytes, on: id, now: now), now: now)
        case .end: return perform(core.disconnected(id, now: now), now: now)
        }
    }

    private mutating func perform(_ actions: [GatewayCore.Action], now: Instant) -> [Effect] {
        var effects: [Effect] = []
        for action in actions {
            switch action {
            case .send(let id, let bytes):
                toHost.send(.init(connection: id, content: .bytes(bytes)), now: now)
            case .close(let id): toHost.send(.init(connection: id, content: .end), now: now)
            case .openController: effects.append(.openController)
            case .control(let packets): effects.append(.control(packets))
            case .closeController: effects.append(.closeController)
            case .check(let id, _, _):
                // No host enrolls in this building.
                effects += perform(core.secretChecked(id, isValid: false, now: now), now: now)
            case .log(let text): effects.append(.log(text))
            }
        }
        return effects
    }
}

// Time.
extension GatewayModel {
    var nextDeadline: Instant? {
        var soonest = earliest(toGateway.nextArrival, toHost.nextArrival)
        soonest = earliest(soonest, earliest(host?.client?.nextDeadline, host?.limit))
        return isOn ? earliest(soonest, core.nextDeadline) : soonest
    }

    /// Handles everything that is due.
    mutating func advance(now: Instant) -> [Effect] {
        var effects: [Effect] = []
        while let item = toGateway.receive(now: now) {
            effects += arrivedAtGateway(item, now: now)
        }
        while let item = toHost.receive(now: now) { effects += arrivedAtHost(item, now: now) }
        if let deadline = host?.client?.nextDeadline, deadline <= now {
            effects += perform(host?.client?.deadlinePassed(now: now) ?? [], now: now)
        }
        if let limit = host?.limit, limit <= now {
            effects += disconnect("there is no answer", now: now)
        }
        if isOn, let deadline = core.nextDeadline, deadline <= now {
            effects += perform(core.deadlinePassed(now: now), now: now)
        }
        return effects
    }
}
