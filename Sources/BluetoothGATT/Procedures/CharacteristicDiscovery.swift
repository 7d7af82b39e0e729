// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// Discover All Characteristics of a Service: reads the characteristic declarations in the
/// service's range (Vol 3, Part G, 4.6.1).
struct DiscoverAllCharacteristicsOfService: DiscoveryProcedure {
    var sweep: HandleSweep
    private var declarations: [Declaration] = []

    init(sweep: HandleSweep) {
        self.sweep = sweep
    }

    private struct Declaration: Sendable {
        let handle: AttributeHandle
        let properties: GATT.CharacteristicProperties
        let valueHandle: AttributeHandle
        let uuid: BluetoothUUID
    }

    func request(from start: AttributeHandle) -> ATT.PDU {
        let type = GATT.AttributeType.characteristic
        return .readByTypeRequest(.init(start: start, end: sweep.last, type: type))
    }

    mutating func take(_ response: ATT.PDU) throws(GATT.Failure) {
        guard case .readByTypeResponse(let response) = response else {
            throw .unexpected(response)
        }
        for entry in response.entries { try take(entry) }
    }

    /// Processes a declaration. The characteristic's value has a greater handle than the
    /// declaration, and the next declaration comes after that value (Vol 3, Part G, 3.3), so
    /// characteristics cannot overlap.
    private mutating func take(
        _ entry: ATT.ReadByTypeResponse.Entry
    ) throws(GATT.Failure) {
        try sweep.pass(entry.handle)
        let declaration = try Self.parse(entry)
        guard declarations.last.map({ $0.valueHandle < entry.handle }) ?? true else {
            throw .protocolViolation("characteristic \(entry.handle) overlaps the one before")
        }
        guard entry.handle < declaration.valueHandle, declaration.valueHandle <= sweep.last else {
            throw .protocolViolation(
                "characteristic \(entry.handle) has its value at \(declaration.valueHandle)"
            )
        }
        try declarations.keep(declaration)
    }

    /// Decodes the value of a declaration: properties, a handle, and a UUID of 16 or 128 bits (Vol
    /// 3, Part G, 3.3.1).
    private static func parse(
        _ entry: ATT.ReadByTypeResponse.Entry
    ) throws(GATT.Failure) -> Declaration {
        do throws(MalformedBytes) {
            var reader = ByteReader(entry.value)
            let properties = try reader.readUInt8()
            let valueHandle = try reader.readAttributeHandle()
            guard [2, 16].contains(reader.remaining),
                let uuid = BluetoothUUID(littleEndian: reader.readRemaining())
            else { throw .invalid(field: "UUID") }
            return Declaration(
                handle: entry.handle,
                properties: .init(rawValue: properties),
                valueHandle: valueHandle,
                uuid: uuid
            )
        } catch {
            throw .protocolViolation("characteristic \(entry.handle): \(error)")
        }
    }

    func outcome() -> GATT.Outcome { .characteristics(characteristics) }

    /// The characteristics that were found. Each ends before the next one starts, and the last ends
    /// with the range.
    var characteristics: [GATT.Characteristic] {
        let ends = declarations.dropFirst().map { AttributeHandle($0.handle.rawValue - 1) }
        return zip(declarations, ends + [sweep.last]).map { declaration, end in
            GATT.Characteristic(
                uuid: declaration.uuid,
                handle: declaration.handle,
                valueHandle: declaration.valueHandle,
                properties: declaration.properties,
                endHandle: end
            )
        }
    }
}

/// Discover Characteristics by UUID (Vol 3, Part G, 4.6.2).
///
/// ATT cannot search for a part of a value. The procedure therefore discovers all characteristics
/// and selects those with the UUID. The other declarations are needed as well, to determine the
/// ends of the selected characteristics.
struct DiscoverCharacteristicsByUUID: DiscoveryProcedure {
    private let uuid: BluetoothUUID
    private var all: DiscoverAllCharacteristicsOfService

    init(uuid: BluetoothUUID, sweep: HandleSweep) {
        self.uuid = uuid
        all = DiscoverAllCharacteristicsOfService(sweep: sweep)
    }

    var sweep: HandleSweep {
        get { all.sweep }
        set { all.sweep = newValue }
    }

    func request(from start: AttributeHandle) -> ATT.PDU {
        all.request(from: start)
    }

    mutating func take(_ response: ATT.PDU) throws(GATT.Failure) {
        try all.take(response)
    }

    func outcome() -> GATT.Outcome {
        .characteristics(all.characteristics.filter { $0.uuid == uuid })
    }
}

/// Discover All Characteristic Descriptors: requests the types of all attributes after a value up
/// to the end of its characteristic (Vol 3, Part G, 4.7.1).
struct DiscoverAllCharacteristicDescriptors: DiscoveryProcedure {
    var sweep: HandleSweep
    private var descriptors: [GATT.Descriptor] = []

    init(sweep: HandleSweep) {
        self.sweep = sweep
    }

    func request(from start: AttributeHandle) -> ATT.PDU {
        .findInformationRequest(.init(start: start, end: sweep.last))
    }

    mutating func take(_ response: ATT.PDU) throws(GATT.Failure) {
        guard case .findInformationResponse(let response) = response else {
            throw .unexpected(response)
        }
        for entry in response.entries {
            try sweep.pass(entry.handle)
            try descriptors.keep(GATT.Descriptor(uuid: entry.uuid, handle: entry.handle))
        }
    }

    func outcome() -> GATT.Outcome { .descriptors(descriptors) }
}

/// Discover All Characteristic Descriptors (Vol 3, Part G, 4.7.1) for many characteristics.
///
/// Each request covers the range from the first remaining handle that can be a descriptor to the
/// last. Attributes that cannot be descriptors are ignored in the response.
struct DiscoverDescriptorsOfAll: DiscoveryProcedure {
    var sweep: HandleSweep
    /// The handles that descriptors can have, in ascending order, without those that the sweep has
    /// passed.
    private var gaps: ArraySlice<ClosedRange<AttributeHandle>>
    private var descriptors: [GATT.Descriptor] = []

    /// Creates a search in these ranges of handles, which are in ascending order.
    init(gaps: [ClosedRange<AttributeHandle>]) {
        self.gaps = gaps[...]
        sweep = HandleSweep(
            from: gaps.first?.lowerBound ?? .last,
            through: gaps.last?.upperBound ?? .first
        )
    }

    func request(from start: AttributeHandle) -> ATT.PDU {
        .findInformationRequest(.init(start: start, end: sweep.last))
    }

    mutating func take(_ response: ATT.PDU) throws(GATT.Failure) {
        guard case .findInformationResponse(let response) = response else {
            throw .unexpected(response)
        }
        for entry in response.entries {
            try sweep.pass(entry.handle)
            gaps = gaps.drop { $0.upperBound < entry.handle }
            guard gaps.first?.contains(entry.handle) == true else { continue }
            try descriptors.keep(GATT.Descriptor(uuid: entry.uuid, handle: entry.handle))
        }
        leap()
    }

    /// Advances to the next handle that can be a descriptor.
    private mutating func leap() {
        guard let next = sweep.next else { return }
        gaps = gaps.drop { $0.upperBound < next }
        sweep = HandleSweep(from: max(next, gaps.first?.lowerBound ?? next), through: sweep.last)
    }

    func outcome() -> GATT.Outcome { .descriptors(descriptors) }
}
