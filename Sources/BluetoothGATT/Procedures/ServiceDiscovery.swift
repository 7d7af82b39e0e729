// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// Find Included Services: reads the include declarations of a service (Vol 3, Part G, 4.5.1).
///
/// A declaration cannot contain a 128-bit UUID. If it contains no UUID, the procedure reads the
/// declaration of the included service before it continues the search.
struct FindIncludedServices: Discovery {
    var sweep: HandleSweep
    private let primaryServices: Set<AttributeHandle>
    private var services: [GATT.IncludedService] = []
    /// Declarations of the latest response whose services have no known UUID yet.
    private var nameless: ArraySlice<Include> = []

    /// Creates a search.
    ///
    /// - Parameters:
    ///   - sweep: The range of handles to search.
    ///   - primaryServices: The handles of the known primary services.
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
