// SPDX-License-Identifier: Apache-2.0
import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// The GATT server of an accessory, with its ATT bearer, for one client at a time.
///
/// `GATTServer` stores most values. For a value with a `WriteReaction`, it asks an application.
/// This type is that application, and answers at once.
///
/// The database and the values remain when the client disconnects. `clientLeft` discards the state
/// of the client and of its bearer.
struct AccessoryServer: Sendable {
    /// The result of a PDU for the accessory. PDUs to send are not events: `nextPDU(now:)` returns
    /// them.
    enum Event: Sendable {
        /// The client has subscribed to the value, or has ended its subscription (`nil`).
        case subscriptionChanged(AttributeHandle, GATT.SubscriptionKind?)
        /// Perform the action. The bearer has already queued the response to the write.
        case act(AccessoryAction)
        /// Store this record of the bonded client.
        case remember(ClientRecord)
    }

    /// The only client, with its only bearer.
    static let client = GATTServer.ClientID(rawValue: 1)
    private static let bearerID = GATTServer.BearerID(client: client, channel: 4)

    var values = AccessoryValues()
    private(set) var bearer: ATTBearer

    /// The number of indications that were sent and are not confirmed.
    private var indications = 0

    init(_ profile: SimpleAccessoryProfile) {
        bearer = ATTBearer(receiveMTULimit: Int(profile.mtu))
        // The first service gets the first handle. `GATTServer` moves its own services behind it.
        // The other services follow.
        for (index, service) in profile.allServices.enumerated() {
            _ = add(service, at: index == 0 ? .first : nil)
        }
    }

    /// Handles the connection of a client.
    mutating func clientConnected(_ security: LinkSecurity = .none) {
        clientLeft()
        values.linkCount += 1
        values.server.open(Self.bearerID, security: security, mtu: bearer.mtu)
    }

    /// Handles a change of the link's security. Once the key of a bond encrypts the link, the
    /// stored configuration of the client applies.
    mutating func securityChanged(
        _ security: LinkSecurity,
        restoring clientRecord: ClientRecord?,
        now: Instant
    ) -> [Event] {
        let wasEncryptedWithBond = values.server.client(Self.client)?.isEncryptedWithBond == true
        let isEncryptedWithBond = security.isEncrypted && security.isBonded
        var events: [Event] = []
        if isEncryptedWithBond, !wasEncryptedWithBond, let clientRecord {
            events = carryOut(values.server.restore(Self.client, clientRecord), now: now)
        }
        return events
            + carryOut(values.server.securityChanged(Self.client, security), now: now)
    }

    /// Handles the end of the link.
    mutating func clientLeft() {
        values.server.close(Self.bearerID)
        bearer = ATTBearer(receiveMTULimit: bearer.receiveMTULimit)
        indications = 0
    }

    /// Adds a service, and indicates the change to a client that is subscribed to Service Changed.
    ///
    /// - Returns: `false`, without any effect, if the service cannot be published.
    mutating func add(_ service: SimpleAccessoryProfile.Service, at handle: AttributeHandle? = nil)
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

    /// Removes all services with the UUID and the services that include them, and indicates the
    /// change to a client that is subscribed to Service Changed.
    mutating func removeServices(_ uuid: BluetoothUUID, now: Instant) -> [Event] {
        values.handles(ofServices: uuid).flatMap { handle -> [Event] in
            guard let actions = try? values.server.unpublish(handle) else { return [] }
            values.remove(service: handle)
            return carryOut(actions, now: now)
        }
    }

    /// Returns the stream of the characteristic with the value; `nil` if it has none.
    func stream(of handle: AttributeHandle) -> ValueStream? {
        values.characteristics[handle]?.stream
    }

    /// Returns the kind of the client's subscription to the value; `nil` without one.
    func subscription(to handle: AttributeHandle) -> GATT.SubscriptionKind? {
        values.server.subscriptions(of: Self.client)[handle]
    }
}

// The PDUs of the bearer.
extension AccessoryServer {
    /// Handles a PDU from the client.
    mutating func receive(_ bytes: ArraySlice<UInt8>, now: Instant) -> [Event] {
        switch bearer.receive(bytes) {
        case .request(let pdu), .command(let pdu):
            return carryOut(values.server.receive(pdu, on: Self.bearerID, now: now), now: now)
        case .confirmed(let id):
            indications -= 1
            guard let handle = values.handle(of: GATT.AttributeType.serviceChanged),
                id == Self.indicationID(of: handle)
            else { return [] }
            return carryOut(values.server.confirmed(handle, on: Self.bearerID), now: now)
        default: return []
        }
    }

    /// Returns the next PDU for the client; `nil` if there is none now.
    mutating func nextPDU(now: Instant) -> [UInt8]? {
        let pdu = bearer.nextPDU(now: now)?.bytes
        values.server.mtuChanged(Self.bearerID, bearer.mtu)
        return pdu
    }

    /// Handles a deadline of the bearer.
    ///
    /// - Returns: `false` if the client did not confirm an indication in time.
    mutating func bearerDeadlinePassed(now: Instant) -> Bool {
        bearer.deadlinePassed(now: now).isEmpty
    }

    /// Whether an indication can be sent now.
    var mayIndicate: Bool { indications == 0 }

    /// The maximum length in bytes of a value that can be sent to the client (Vol 3, Part F,
    /// 3.4.7.1).
    var valueLength: Int { bearer.mtu - 3 }

    /// Sends a value.
    ///
    /// - Returns: `false` if the value was not sent, for example because the client is not
    ///   subscribed to it.
    mutating func send(_ value: [UInt8], of handle: AttributeHandle) -> Bool {
        let notification = values.server.notification(of: handle, value: value, to: Self.client)
        switch try? notification.get().pdu {
        case .handleValueIndication(let indication): return indicate(indication)
        case .some(let pdu): return (try? bearer.notify(pdu, id: nil)) != nil
        case nil: return false
        }
    }

    /// Returns the identifier of the indications of a value.
    private static func indicationID(of handle: AttributeHandle) -> ATTBearer.RequestID {
        ATTBearer.RequestID(handle.rawValue)
    }

    @discardableResult
    private mutating func indicate(_ indication: ATT.HandleValueIndication) -> Bool {
        let pdu = ATT.PDU.handleValueIndication(indication)
        guard (try? bearer.indicate(pdu, id: Self.indicationID(of: indication.handle))) != nil
        else { return false }
        indications += 1
        return true
    }
}

// The actions of the server.
extension AccessoryServer {
    private mutating func carryOut(_ actions: [GATTServer.Action], now: Instant) -> [Event] {
        var events: [Event] = []
        for action in actions {
            switch action {
            case .respond(_, let pdu): bearer.respond(pdu)
            case .ask(let id, let question): events += answer(question, id, now: now)
            case .report(_, .subscribed(let handle, let kind)):
                events.append(.subscriptionChanged(handle, kind))
            case .indicate(_, let indication): indicate(indication)
            case .remember(_, let clientRecord): events.append(.remember(clientRecord))
            case .report(_, .written), .violated: break
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
            let result = values.reactiveValue(of: handle, from: offset)
            return carryOut(values.server.answer(id, result, now: now), now: now)
        case .write(_, let entries, _):
            let (refusal, accessoryActions) = applyReactions(entries)
            let result = refusal.map { Result<[UInt8], ATT.ErrorCode>.failure($0.code) }
            let actions = values.server.answer(
                id,
                result ?? .success([]),
                at: refusal?.handle,
                now: now
            )
            return carryOut(actions, now: now) + accessoryActions.map(Event.act)
        }
    }

    /// Passes the written values to their reactions, in order. If one reaction refuses, no value
    /// changes.
    private mutating func applyReactions(
        _ entries: [GATT.WriteEntry]
    ) -> (refusal: (code: ATT.ErrorCode, handle: AttributeHandle)?, [AccessoryAction]) {
        var trial = values
        var accessoryActions: [AccessoryAction] = []
        for entry in entries {
            guard let reaction = values.characteristics[entry.handle]?.reaction else { continue }
            guard let written = trial.written(by: entry) else {
                return ((.invalidOffset, entry.handle), [])
            }
            switch reaction.react(written, &trial) {
            case .accepted(let more): accessoryActions += more
            case .refused(let code): return ((code, entry.handle), [])
            }
        }
        values = trial
        return (nil, accessoryActions)
    }
}

extension GATTServer.Client {
    /// Whether the link is encrypted with the key of a bond.
    fileprivate var isEncryptedWithBond: Bool { security.isBonded && security.isEncrypted }
}
