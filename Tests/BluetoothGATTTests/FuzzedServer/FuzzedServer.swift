// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes
import LanyardTestSupport

@testable import BluetoothGATT

/// A server with clients, an application and a clock that act at random, but as their interfaces
/// permit. Checks that the server does what its interface promises.
struct FuzzedServer<Source: RandomNumberGenerator> {
    typealias BearerID = GATTServer.BearerID
    typealias ClientID = GATTServer.ClientID

    private var server = GATTServer()
    private(set) var generator: RequestGenerator<Source>
    private var random: Source {
        get { generator.random }
        set { generator.random = newValue }
    }
    private var now = Instant.zero

    /// The open bearers, with their MTU.
    private var bearers: [BearerID: Int] = [:]
    /// The unanswered request of each bearer.
    private var openRequests: [BearerID: ATT.Opcode] = [:]
    private var questions: [GATTServer.RequestID] = []
    private var indications: [BearerID: AttributeHandle] = [:]
    private var clientRecords: [ClientID: ClientRecord] = [:]
    private var optionalServices: [AttributeHandle] = []

    private(set) var faults: [String] = []
    private(set) var requestCount = 0
    private(set) var responseCount = 0

    init(random: Source) throws {
        generator = RequestGenerator(random: random)
        for definition in Self.services { _ = try server.publish(definition) }
    }

    /// Values of every kind with permissions of every kind.
    private static var services: [GATT.ServiceDefinition] {
        [
            .init(
                .init(0xD001),
                [
                    .init(.init(0xE001), [.read, .write], value: .stored(Array(0..<100))),
                    .init(.init(0xE001), [.read, .write, .writeWithoutResponse]),
                    .init(
                        .init(0xE002),
                        [.read, .write, .notify, .extendedProperties],
                        value: .stored([1], maximumLength: 4)
                    ),
                    .init(.init(0xE002), [.read, .indicate, .notify]),
                ]
            ),
            .init(
                .init(0xD002),
                isPrimary: false,
                [
                    .init(
                        .init(0xE001),
                        [.read, .write, .indicate],
                        permissions: .init(read: .encrypted, write: .authenticated),
                        value: .stored([1, 2, 3])
                    ),
                    .init(
                        .init(0xE001),
                        [.read, .authenticatedSignedWrites],
                        permissions: .init(read: .authorized, write: .open)
                    ),
                ]
            ),
        ]
    }

    private static var optional: GATT.ServiceDefinition {
        .init(.init(0xD003), [.init(.init(0xE002), [.read, .write, .notify])])
    }

    private func fault(_ text: String) -> String { "\(text) (at \(now))" }
}

// Inputs.
extension FuzzedServer {
    /// Performs one random step.
    mutating func step() {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<70: send()
        case 70..<85: answerQuestion()
        case 85..<88: openOrClose()
        case 88..<90: pass(.seconds(Int.random(in: 0...12, using: &random)))
        case 90..<93: confirmIndication()
        case 93..<97: notify()
        case 97: changeLink()
        default: if random.happens(oneIn: 20) { changeTable() }
        }
        checkLimits()
    }

    private mutating func send() {
        guard let bearer = randomBearer(), let pdu = generator.next(),
            pdu.encode().count <= bearers[bearer] ?? 0
        else { return }
        let isCommand = pdu.opcode.isCommand
        // The bearer itself rejects or answers all other PDUs.
        guard isCommand || openRequests[bearer] == nil, pdu.isForServer else { return }
        if !isCommand {
            openRequests[bearer] = pdu.opcode
            requestCount += 1
        }
        perform(server.receive(pdu, on: bearer, now: now))
        guard !isCommand, openRequests[bearer] != nil, server.pending[bearer] == nil else { return }
        faults.append(fault("\(pdu) is neither answered nor pending"))
    }

    private mutating func answerQuestion() {
        guard let index = questions.indices.randomElement(using: &random) else { return }
        let id = random.happens(oneIn: 30) ? 1 << 40 : questions[index]
        if random.happens(oneIn: 2) { questions.remove(at: index) }
        let result: Result<[UInt8], ATT.ErrorCode> =
            random.happens(oneIn: 4)
            ? .failure(.valueNotAllowed) : .success(random.bytes(upTo: 600))
        perform(server.answer(id, result, now: now))
    }

    private mutating func openOrClose() {
        let client = ClientID(rawValue: UInt64.random(in: 1...4, using: &random))
        let channel = UInt16.random(in: 4...6, using: &random)
        let bearer = BearerID(client: client, channel: channel)
        if bearers[bearer] == nil {
            let mtu = Int.random(in: 23...600, using: &random)
            server.open(bearer, security: security(), mtu: mtu)
            bearers[bearer] = mtu
            guard let clientRecord = clientRecords[client], random.happens(oneIn: 2) else { return }
            perform(server.restore(client, clientRecord))
        } else {
            bearers[bearer] = nil
            openRequests[bearer] = nil
            indications[bearer] = nil
            perform(server.close(bearer))
        }
    }

    mutating func pass(_ duration: Duration) {
        now = now + duration
        guard let deadline = server.nextDeadline, deadline <= now else { return }
        perform(server.deadlinePassed(now: now))
        if let next = server.nextDeadline, next <= now {
            faults.append(fault("a deadline that has passed remains"))
        }
    }

    private mutating func confirmIndication() {
        guard let bearer = randomBearer(), let handle = indications[bearer] else { return }
        indications[bearer] = nil
        perform(server.confirmed(handle, on: bearer))
    }

    private mutating func notify() {
        let values = (0..<Int.random(in: 1...3, using: &random)).map { _ in
            let handle = AttributeHandle(UInt16.random(in: 10...50, using: &random))
            return GATT.AttributeValue(handle: handle, value: random.bytes(upTo: 100))
        }
        let client = ClientID(rawValue: UInt64.random(in: 1...5, using: &random))
        guard case .success(let sent) = server.notifications(of: values, to: client) else { return }
        for one in sent { check(one.pdu, fits: one.bearer) }
    }

    private mutating func changeLink() {
        let client = ClientID(rawValue: UInt64.random(in: 1...5, using: &random))
        switch Int.random(in: 0..<3, using: &random) {
        case 0: server.authorize(client, Bool.random(using: &random))
        case 1: perform(server.securityChanged(client, security()))
        default:
            guard let bearer = randomBearer() else { return }
            let mtu = max(bearers[bearer] ?? 23, Int.random(in: 23...600, using: &random))
            bearers[bearer] = mtu
            server.mtuChanged(bearer, mtu)
        }
    }

    private mutating func changeTable() {
        if optionalServices.count < 3, Bool.random(using: &random) {
            guard let (service, actions) = try? server.publish(Self.optional) else { return }
            optionalServices.append(service.service.handle)
            perform(actions)
        } else if let handle = optionalServices.popLast() {
            guard let actions = try? server.unpublish(handle) else {
                return faults.append(fault("a service cannot be unpublished"))
            }
            perform(actions)
        }
    }

    /// Returns a random bearer if it is open. The choice depends only on the seed, unlike the order
    /// of a dictionary.
    private mutating func randomBearer() -> BearerID? {
        let client = ClientID(rawValue: UInt64.random(in: 1...4, using: &random))
        let channel = UInt16.random(in: 4...6, using: &random)
        let bearer = BearerID(client: client, channel: channel)
        return bearers[bearer] == nil ? nil : bearer
    }

    private mutating func security() -> LinkSecurity {
        let isEncrypted = Bool.random(using: &random)
        return LinkSecurity(
            isEncrypted: isEncrypted,
            isAuthenticated: isEncrypted && Bool.random(using: &random),
            keySize: isEncrypted ? Int.random(in: 7...16, using: &random) : 0,
            isBonded: Bool.random(using: &random)
        )
    }
}

// Outputs and their checks.
extension FuzzedServer {
    private mutating func perform(_ actions: [GATTServer.Action]) {
        for action in actions {
            switch action {
            case .respond(let bearer, let pdu): receive(pdu, on: bearer)
            case .ask(let id, let question): ask(id, question)
            case .indicate(let bearer, let indication):
                check(.handleValueIndication(indication), fits: bearer)
                if indications.updateValue(indication.handle, forKey: bearer) != nil {
                    faults.append(fault("a second indication before the first is confirmed"))
                }
            case .remember(let client, let clientRecord): clientRecords[client] = clientRecord
            case .report, .violated: break
            }
        }
    }

    private mutating func receive(_ pdu: ATT.PDU, on bearer: BearerID) {
        responseCount += 1
        check(pdu, fits: bearer)
        guard let request = openRequests.removeValue(forKey: bearer) else {
            return faults.append(fault("\(pdu) has no request"))
        }
        if case .errorResponse(let error) = pdu {
            if error.requestOpcode == request { return }
        } else if pdu.opcode.rawValue == request.rawValue + 1 {
            return
        }
        faults.append(fault("\(pdu) is not the response to \(request)"))
    }

    private mutating func check(_ pdu: ATT.PDU, fits bearer: BearerID) {
        guard let mtu = bearers[bearer] else {
            return faults.append(fault("\(pdu) goes to a bearer that is closed"))
        }
        let bytes = pdu.encode()
        if bytes.count > mtu { faults.append(fault("\(bytes.count) bytes in an MTU of \(mtu)")) }
        if (try? ATT.PDU(parsing: bytes[...])) != pdu {
            faults.append(fault("\(pdu) cannot be parsed"))
        }
    }

    private mutating func ask(_ id: GATTServer.RequestID, _ question: GATTServer.Question) {
        if case .write(_, _, needsAnswer: false) = question { return }
        // The number of unanswered questions is limited. The oldest question is dropped.
        if questions.count == 64 { questions.removeFirst() }
        questions.append(id)
    }

    private mutating func checkLimits() {
        if server.pending.count > bearers.count {
            faults.append(fault("more requests are pending than bearers are open"))
        }
        if Set(server.pending.keys) != Set(openRequests.keys) {
            faults.append(fault("the pending requests are not the open requests"))
        }
        guard random.happens(oneIn: 16) else { return }
        for queue in server.prepared.values
        where queue.parts.count > GATTServer.preparedWriteLimit
            || queue.bytes > GATTServer.preparedByteLimit
        {
            faults.append(fault("\(queue.parts.count) prepared writes, \(queue.bytes) bytes"))
        }
        if !Set(server.prepared.keys).isSubset(of: bearers.keys.map(\.client)) {
            faults.append(fault("prepared writes remain after the end of their client"))
        }
    }

    /// Closes every bearer and checks that no state is left.
    mutating func closeAll() {
        for bearer in bearers.keys.sorted(by: { $0.channel < $1.channel }) {
            bearers[bearer] = nil
            openRequests[bearer] = nil
            indications[bearer] = nil
            perform(server.close(bearer))
        }
        for leftover in [
            server.clients.isEmpty ? nil : "clients", server.pending.isEmpty ? nil : "requests",
            server.prepared.isEmpty ? nil : "prepared writes",
            server.nextDeadline == nil ? nil : "a deadline",
        ] {
            if let leftover { faults.append(fault("\(leftover) remain at the end")) }
        }
    }
}

extension ATT.PDU {
    /// Whether a bearer passes the PDU to the server: known requests except for the MTU exchange,
    /// and commands.
    fileprivate var isForServer: Bool {
        switch self {
        case .findInformationRequest, .findByTypeValueRequest, .readByTypeRequest, .readRequest,
            .readBlobRequest, .readMultipleRequest, .readByGroupTypeRequest, .writeRequest,
            .prepareWriteRequest, .executeWriteRequest, .readMultipleVariableRequest,
            .writeCommand, .signedWriteCommand:
            true
        default: false
        }
    }
}
