// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothPort
import BluetoothTypes

@testable import BluetoothClients
@testable import CoreBluetooth

/// A link's core without a host: its requests are recorded, and the test answers them.
struct CoreHarness {
    var core: ClientCore
    /// The requests to the host that were not answered.
    var asked: [(request: PortRequest, job: ClientCore.JobIdentifier)] = []
    /// The events that managers received, as text.
    var posted: [String] = []

    static let one = SessionIdentifier(rawValue: 1)
    static let two = SessionIdentifier(rawValue: 2)

    static let value = GATT.Characteristic(
        uuid: BluetoothUUID(0xA001),
        handle: AttributeHandle(11),
        valueHandle: AttributeHandle(12),
        properties: [.read, .write, .notify],
        endHandle: AttributeHandle(13)
    )
    static let configuration = GATT.Descriptor(
        uuid: GATT.AttributeType.clientCharacteristicConfiguration,
        handle: AttributeHandle(13)
    )
    static let service = GATT.Service(
        uuid: BluetoothUUID(0xA000),
        isPrimary: true,
        handle: AttributeHandle(10),
        endHandle: AttributeHandle(13)
    )

    init(isVerified: Bool = true) {
        core = ClientCore(isVerified: isVerified)
    }

    /// Returns a database with the service, and optionally with another one.
    static func table(withMore: Bool = false) -> GATT.Database? {
        var services = [
            GATT.DiscoveredService(
                service: service,
                characteristics: [.init(characteristic: value, descriptors: [configuration])]
            )
        ]
        if withMore {
            let more = GATT.Service(
                uuid: BluetoothUUID(0xA100),
                isPrimary: true,
                handle: AttributeHandle(20),
                endHandle: AttributeHandle(20)
            )
            services.append(GATT.DiscoveredService(service: more))
        }
        return GATT.Database(services: services)
    }

    mutating func ask(_ request: ClientRequest, for session: SessionIdentifier = one) {
        note(core.ask(request, for: session))
    }

    mutating func leave(_ session: SessionIdentifier) { note(core.left(session)) }

    mutating func change(_ handles: ClosedRange<AttributeHandle>, isReported: Bool = true) {
        note(core.servicesChanged([handles], isReported: isReported))
    }

    /// Answers the oldest request.
    mutating func answer(_ result: Result<PortAnswer, any Error>) {
        guard !asked.isEmpty else { return }
        note(core.completed(asked.removeFirst().job, result))
    }

    /// Answers the oldest request with the database.
    mutating func answerTable(withMore: Bool = false) {
        guard let table = Self.table(withMore: withMore) else { return }
        answer(.success(.database(table)))
    }

    mutating func refuse(_ code: ATT.ErrorCode) {
        answer(.failure(GATT.Failure.attribute(code, handle: .invalid)))
    }

    /// The unanswered requests, as short text.
    var questions: [String] {
        asked.map { question in
            switch question.request {
            case .database: "table"
            case .gatt(let operation, _): "\(operation)".prefix { $0 != "(" }.description
            default: "other"
            }
        }
    }

    private mutating func note(_ actions: [ClientCore.Action]) {
        for action in actions {
            switch action {
            case .begin(let request, let job): asked.append((request, job))
            case .post(let event, let session):
                posted.append("\(session.rawValue) \(Self.text(event))")
            case .postToAll(let event): posted.append("all \(Self.text(event))")
            case .servicesKnown: break
            }
        }
    }

    private static func text(_ event: RemoteEvent) -> String {
        switch event {
        case .valueRead(_, let result): "read \(text(result.map { "\($0)" }))"
        case .valueWritten(_, let error): "wrote \(error.map { text($0) } ?? "ok")"
        case .descriptorWritten(_, let error): "descriptorWritten \(error.map { text($0) } ?? "ok")"
        case .notifyingSet(_, let result): "notifying \(text(result.map { "\($0)" }))"
        case .found(let search, let result):
            "\(search)".prefix { $0 != "(" } + " \(text(result.map { "\(count($0))" }))"
        case .servicesModified(let ranges, let isReported): "modified \(ranges.count) \(isReported)"
        case .readyToWrite: "ready"
        default: "\(event)"
        }
    }

    private static func count(_ outcome: GATT.Outcome) -> Int {
        switch outcome {
        case .services(let found): found.count
        case .characteristics(let found): found.count
        case .descriptors(let found): found.count
        default: 0
        }
    }

    private static func text(_ result: Result<String, ClientError>) -> String {
        switch result {
        case .success(let text): text
        case .failure(let error): text(error)
        }
    }

    private static func text(_ error: ClientError) -> String {
        switch error {
        case .failed(let code): "CBError \(code.rawValue)"
        case .attribute(let code): "CBATTError \(code.rawValue)"
        }
    }
}
