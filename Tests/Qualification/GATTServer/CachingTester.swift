// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import Testing

/// The Lower and the Upper Tester of the caching cases, with a store for the records of bonded
/// clients.
struct CachingTester {
    static let client = GATTServer.ClientID(rawValue: 1)
    /// A link that is encrypted with the key of a bond.
    static let bonded = LinkSecurity(isEncrypted: true, keySize: 16, isBonded: true)

    var server = GATTServer()
    /// The handle of a value that can be read and written. No change of the database affects it.
    let value: AttributeHandle

    private var clientRecords: [GATTServer.ClientID: ClientRecord] = [:]
    private var addition: AttributeHandle?
    private var indications = 0

    init() throws {
        let uuid = BluetoothUUID(0xFF01)
        let published = try server.publish(
            .init(
                BluetoothUUID(0xFF00),
                [.init(uuid, [.read, .write, .writeWithoutResponse], value: .stored([1]))]
            )
        ).0
        value = try #require(published.characteristic(uuid)).valueHandle
    }

    /// Connects the Lower Tester. If it is bonded, its record is restored.
    mutating func connect(_ client: GATTServer.ClientID = client, security: LinkSecurity = .none) {
        server.open(Self.bearer(of: client), security: security, mtu: 64)
        if security.isBonded, let clientRecord = clientRecords[client] {
            note(server.restore(client, clientRecord))
        }
    }

    mutating func disconnect(_ client: GATTServer.ClientID = client) {
        note(server.close(Self.bearer(of: client)))
    }

    /// Adds a service as the Upper Tester, or removes it.
    mutating func changeDatabase() throws {
        if let handle = addition {
            note(try server.unpublish(handle))
            addition = nil
        } else {
            let (published, actions) = try server.publish(.init(BluetoothUUID(0xFFA0), []))
            addition = published.service.handle
            note(actions)
        }
    }

    /// Returns the responses to a PDU.
    mutating func send(_ pdu: ATT.PDU, _ client: GATTServer.ClientID = client) -> [ATT.PDU] {
        let actions = server.receive(pdu, on: Self.bearer(of: client), now: .zero)
        note(actions)
        return actions.compactMap { if case .respond(_, let pdu) = $0 { pdu } else { nil } }
    }

    /// Returns the error of a request, or `nil` if it succeeded.
    mutating func refusal(
        of pdu: ATT.PDU,
        _ client: GATTServer.ClientID = client
    ) -> ATT.ErrorCode? {
        guard case .errorResponse(let error) = send(pdu, client).first else { return nil }
        return error.code
    }

    /// Reads a value, by default that of the tester. Returns the error, or `nil` if the value was
    /// read.
    mutating func read(_ handle: AttributeHandle? = nil) -> ATT.ErrorCode? {
        refusal(of: .readRequest(.init(handle: handle ?? value)))
    }

    /// Reads the Database Hash by its UUID.
    mutating func readHash() -> [UInt8]? {
        let request = ATT.PDU.readByTypeRequest(
            .init(start: .first, end: .last, type: BluetoothUUID(0x2B2A))
        )
        guard case .readByTypeResponse(let response) = send(request).first else { return nil }
        return response.entries.first.map { Array($0.value) }
    }

    mutating func readFeatures(_ client: GATTServer.ClientID = client) throws -> [UInt8]? {
        let request = ATT.PDU.readRequest(.init(handle: try handle(of: 0x2B29)))
        guard case .readResponse(let response) = send(request, client).first else { return nil }
        return Array(response.value)
    }

    mutating func writeFeatures(_ value: [UInt8]) throws -> ATT.ErrorCode? {
        refusal(of: .writeRequest(.init(handle: try handle(of: 0x2B29), value: value[...])))
    }

    mutating func enableRobustCaching() throws {
        #expect(try writeFeatures([1]) == nil)
    }

    mutating func enableServiceChanged(_ bits: UInt8 = 2) throws {
        // The configuration follows the value.
        let handle = try #require(try handle(of: 0x2A05).next)
        #expect(refusal(of: .writeRequest(.init(handle: handle, value: [bits, 0]))) == nil)
    }

    /// Returns the number of Service Changed indications since the last call.
    mutating func takeIndications() -> Int {
        defer { indications = 0 }
        return indications
    }

    mutating func confirm() {
        guard let handle = try? handle(of: 0x2A05) else { return }
        note(server.confirmed(handle, on: Self.bearer(of: Self.client)))
    }

    /// Returns the handle of the value of this type.
    func handle(of type: UInt16) throws -> AttributeHandle {
        try #require(server.database.attributes.first { $0.type == BluetoothUUID(type) }).handle
    }

    private mutating func note(_ actions: [GATTServer.Action]) {
        for action in actions {
            switch action {
            case .indicate: indications += 1
            case .remember(let client, let clientRecord): clientRecords[client] = clientRecord
            case .respond, .ask, .report, .violated: break
            }
        }
    }

    private static func bearer(of client: GATTServer.ClientID) -> GATTServer.BearerID {
        .init(client: client, channel: 4)
    }
}
