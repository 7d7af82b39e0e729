// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The effects of the data commands of extended advertising (Vol 4, Part E, 7.8.54 and 7.8.55).
extension VirtualAdvertisingSet {
    /// Performs LE Set Extended Advertising Data.
    mutating func setData(_ command: HCI.LESetExtendedAdvertisingData) throws(HCI.ErrorCode) {
        guard configuration.carriesData else { throw .invalidCommandParameters }
        guard command.operation != .unchanged else { return try keepData(command) }
        try checkPiece(command.operation, command.data)
        let whole = data.adding(command.operation, command.data)
        data = AdvertisedData()
        try checkLength(whole.bytes.count, isResponse: false)
        data = whole
        renewDataID()
    }

    /// Keeps the data, and changes the DID so that scanners read it again.
    private mutating func keepData(
        _ command: HCI.LESetExtendedAdvertisingData
    ) throws(HCI.ErrorCode) {
        guard run != nil, !data.bytes.isEmpty, !configuration.isLegacy, command.data.isEmpty else {
            throw .invalidCommandParameters
        }
        renewDataID()
    }

    /// Performs LE Set Extended Scan Response Data.
    mutating func setResponse(_ command: HCI.LESetExtendedScanResponseData) throws(HCI.ErrorCode) {
        guard configuration.isScannable || command.data.isEmpty, command.operation != .unchanged
        else {
            throw .invalidCommandParameters
        }
        try checkPiece(command.operation, command.data)
        let requiresData = run != nil && configuration.isScannable && !configuration.isLegacy
        guard !requiresData || !command.data.isEmpty else { throw .commandDisallowed }
        let whole = response.adding(command.operation, command.data)
        response = AdvertisedData()
        try checkLength(whole.bytes.count, isResponse: true)
        response = whole
        renewDataID()
    }

    /// Checks a fragment. A legacy set and an enabled set need all data in one command. If the data
    /// has several fragments, none may be empty.
    private func checkPiece(
        _ operation: HCI.DataOperation,
        _ piece: ArraySlice<UInt8>
    ) throws(HCI.ErrorCode) {
        guard HCI.DataOperation.names[operation.rawValue] != nil else {
            throw .invalidCommandParameters
        }
        if configuration.isLegacy {
            guard operation == .complete, piece.count <= PacketLength.legacyDataLimit else {
                throw .invalidCommandParameters
            }
        }
        guard operation != .complete else { return }
        guard !piece.isEmpty else { throw .invalidCommandParameters }
        guard run == nil else { throw .commandDisallowed }
    }

    /// Checks that the set can hold the data. For scan response data of an extended set, and for
    /// advertising data while an extended set is enabled, also checks that an event fits into the
    /// interval. For such advertising data, also checks `dataLimit`.
    ///
    /// - Throws: `memoryCapacityExceeded` or `packetTooLong`. Then all advertising data of the set,
    ///   or all its scan response data, is lost, as the specification requires.
    private func checkLength(_ length: Int, isResponse: Bool) throws(HCI.ErrorCode) {
        guard length <= PacketLength.extendedDataLimit else { throw .memoryCapacityExceeded }
        guard !configuration.isLegacy else { return }
        let interval =
            run.map { Duration.nanoseconds($0.interval) } ?? configuration.intervals.upperBound
        let isTooLong =
            isResponse
            ? configuration.responseDuration(length) > interval
            : run != nil
                && (length > configuration.dataLimit
                    || configuration.eventDuration(length) > interval)
        guard !isTooLong else { throw .packetTooLong }
    }

    /// Checks that the current data fits other parameters (Vol 4, Part E, 7.8.53).
    ///
    /// - Throws: `invalidCommandParameters` or `packetTooLong` if it does not.
    func check(_ configuration: AdvertisingSetConfiguration) throws(HCI.ErrorCode) {
        guard configuration.carriesData || data.bytes.isEmpty,
            configuration.isScannable || response.bytes.isEmpty
        else { throw .invalidCommandParameters }
        guard !configuration.isLegacy else {
            let longest = max(data.bytes.count, response.bytes.count)
            guard longest <= PacketLength.legacyDataLimit, !data.isPartial, !response.isPartial
            else { throw .invalidCommandParameters }
            return
        }
        let interval = configuration.intervals.upperBound
        guard configuration.eventDuration(data.bytes.count) <= interval,
            configuration.responseDuration(response.bytes.count) <= interval
        else { throw .packetTooLong }
    }
}

extension AdvertisedData {
    /// Returns the data with another fragment. A continuation is appended to the present data, also
    /// without a first fragment.
    fileprivate func adding(
        _ operation: HCI.DataOperation,
        _ piece: ArraySlice<UInt8>
    ) -> AdvertisedData {
        let isFresh = operation == .first || operation == .complete
        return AdvertisedData(
            bytes: isFresh ? Array(piece) : bytes + piece,
            isPartial: operation == .first || operation == .intermediate
        )
    }
}

/// The durations of extended sets' events.
extension AdvertisingSetConfiguration {
    /// The largest data in bytes: for a connectable set the capacity of its AUX_ADV_IND (Vol 6,
    /// Part B, 2.3.1.6), otherwise that of a chain.
    var dataLimit: Int {
        isConnectable
            ? ExtendedAdvertisingPDU.dataLimit(auxiliaryFields) : PacketLength.extendedDataLimit
    }

    /// Returns the duration of an event with `length` bytes of data and without a request.
    func eventDuration(_ length: Int) -> Duration {
        .nanoseconds(primaryDuration) + chainDuration(auxiliaryFields, carriesData ? length : 0)
    }

    /// Returns the duration of an event with a scan request and a response of `length` bytes.
    func responseDuration(_ length: Int) -> Duration {
        guard isScannable, !isLegacy else { return .zero }
        let request = secondary.airTime(pduLength: LegacyAdvertisingPDU.scanRequest.length)
        return eventDuration(0) + FrameSpace.betweenFrames * 2 + request
            + chainDuration(responseFields, length)
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
