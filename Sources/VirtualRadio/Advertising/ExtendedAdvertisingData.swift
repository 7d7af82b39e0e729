// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// What the data commands of extended advertising do to a set (Vol 4, Part E, 7.8.54 and 7.8.55).
extension AdvertisingSet {
    /// LE Set Extended Advertising Data.
    mutating func setData(_ command: HCI.LESetExtendedAdvertisingData) throws(HCI.ErrorCode) {
        guard manner.carriesData else { throw .invalidCommandParameters }
        guard command.operation != .unchanged else { return try keepData(command) }
        try checkPiece(command.operation, command.data)
        let whole = data.adding(command.operation, command.data)
        data = AdvertisedData()
        try checkLength(whole.octets.count, isResponse: false)
        data = whole
        renewDataID()
    }

    /// The data stays as it is, and scanners are to read it once more.
    private mutating func keepData(
        _ command: HCI.LESetExtendedAdvertisingData
    ) throws(HCI.ErrorCode) {
        guard run != nil, !data.octets.isEmpty, !manner.isLegacy, command.data.isEmpty else {
            throw .invalidCommandParameters
        }
        renewDataID()
    }

    /// LE Set Extended Scan Response Data.
    mutating func setResponse(_ command: HCI.LESetExtendedScanResponseData) throws(HCI.ErrorCode) {
        guard manner.isScannable || command.data.isEmpty, command.operation != .unchanged else {
            throw .invalidCommandParameters
        }
        try checkPiece(command.operation, command.data)
        let mustHaveSome = run != nil && manner.isScannable && !manner.isLegacy
        guard !mustHaveSome || !command.data.isEmpty else { throw .commandDisallowed }
        let whole = response.adding(command.operation, command.data)
        response = AdvertisedData()
        try checkLength(whole.octets.count, isResponse: true)
        response = whole
        renewDataID()
    }

    /// Whether a piece is in order: all at once for legacy packets and while advertising, and never
    /// an empty one of several.
    private func checkPiece(
        _ operation: HCI.DataOperation,
        _ piece: ArraySlice<UInt8>
    ) throws(HCI.ErrorCode) {
        guard HCI.DataOperation.names[operation.rawValue] != nil else {
            throw .invalidCommandParameters
        }
        if manner.isLegacy {
            guard operation == .complete, piece.count <= PacketLength.legacyDataLimit else {
                throw .invalidCommandParameters
            }
        }
        guard operation != .complete else { return }
        guard !piece.isEmpty else { throw .invalidCommandParameters }
        guard run == nil else { throw .commandDisallowed }
    }

    /// Throws if the set cannot hold so much, or cannot send it: while it is enabled, with the
    /// interval that it has. All data of the set is lost then, as the specification has it.
    private func checkLength(_ length: Int, isResponse: Bool) throws(HCI.ErrorCode) {
        guard length <= PacketLength.extendedDataLimit else { throw .memoryCapacityExceeded }
        guard !manner.isLegacy else { return }
        let interval =
            run.map { Duration.nanoseconds($0.interval) } ?? manner.intervals.upperBound
        let isTooLong =
            isResponse
            ? manner.responseDuration(length) > interval
            : run != nil && (length > manner.dataLimit || manner.eventDuration(length) > interval)
        guard !isTooLong else { throw .packetTooLong }
    }

    /// Throws if the data that the set has does not go with another manner
    /// (Vol 4, Part E, 7.8.53).
    func check(_ manner: AdvertisingManner) throws(HCI.ErrorCode) {
        guard manner.carriesData || data.octets.isEmpty,
            manner.isScannable || response.octets.isEmpty
        else { throw .invalidCommandParameters }
        guard !manner.isLegacy else {
            let longest = max(data.octets.count, response.octets.count)
            guard longest <= PacketLength.legacyDataLimit, !data.isPartial, !response.isPartial
            else { throw .invalidCommandParameters }
            return
        }
        let interval = manner.intervals.upperBound
        guard manner.eventDuration(data.octets.count) <= interval,
            manner.responseDuration(response.octets.count) <= interval
        else { throw .packetTooLong }
    }
}

extension AdvertisedData {
    /// The data with another piece. One that goes on from nothing begins it.
    fileprivate func adding(
        _ operation: HCI.DataOperation,
        _ piece: ArraySlice<UInt8>
    ) -> AdvertisedData {
        let isFresh = operation == .first || operation == .complete
        return AdvertisedData(
            octets: isFresh ? Array(piece) : octets + piece,
            isPartial: operation == .first || operation == .intermediate
        )
    }
}

/// How long the events of extended sets take.
extension AdvertisingManner {
    /// How much data fits: for a connectable set into the one packet that can be asked
    /// (Vol 6, Part B, 2.3.1.6); otherwise into a chain.
    var dataLimit: Int {
        isConnectable
            ? ExtendedAdvertisingPDU.dataLimit(auxiliaryFields) : PacketLength.extendedDataLimit
    }

    /// How long an event is, with so much data, and without anybody asking.
    func eventDuration(_ length: Int) -> Duration {
        .nanoseconds(primaryDuration) + chainDuration(auxiliaryFields, carriesData ? length : 0)
    }

    /// How long an event is in which somebody asks for a response of that length.
    func responseDuration(_ length: Int) -> Duration {
        guard isScannable, !isLegacy else { return .zero }
        let request = secondary.airTime(pduLength: LegacyAdvertisingPDU.scanRequest.length)
        return eventDuration(0) + FrameSpace.betweenFrames * 2 + request
            + chainDuration([.advertiserAddress, .dataInfo], length)
    }

    private func chainDuration(
        _ fields: ExtendedAdvertisingPDU.Fields,
        _ length: Int
    ) -> Duration {
        let chain = ExtendedAdvertisingPDU.chain(fields, dataLength: length) ?? []
        return chain.reduce(.zero) {
            $0 + FrameSpace.auxiliaryMinimum + $1.airTime(secondary)
        }
    }
}
