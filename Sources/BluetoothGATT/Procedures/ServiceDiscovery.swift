// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// Discover All Primary Services: reads the service declarations group by group (Vol 3, Part G,
/// 4.4.1). With another declaration type, it discovers all secondary services.
struct DiscoverAllPrimaryServices: DiscoveryProcedure {
    var sweep = HandleSweep()
    private let arePrimary: Bool
    private var services: [GATT.Service] = []

    init() { arePrimary = true }

    private init(arePrimary: Bool) { self.arePrimary = arePrimary }

    /// The discovery of all secondary services. The profile does not define such a procedure, but
    /// ATT supports both kinds of groups (Vol 3, Part G, 2.5.3).
    static let ofSecondaryServices = DiscoverAllPrimaryServices(arePrimary: false)

    func request(from start: AttributeHandle) -> ATT.PDU {
        let type =
            arePrimary
            ? GATT.AttributeType.primaryService : GATT.AttributeType.secondaryService
        return .readByGroupTypeRequest(.init(start: start, end: sweep.last, type: type))
    }

    mutating func take(_ response: ATT.PDU) throws(GATT.Failure) {
        guard case .readByGroupTypeResponse(let response) = response else {
            throw .unexpected(response)
        }
        for entry in response.entries { try take(entry) }
    }

    private mutating func take(
        _ entry: ATT.ReadByGroupTypeResponse.Entry
    ) throws(GATT.Failure) {
        try sweep.pass(entry.handle, groupEnd: entry.groupEnd)
        let uuid = try GATT.declaredUUID(entry.value, at: entry.handle)
        let service = GATT.Service(
            uuid: uuid,
            isPrimary: arePrimary,
            handle: entry.handle,
            endHandle: entry.groupEnd
        )
        try services.keep(service)
    }

    func outcome() -> GATT.Outcome { .services(services) }
}

extension GATT {
    /// Decodes the value of a service declaration, which is a UUID of 2 or 16 bytes (Vol 3, Part G,
    /// 3.1).
    static func declaredUUID(
        _ value: ArraySlice<UInt8>,
        at handle: AttributeHandle
    ) throws(GATT.Failure) -> BluetoothUUID {
        guard value.count != 4, let uuid = BluetoothUUID(littleEndian: value) else {
            throw .protocolViolation("service \(handle) has a UUID of \(value.count) bytes")
        }
        return uuid
    }
}

/// Discover Primary Service by Service UUID: finds the declarations of primary services with a UUID
/// (Vol 3, Part G, 4.4.2). A server can have several services with one UUID.
struct DiscoverPrimaryServiceByServiceUUID: DiscoveryProcedure {
    var sweep = HandleSweep()
    private let uuid: BluetoothUUID
    private var services: [GATT.Service] = []

    init(uuid: BluetoothUUID) {
        self.uuid = uuid
    }

    /// The attribute type as 16 bits, the only length that the request allows.
    private static let primaryService: UInt16 = 0x2800

    func request(from start: AttributeHandle) -> ATT.PDU {
        .findByTypeValueRequest(
            .init(
                start: start,
                end: sweep.last,
                type: Self.primaryService,
                value: uuid.attBytes[...]
            )
        )
    }

    mutating func take(_ response: ATT.PDU) throws(GATT.Failure) {
        guard case .findByTypeValueResponse(let response) = response else {
            throw .unexpected(response)
        }
        for entry in response.entries {
            try sweep.pass(entry.found, groupEnd: entry.groupEnd)
            let service = GATT.Service(
                uuid: uuid,
                isPrimary: true,
                handle: entry.found,
                endHandle: entry.groupEnd
            )
            try services.keep(service)
        }
    }

    func outcome() -> GATT.Outcome { .services(services) }
}

/// Find Included Services: reads the include declarations of a service (Vol 3, Part G, 4.5.1).
///
/// A declaration cannot contain a 128-bit UUID. If it contains no UUID, the procedure reads the
/// declaration of the included service before it continues the search.
struct FindIncludedServices: DiscoveryProcedure {
    var sweep: HandleSweep
    private let primaryServices: Set<AttributeHandle>
    private var services: [GATT.IncludedService] = []
    /// Declarations of the latest response whose services have no known UUID yet.
    private var nameless: ArraySlice<Include> = []

    /// Creates a search. `primaryServices` are the handles of the known primary services.
    init(sweep: HandleSweep, primaryServices: Set<AttributeHandle>) {
        self.sweep = sweep
        self.primaryServices = primaryServices
    }

    private struct Include: Sendable {
        let declaration: AttributeHandle
        let handle: AttributeHandle
        let endHandle: AttributeHandle
    }

    func request(from start: AttributeHandle) -> ATT.PDU {
        let type = GATT.AttributeType.include
        return .readByTypeRequest(.init(start: start, end: sweep.last, type: type))
    }

    mutating func receive(
        _ response: ATT.PDU,
        mtu: Int
    ) throws(GATT.Failure) -> ProcedureStep {
        try take(response)
        guard let next = nameless.first else { return proceed() }
        return .send(.readRequest(.init(handle: next.handle)))
    }

    /// Processes a failure. Attribute Not Found only means "no more" in response to a request for
    /// declarations.
    func receive(_ failure: GATT.Failure, mtu: Int) throws(GATT.Failure) -> ProcedureStep {
        guard nameless.isEmpty, case .attribute(.attributeNotFound, _) = failure else {
            throw failure
        }
        return .complete(outcome())
    }

    mutating func take(_ response: ATT.PDU) throws(GATT.Failure) {
        switch response {
        case .readByTypeResponse(let response):
            for entry in response.entries { try take(entry) }
        case .readResponse(let response):
            guard let include = nameless.popFirst() else { return }
            try keep(include, uuid: GATT.declaredUUID(response.value, at: include.handle))
        default:
            throw .unexpected(response)
        }
    }

    private mutating func take(
        _ entry: ATT.ReadByTypeResponse.Entry
    ) throws(GATT.Failure) {
        try sweep.pass(entry.handle)
        let (include, uuid) = try Self.parse(entry)
        guard include.handle != .invalid, include.handle <= include.endHandle else {
            throw .protocolViolation("include \(entry.handle) refers to no service")
        }
        if let uuid { try keep(include, uuid: uuid) } else { nameless.append(include) }
    }

    /// Decodes the value of a declaration: two handles, and the UUID if it has 16 bits (Vol 3, Part
    /// G, 3.2).
    private static func parse(
        _ entry: ATT.ReadByTypeResponse.Entry
    ) throws(GATT.Failure) -> (Include, BluetoothUUID?) {
        do throws(MalformedBytes) {
            var reader = ByteReader(entry.value)
            let include = Include(
                declaration: entry.handle,
                handle: try reader.readAttributeHandle(),
                endHandle: try reader.readAttributeHandle()
            )
            let uuid = reader.isAtEnd ? nil : BluetoothUUID(try reader.readUInt16())
            try reader.finish()
            return (include, uuid)
        } catch {
            throw .protocolViolation("include \(entry.handle): \(error)")
        }
    }

    private mutating func keep(
        _ include: Include,
        uuid: BluetoothUUID
    ) throws(GATT.Failure) {
        let service = GATT.Service(
            uuid: uuid,
            isPrimary: primaryServices.contains(include.handle),
            handle: include.handle,
            endHandle: include.endHandle
        )
        try services.keep(GATT.IncludedService(handle: include.declaration, service: service))
    }

    func outcome() -> GATT.Outcome { .includedServices(services) }
}
