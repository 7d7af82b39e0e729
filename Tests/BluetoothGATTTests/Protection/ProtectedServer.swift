// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

/// A server with protected values for each rule of a test, to which all requesters are connected.
/// Every PDU that it sends is checked.
///
/// Each protected value lies between two open values of the same type, which require no security.
/// The protected values consist of `secretByte`. This byte occurs nowhere else in the database or
/// in the protocol: no UUID or code contains it, and no handle does, because the first digit of a
/// handle is 0 and the last is below 8. A PDU with this byte therefore discloses a protected value.
struct ProtectedServer {
    static let secretByte: UInt8 = 0xAF
    static let secret = [UInt8](repeating: secretByte, count: 8)
    static let open = [UInt8](repeating: 0x11, count: 8)
    static let written = [UInt8](repeating: 0x5B, count: 8)
    static let signingKey = [UInt8](repeating: 0x3C, count: 16)

    /// The permission that gets each rule of a test in turn.
    enum Focus: Sendable {
        case read, write, subscribe
    }

    /// A protected value, with the open values before and after it.
    struct Place: Sendable {
        let rule: SecurityRequirement?
        let isDynamic: Bool
        let type: BluetoothUUID
        let service: GATT.Service
        let before: AttributeHandle
        let value: AttributeHandle
        let configuration: AttributeHandle
        let after: AttributeHandle
    }

    /// The result of one PDU.
    struct Exchange {
        var responses: [ATT.PDU] = []
        var questions: [GATTServer.Question] = []
        var reports: [GATTServer.Report] = []
        /// Whether a response contained `secretByte`.
        var disclosesSecret = false
    }

    var server = GATTServer()
    private(set) var places: [Place] = []
    private(set) var faults: [String] = []
    private var signCounter: UInt32 = 0

    init(_ focus: Focus, rules: [SecurityRequirement?] = SpecifiedAccess.rules) throws {
        for rule in rules {
            for isDynamic in [false, true] {
                for isLong in [false, true] {
                    try publish(focus, rule, isDynamic: isDynamic, isLong: isLong)
                }
            }
        }
        for requester in Requester.all {
            server.open(requester.bearer, security: requester.security, mtu: 64)
            server.authorize(requester.client, requester.isAuthorized)
            guard requester.security.isBonded else { continue }
            let key = SigningKey(key: Self.signingKey)
            server.setSigningKey(key, of: requester.client)
        }
    }

    /// Returns permissions in which the permission of `focus` has `rule`, and the two other
    /// permissions have `others`. `others` permits all access or none, so that its refusals differ
    /// from those of `rule`.
    private static func permissions(
        _ focus: Focus,
        _ rule: SecurityRequirement?,
        others: SecurityRequirement?
    ) -> GATT.Permissions {
        switch focus {
        case .read: .init(read: rule, write: others, subscribe: others)
        case .write: .init(read: others, write: rule, subscribe: others)
        case .subscribe: .init(read: others, write: others, subscribe: rule)
        }
    }

    private mutating func publish(
        _ focus: Focus,
        _ rule: SecurityRequirement?,
        isDynamic: Bool,
        isLong: Bool
    ) throws {
        let number = UInt16(places.count)
        let type =
            isLong
            ? try #require(BluetoothUUID(littleEndian: Array(0x60..<0x6F) + [UInt8(number)]))
            : BluetoothUUID(0xE000 + number)
        let neighbor = GATT.CharacteristicDefinition(
            type,
            [.read, .write],
            value: .stored(Self.open)
        )
        let protected = GATT.CharacteristicDefinition(
            type,
            [
                .read, .write, .writeWithoutResponse, .authenticatedSignedWrites, .notify,
                .indicate,
            ],
            permissions: Self.permissions(focus, rule, others: isLong ? nil : .open),
            value: isDynamic ? .dynamic : .stored(Self.secret)
        )
        let definition = GATT.ServiceDefinition(
            BluetoothUUID(0xD000 + number),
            [neighbor, protected, neighbor],
            handle: AttributeHandle(0x0100 + 0x10 * number)
        )
        let service = try server.publish(definition).0
        let values = service.characteristics
        places.append(
            Place(
                rule: rule,
                isDynamic: isDynamic,
                type: type,
                service: service.service,
                before: values[0].valueHandle,
                value: values[1].valueHandle,
                configuration: try #require(values[1].descriptors.first).handle,
                after: values[2].valueHandle
            )
        )
    }
}

// Actions of the requesters.
extension ProtectedServer {
    /// Passes a PDU to the server, answers its questions, and returns all results.
    mutating func exchange(_ pdu: ATT.PDU, with requester: Requester) -> Exchange {
        var exchange = Exchange()
        var actions = server.receive(pdu, on: requester.bearer, now: .zero)[...]
        while let action = actions.popFirst() {
            switch action {
            case .respond(let bearer, let response):
                note(response, to: bearer, for: requester, in: &exchange)
            case .ask(let id, let question):
                exchange.questions.append(question)
                actions += server.answer(id, Self.answer(to: question), now: .zero)
            case .report(_, let report): exchange.reports.append(report)
            case .indicate, .remember, .violated: break
            }
        }
        return exchange
    }

    private mutating func note(
        _ response: ATT.PDU,
        to bearer: GATTServer.BearerID,
        for requester: Requester,
        in exchange: inout Exchange
    ) {
        if bearer != requester.bearer { faults.append("\(requester): answered on another bearer") }
        exchange.responses.append(response)
        if response.encode().contains(Self.secretByte) { exchange.disclosesSecret = true }
    }

    private static func answer(
        to question: GATTServer.Question
    ) -> Result<[UInt8], ATT.ErrorCode> {
        guard case .read(_, _, let offset) = question else { return .success([]) }
        return offset <= secret.count
            ? .success(Array(secret.dropFirst(offset))) : .failure(.invalidOffset)
    }

    /// Returns a write command with a valid signature.
    mutating func signedWrite(_ handle: AttributeHandle) throws -> ATT.PDU {
        signCounter += 1
        let zero = [UInt8](repeating: 0, count: ATT.SignedWriteCommand.signatureLength)
        let draft = ATT.SignedWriteCommand(
            handle: handle,
            value: Self.written[...],
            signature: zero[...]
        )
        let key = SigningKey(key: Self.signingKey)
        let signature = key.signature(of: draft.signedBytes, counter: signCounter)
        return .signedWriteCommand(
            .init(
                handle: handle,
                value: Self.written[...],
                signature: try #require(signature)[...]
            )
        )
    }

    mutating func fail(_ text: String, _ place: Place, _ requester: Requester) {
        let rule = place.rule.map { "\($0)" } ?? "no access"
        faults.append("\(text): \(requester), \(rule)\(place.isDynamic ? ", dynamic" : "")")
    }

    /// Fails unless the result is this error alone, without a report or a question.
    mutating func expectRefusal(
        _ exchange: Exchange,
        _ code: UInt8,
        of opcode: ATT.Opcode,
        at handle: AttributeHandle,
        _ place: Place,
        _ requester: Requester
    ) {
        let refusal = ATT.PDU.errorResponse(
            .init(requestOpcode: opcode, handle: handle, code: .init(rawValue: code))
        )
        if exchange.responses != [refusal] {
            fail(
                "the response to \(opcode) is \(exchange.responses), not \(refusal)",
                place,
                requester
            )
        }
        expectSilence(exchange, place, requester)
    }

    /// Fails if a PDU discloses a value, or if the application gets a question or a report.
    mutating func expectSilence(_ exchange: Exchange, _ place: Place, _ requester: Requester) {
        if exchange.disclosesSecret { fail("a PDU discloses the value", place, requester) }
        if !exchange.questions.isEmpty { fail("the application gets a question", place, requester) }
        if !exchange.reports.isEmpty { fail("the application gets a report", place, requester) }
    }

    /// Fails unless the result is this response alone.
    mutating func expect(
        _ exchange: Exchange,
        _ response: ATT.PDU,
        _ place: Place,
        _ requester: Requester
    ) {
        guard exchange.responses != [response] else { return }
        fail("the response is \(exchange.responses), not \(response)", place, requester)
    }
}
