// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import VirtualRadio

/// A Peripheral that advertises, serves one Central at a time, and advertises again.
///
/// It has a GATT server and answers whatever a Central may ask. What it serves, and whether it pairs,
/// is said by its profile.
public struct SimpleAccessory: ScriptedHost {
    /// What it is.
    public private(set) var profile: AccessoryProfile

    var session = ControllerSession()
    /// Cuts frames to the controller's buffers.
    var transmitQueue = ACLTransmitQueue()
    var server: AccessoryServer
    /// The Central that is connected.
    var link: AccessoryLink?
    /// Its keys; nil if it does not pair.
    var security: AccessorySecurity?
    /// The address from which it advertises; it outlives a loss of power, as a static one may.
    var identity: AccessoryIdentity?

    /// The six digits that it shows to who is to enter or compare them; nil if it shows nothing.
    public var screen: String? { security?.screen }

    /// An accessory for one controller.
    public init(_ profile: AccessoryProfile) {
        self.profile = profile
        server = AccessoryServer(profile)
        security = profile.pairing.map(AccessorySecurity.init)
    }

    /// Starts its controller up, and itself: all that was written is forgotten, and what it shares
    /// with bonded peers is not.
    public mutating func start(now: Instant) -> [[UInt8]] {
        let kept = (security, identity)
        self = SimpleAccessory(profile)
        (security, identity) = kept
        security?.centralLeft()
        session.start(now: now)
        return session.takePackets()
    }

    /// Takes a packet of its controller.
    public mutating func receive(_ packet: [UInt8], now: Instant) -> [[UInt8]] {
        switch try? HCI.Packet(h4: packet[...]) {
        case .acl(let packet): receive(packet, now: now)
        case .event(let code, let parameters):
            guard let event = try? HCI.Event(code: code, parameters: parameters) else { break }
            if case .hardwareError = event { return start(now: now) }
            receive(event, now: now)
        default: break
        }
        return send(now: now)
    }

    /// The value of the first characteristic with the UUID, as it is now; empty if there is none.
    public func value(of uuid: BluetoothUUID) -> [UInt8] { server.values[uuid] }

    /// When it has something to send, or its controller or Central will have taken too long.
    public var nextDeadline: Instant? {
        let link = earliest(link?.nextDeadline, server.bearer.nextDeadline)
        let own = earliest(session.nextDeadline, identity?.rotation)
        return earliest(earliest(own, security?.nextDeadline), link)
    }

    /// Does something of itself, as if its person had pressed a button on it, and returns what it says to
    /// its controller. What it serves from then on, it serves after a loss of power as well.
    public mutating func perform(_ deed: AccessoryDeed, now: Instant) -> [[UInt8]] {
        switch deed {
        case .addService(let service): profile.services.append(service)
        case .removeServices(let uuid): profile.services.removeAll { $0.uuid == uuid }
        default: break
        }
        carryOut(deed, now: now)
        return send(now: now)
    }

    /// Sends what is due.
    public mutating func deadlinePassed(now: Instant) -> [[UInt8]] {
        _ = session.deadlinePassed(now: now)
        _ = link?.signalling.deadlinePassed(now: now)
        if let rotation = identity?.rotation, rotation <= now { changeAddress(now: now) }
        carryOut(security?.deadlinePassed(now: now) ?? [], now: now)
        // An indication that nobody confirms closes the bearer, and that ends the link
        // (Vol 3, Part F, 3.3.3).
        if !server.bearerDeadlinePassed(now: now) { disconnect(now: now) }
        return send(now: now)
    }

    /// Moves all that can leave into the controller's buffers.
    private mutating func send(now: Instant) -> [[UInt8]] {
        fillTransmitQueue(now: now)
        while let packet = transmitQueue.nextPacket() {
            session.sendPacket(packet)
            fillTransmitQueue(now: now)
        }
        return session.takePackets()
    }
}

// Events.
extension SimpleAccessory {
    private mutating func receive(_ event: HCI.Event, now: Instant) {
        switch event {
        case .commandComplete, .commandStatus:
            if case .ready(let capabilities) = session.receive(event, now: now) {
                controllerStarted(capabilities, now: now)
            }
        case .connectionComplete(let event):
            connectionEnded(event.status, event.connectionHandle, event.peerAddress, now: now)
        case .enhancedConnectionComplete(let event): connectionEnded(event, now: now)
        case .enhancedConnectionCompleteV2(let event):
            connectionEnded(event.connection, now: now)
        case .disconnectionComplete(let event): disconnected(event, now: now)
        case .numberOfCompletedPackets(let event):
            for link in event.completed {
                _ = transmitQueue.packetsCompleted(link.connectionHandle, count: Int(link.count))
            }
        case .longTermKeyRequest(let event): longTermKeyAsked(event, now: now)
        case .encryptionChange(let event):
            let isEncrypted = event.encryption != .off
            encryptionChanged(
                on: event.connectionHandle,
                event.status,
                isEncrypted: isEncrypted,
                now: now
            )
        case .encryptionChangeV2(let event):
            let isEncrypted = event.encryption != .off
            encryptionChanged(
                on: event.connectionHandle,
                event.status,
                isEncrypted: isEncrypted,
                now: now
            )
        case .encryptionKeyRefreshComplete(let event):
            encryptionChanged(on: event.connectionHandle, event.status, isEncrypted: true, now: now)
        case .remoteConnectionParameterRequest(let event): accept(event, now: now)
        default: break
        }
    }

    private mutating func controllerStarted(_ capabilities: ControllerCapabilities, now: Instant) {
        transmitQueue.configure(
            packetLength: capabilities.aclPacketLength,
            packetCount: capabilities.aclPacketCount
        )
        var plan = profile.advertisingPlan(publicAddress: capabilities.publicAddress)
        plan.randomAddress = beginIdentity(plan.randomAddress, capabilities, now: now)
        for command in plan.commands(for: capabilities) { session.send(command, now: now) }
    }

    private mutating func connectionEnded(
        _ event: HCI.LEEnhancedConnectionComplete,
        now: Instant
    ) {
        connectionEnded(event.status, event.connectionHandle, event.peerAddress, now: now)
    }

    /// A connection is made, or the attempt of one has ended; advertising has ended in any case.
    private mutating func connectionEnded(
        _ status: HCI.ErrorCode,
        _ handle: ConnectionHandle,
        _ peer: HCI.PeerAddress,
        now: Instant
    ) {
        guard status == .success else { return advertiseAgain(now: now) }
        transmitQueue.open(handle)
        link = AccessoryLink(handle)
        let peer = peer.deviceAddress ?? DeviceAddress(value: peer.value, kind: .random)
        let events = security?.centralCame(peer, at: identity?.inUse, now: now) ?? []
        server.clientCame(security?.security ?? .none)
        carryOut(events, now: now)
    }

    private mutating func disconnected(_ event: HCI.DisconnectionComplete, now: Instant) {
        guard event.status == .success, event.connectionHandle == link?.connectionHandle else {
            return
        }
        transmitQueue.close(event.connectionHandle)
        server.clientLeft()
        security?.centralLeft()
        link = nil
        advertiseAgain(now: now)
    }

    private mutating func advertiseAgain(now: Instant) {
        guard link == nil, let capabilities = session.capabilities else { return }
        let plan = profile.advertisingPlan(publicAddress: capabilities.publicAddress)
        if let address = identity?.takeWanted() {
            session.send(AdvertisingPlan.use(address, for: capabilities), now: now)
        }
        session.send(plan.enable(for: capabilities), now: now)
    }

    /// Whatever pace the Central wants is fine.
    private mutating func accept(_ event: HCI.LERemoteConnectionParameterRequest, now: Instant) {
        session.send(
            HCI.LERemoteConnectionParameterRequestReply(
                connectionHandle: event.connectionHandle,
                parameters: HCI.ConnectionParameters(
                    intervalMinimum: event.intervalMinimum,
                    intervalMaximum: event.intervalMaximum,
                    peripheralLatency: event.peripheralLatency,
                    supervisionTimeout: event.supervisionTimeout
                )
            ),
            now: now
        )
    }
}
