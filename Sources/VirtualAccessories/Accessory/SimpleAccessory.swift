// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import VirtualRadio

/// A peripheral that advertises, serves one central at a time, and then advertises again.
///
/// It has a GATT server. Its profile determines its services and whether it pairs.
public struct SimpleAccessory: ScriptedHost {
    /// The profile of the accessory, with the changes of its services.
    public internal(set) var profile: SimpleAccessoryProfile

    var session = ControllerSession()
    /// The queue that splits frames into packets for the controller's buffers.
    var transmitQueue = ACLTransmitQueue()
    var server: AccessoryServer
    /// The link to the connected central.
    var link: AccessoryLink?
    /// The keys; `nil` if the accessory does not pair.
    var security: AccessorySecurity?
    /// The address from which the accessory advertises. It is kept over a loss of power, as a
    /// static address may be.
    var identity: SimpleAccessoryIdentity?

    /// The six digits that the accessory displays for entry or comparison; `nil` if it displays
    /// nothing.
    public var screen: String? { security?.screen }

    /// Creates an accessory for one controller.
    public init(_ profile: SimpleAccessoryProfile) {
        self.profile = profile
        server = AccessoryServer(profile)
        security = profile.pairing.map(AccessorySecurity.init)
    }

    /// Starts the controller and the accessory. Written values are lost; bonds, the address and the
    /// changes of services are kept.
    public mutating func start(now: Instant) -> [[UInt8]] {
        let kept = (security, identity)
        self = SimpleAccessory(profile)
        (security, identity) = kept
        security?.centralLeft()
        session.start(now: now)
        return session.takePackets()
    }

    /// Handles a packet from the controller.
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

    /// Returns the current value of the first characteristic with the UUID; an empty array if there
    /// is none.
    public func value(of uuid: BluetoothUUID) -> [UInt8] { server.values[uuid] }

    /// Returns whether a service of the accessory has a characteristic with the UUID.
    public func hasValue(of uuid: BluetoothUUID, in service: BluetoothUUID) -> Bool {
        server.values.hasValue(of: uuid, in: service)
    }

    /// The number of links since the last start of the accessory, including the current one.
    public var linkCount: Int { server.values.linkCount }

    /// The next instant at which the accessory must act; `nil` if there is none. It then sends a
    /// value, changes its address, or handles the timeout of a request that the controller or the
    /// central has not answered.
    public var nextDeadline: Instant? {
        let link = earliest(link?.nextDeadline, server.bearer.nextDeadline)
        let own = earliest(session.nextDeadline, identity?.rotation)
        return earliest(earliest(own, security?.nextDeadline), link)
    }

    /// Performs an action that does not answer a request, such as the press of a button on the
    /// accessory.
    ///
    /// The changes of services persist after a loss of power.
    ///
    /// - Returns: The packets for the controller.
    public mutating func perform(_ action: AccessoryAction, now: Instant) -> [[UInt8]] {
        carryOut(action, now: now)
        return send(now: now)
    }

    /// Performs the work that is due: sends values, changes the address, or ends the link if the
    /// central has not confirmed an indication in time.
    public mutating func deadlinePassed(now: Instant) -> [[UInt8]] {
        _ = session.deadlinePassed(now: now)
        _ = link?.signaling.deadlinePassed(now: now)
        if let rotation = identity?.rotation, rotation <= now { changeAddress(now: now) }
        carryOut(security?.deadlinePassed(now: now) ?? [], now: now)
        // An indication that the client does not confirm closes the bearer, which ends the link
        // (Vol 3, Part F, 3.3.3).
        if !server.bearerDeadlinePassed(now: now) { disconnect(now: now) }
        return send(now: now)
    }

    /// Returns the packets for the controller, with as much data as fits into its buffers.
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
        case .longTermKeyRequest(let event): longTermKeyRequested(event, now: now)
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

    /// Handles a new connection or a failed attempt. Advertising has ended in both cases.
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
        let events = security?.centralConnected(peer, at: identity?.inUse, now: now) ?? []
        server.clientConnected(security?.security ?? .none)
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
            session.send(AccessoryAdvertisingPlan.use(address, for: capabilities), now: now)
        }
        session.send(plan.enable(for: capabilities), now: now)
    }

    /// Accepts all connection parameters that the central asks for.
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
