// SPDX-License-Identifier: Apache-2.0
import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// The GATT server of an accessory, for one client at a time, with the bearer to it and the
/// application behind it, which answers at once: values that have a reaction are the application's,
/// all others the server's own.
///
/// The table outlives the client; all else is forgotten with `clientLeft`.
struct AccessoryServer: Sendable {
    /// What came of a PDU, beside what is to be sent.
    enum Event: Sendable {
        /// The client subscribes to the value, or, with nil, no longer does.
        case subscriptionChanged(AttributeHandle, GATT.SubscriptionKind?)
        /// Do this, after what was to be sent.
        case act(AccessoryDeed)
        /// Keep this of the client, which is a bonded one.
        case remember(ClientMemory)
    }

    /// There is one client, with one bearer.
    static let client = GATTServer.ClientID(rawValue: 1)
    private static let bearerID = GATTServer.BearerID(client: client, channel: 4)

    /// The name of every indication: only whether one is under way matters.
    private static let indicationID: ATTBearer.RequestID = 0

    var values = AccessoryValues()
    private(set) var bearer: ATTBearer

    /// Indications that were handed over and are not confirmed yet.
    private var indications = 0

    init(_ profile: AccessoryProfile) {
        bearer = ATTBearer(receiveMTULimit: Int(profile.mtu))
        // The first one takes the place of what a server has of its own, and the others follow.
        for (index, service) in profile.allServices.enumerated() {
            _ = add(service, at: index == 0 ? .first : nil)
        }
    }

    /// A client is there.
    mutating func clientCame(_ security: LinkSecurity = .none) {
        clientLeft()
        values.server.open(Self.bearerID, security: security, mtu: bearer.mtu)
    }

    /// The link is protected in another way. Once a bond encrypts it, what was kept of the client
    /// counts again.
    mutating func securityChanged(
        _ security: LinkSecurity,
        restoring memory: ClientMemory?,
        now: Instant
    ) -> [Event] {
        let wasProved = values.server.client(Self.client)?.isProved == true
        let isProved = security.isEncrypted && security.isBonded
        var events: [Event] = []
        if isProved, !wasProved, let memory {
            events = carryOut(values.server.restore(Self.client, memory), now: now)
        }
        return events
            + carryOut(values.server.securityChanged(Self.client, security), now: now)
    }

    /// The link has ended.
    mutating func clientLeft() {
        values.server.close(Self.bearerID)
        bearer = ATTBearer(receiveMTULimit: bearer.receiveMTULimit)
        indications = 0
    }

    /// Serves something more; the client is told if it wants to be. False, and nothing is served, if
    /// it cannot be published.
    mutating func add(_ service: AccessoryProfile.Service, at handle: AttributeHandle? = nil)
        -> Bool
    {
        var definition = service.definition
        definition.handle = handle
        guard let (published, actions) = try? values.server.publish(definition) else {
            return false
        }
        values.add(service, as: published)
        for case .indicate(_, let indication) in actions { indicate(indication) }
        return true
    }

    /// Serves all services with the UUID no more; the client is told if it wants to be.
    mutating func removeServices(_ uuid: BluetoothUUID, now: Instant) -> [Event] {
        values.handles(ofServices: uuid).flatMap { handle -> [Event] in
            guard let actions = try? values.server.unpublish(handle) else { return [] }
            values.remove(service: handle)
            return carryOut(actions, now: now)
        }
    }

    /// What the characteristic with the value does of itself.
    func stream(of handle: AttributeHandle) -> ValueStream? {
        values.characteristics[handle]?.stream
    }

    /// How the client wants to be sent a value; nil if it does not.
    func subscription(to handle: AttributeHandle) -> GATT.SubscriptionKind? {
        values.server.subscriptions(of: Self.client)[handle]
    }
}

// What passes over the bearer.
extension AccessoryServer {
    /// Takes a PDU of the client.
    mutating func receive(_ bytes: ArraySlice<UInt8>, now: Instant) -> [Event] {
        switch bearer.receive(bytes) {
        case .request(let pdu), .command(let pdu):
            return carryOut(values.server.receive(pdu, on: Self.bearerID, now: now), now: now)
        case .confirmed:
            indications -= 1
            guard let handle = values.handle(of: GATT.AttributeType.serviceChanged) else {
                return []
            }
            return carryOut(values.server.confirmed(handle, on: Self.bearerID), now: now)
        default: return []
        }
    }

    /// The next PDU for the client; nil if there is none for now.
    mutating func nextPDU(now: Instant) -> [UInt8]? {
        let pdu = bearer.nextPDU(now: now)?.bytes
        values.server.mtuChanged(Self.bearerID, bearer.mtu)
        return pdu
    }

    /// Tells that it is `now`. False if the client has kept an indication waiting too long.
    mutating func bearerDeadlinePassed(now: Instant) -> Bool {
        bearer.deadlinePassed(now: now).isEmpty
    }

    /// Whether an indication would leave now.
    var mayIndicate: Bool { indications == 0 }

    /// How long a value can be that is sent to the client (Vol 3, Part F, 3.4.7.1).
    var valueLength: Int { bearer.mtu - 3 }

    /// Hands over a value to send; false if the client has not subscribed to it.
    mutating func send(_ value: [UInt8], of handle: AttributeHandle) -> Bool {
        let notification = values.server.notification(of: handle, value: value, to: Self.client)
        switch try? notification.get().pdu {
        case .handleValueIndication(let indication): return indicate(indication)
        case .some(let pdu): return (try? bearer.notify(pdu, id: nil)) != nil
        case nil: return false
        }
    }

    @discardableResult
    private mutating func indicate(_ indication: ATT.HandleValueIndication) -> Bool {
        let pdu = ATT.PDU.handleValueIndication(indication)
        guard (try? bearer.indicate(pdu, id: Self.indicationID)) != nil else { return false }
        indications += 1
        return true
    }
}

// What the server wants.
extension AccessoryServer {
    private mutating func carryOut(_ actions: [GATTServer.Action], now: Instant) -> [Event] {
        var events: [Event] = []
        for action in actions {
            switch action {
            case .respond(_, let pdu): bearer.respond(pdu)
            case .ask(let id, let question): events += answer(question, id, now: now)
            case .told(_, .subscribed(let handle, let kind)):
                events.append(.subscriptionChanged(handle, kind))
            case .indicate(_, let indication): indicate(indication)
            case .remember(_, let memory): events.append(.remember(memory))
            case .told(_, .written), .violated: break
            }
        }
        return events
    }

    private mutating func answer(
        _ question: GATTServer.Question,
        _ id: GATTServer.RequestID,
        now: Instant
    ) -> [Event] {
        switch question {
        case .read(_, let handle, let offset):
            let result = values.judgedValue(of: handle, from: offset)
            return carryOut(values.server.answer(id, result, now: now), now: now)
        case .write(_, let entries, _):
            let (result, deeds) = judge(entries)
            return carryOut(values.server.answer(id, result, now: now), now: now)
                + deeds.map(Event.act)
        }
    }

    /// Lets the reactions judge what is written, in order: one that refuses undoes all the others.
    private mutating func judge(
        _ entries: [GATT.WriteEntry]
    ) -> (Result<[UInt8], ATT.ErrorCode>, [AccessoryDeed]) {
        var trial = values
        var deeds: [AccessoryDeed] = []
        for entry in entries {
            guard let reaction = values.characteristics[entry.handle]?.reaction else { continue }
            guard let written = trial.written(by: entry) else {
                return (.failure(.invalidOffset), [])
            }
            switch reaction.judge(written, &trial) {
            case .accepted(let more): deeds += more
            case .refused(let code): return (.failure(code), [])
            }
        }
        values = trial
        return (.success([]), deeds)
    }
}

extension GATTServer.Client {
    /// Whether the link is encrypted with the key of a bond.
    fileprivate var isProved: Bool { security.isBonded && security.isEncrypted }
}
