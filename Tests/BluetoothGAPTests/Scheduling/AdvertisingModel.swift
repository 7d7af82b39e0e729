// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

@testable import BluetoothGAP
@testable import BluetoothHCI

/// Operations that a controller forbids, so that an advertiser must never request them.
enum ImpossibleAdvertising: Error, Equatable {
    case parametersWhileOn
    case addressWhileOn
    case piecesWhileOn
    case removedWhileOn
    case enabledHalfWritten
    case enabledWithoutResponse
    case noSuchSet
    case tooManySets
    case dataWhereThereIsNone
    case listEditedWhileInUse
    case twoCommandsAtOnce
}

/// A model of a controller's advertising, which throws on an operation that the specification
/// forbids (Vol 4, Part E, 7.8.5 to 7.8.9 and 7.8.52 to 7.8.59).
struct AdvertisingModel {
    struct Entry: Equatable {
        var parameters: AdvertisingParameters?
        var address: DeviceAddress?
        var data: [UInt8] = []
        var response: [UInt8] = []
        var isPartial = false
        var isOn = false
        var duration: Duration?
        var eventLimit: UInt8 = 0
    }

    var isExtended = true
    var setLimit = 3
    private(set) var sets: [UInt8: Entry] = [:]
    private(set) var acceptList: [DeviceAddress] = []
    private(set) var enableCount = 0

    init(isExtended: Bool, setLimit: Int) {
        self.isExtended = isExtended
        self.setLimit = setLimit
        if !isExtended { sets[0] = Entry() }
    }

    var onAir: [Entry] { sets.keys.sorted().compactMap { sets[$0] }.filter(\.isOn) }

    mutating func perform(_ operation: AdvertisingOperation) throws(ImpossibleAdvertising) {
        switch operation {
        case .readTransmitPower: break
        case .setParameters(let set, let parameters): try setParameters(key(set), parameters)
        case .setAddress(let set, let address):
            let entry = try entry(set)
            if entry.isOn { throw .addressWhileOn }
            sets[set]?.address = address
        case .setData(let set, let field, let piece): try setData(key(set), field, piece)
        case .enable(let set, let duration, let eventLimit):
            try enable(key(set))
            sets[key(set)]?.duration = duration
            sets[key(set)]?.eventLimit = eventLimit
        case .disable(let set):
            _ = try entry(set)
            sets[key(set)]?.isOn = false
        case .remove(let set):
            if try entry(set).isOn { throw .removedWhileOn }
            sets[set] = nil
        case .clearAdmitted:
            try checkListIsFree()
            acceptList = []
        case .admit(let address):
            try checkListIsFree()
            acceptList.append(address)
        case .dismiss(let address):
            try checkListIsFree()
            acceptList.removeAll { $0 == address }
        }
    }

    /// Takes a set off the air without an operation.
    mutating func stop(_ set: UInt8) {
        sets[set]?.isOn = false
    }

    mutating func reset() {
        self = AdvertisingModel(isExtended: isExtended, setLimit: setLimit)
    }

    /// Returns the key of a set. A legacy controller has one set, whatever identifier the host
    /// uses.
    private func key(_ set: UInt8) -> UInt8 { isExtended ? set : 0 }

    private func entry(_ set: UInt8) throws(ImpossibleAdvertising) -> Entry {
        guard let entry = sets[key(set)] else { throw .noSuchSet }
        return entry
    }

    private mutating func setParameters(
        _ set: UInt8,
        _ parameters: AdvertisingParameters
    ) throws(ImpossibleAdvertising) {
        if sets[set] == nil, sets.count >= setLimit { throw .tooManySets }
        if sets[set]?.isOn == true { throw .parametersWhileOn }
        if isExtended, let entry = sets[set] {
            let fits =
                (parameters.carriesData || entry.data.isEmpty)
                && (parameters.properties.contains(.scannable) || entry.response.isEmpty)
            if !fits { throw .dataWhereThereIsNone }
        }
        sets[set, default: Entry()].parameters = parameters
    }

    private mutating func setData(
        _ set: UInt8,
        _ field: AdvertisingOperation.Field,
        _ piece: AdvertisingOperation.Piece
    ) throws(ImpossibleAdvertising) {
        let entry = try entry(set)
        if piece.operation != .complete, entry.isOn { throw .piecesWhileOn }
        if isExtended, let parameters = entry.parameters {
            let isAllowed =
                field == .advertisingData
                ? parameters.carriesData : parameters.properties.contains(.scannable)
            if !isAllowed { throw .dataWhereThereIsNone }
        }
        let path: WritableKeyPath<Entry, [UInt8]> =
            field == .advertisingData ? \.data : \.response
        let isFresh = piece.operation == .complete || piece.operation == .first
        sets[set]?[keyPath: path] = (isFresh ? [] : entry[keyPath: path]) + piece.bytes
        sets[set]?.isPartial = piece.operation == .first || piece.operation == .intermediate
    }

    private mutating func enable(_ set: UInt8) throws(ImpossibleAdvertising) {
        let entry = try entry(set)
        if entry.isPartial { throw .enabledHalfWritten }
        if let parameters = entry.parameters, isExtended,
            !parameters.properties.contains(.legacy), parameters.properties.contains(.scannable),
            entry.response.isEmpty
        {
            throw .enabledWithoutResponse
        }
        sets[set]?.isOn = true
        enableCount += 1
    }

    private func checkListIsFree() throws(ImpossibleAdvertising) {
        let isInUse = sets.values.contains {
            $0.isOn && $0.parameters?.filterPolicy ?? .unfiltered != .unfiltered
        }
        if isInUse { throw .listEditedWhileInUse }
    }
}
